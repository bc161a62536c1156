import Foundation
import Heraclitus
import Testing

/// Lists and objects of JSON are Swift arrays and dictionaries.
@Suite("Lists and objects of JSON") struct JSONCollectionTests {
    private static func read(_ json: String) throws -> JSONValue { try JSONValue(json: Data(json.utf8)) }

    /// The kind of a value, found by a switch as users write it.
    private static func shape(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let bool): "bool \(bool)"
        case .integer(let integer): "integer \(integer)"
        case .unsigned(let unsigned): "unsigned \(unsigned)"
        case .number(let number): "number \(number)"
        case .decimal(let digits): "decimal \(digits)"
        case .string(let text): "string \(text)"
        case .array(let elements): "[" + elements.map(shape).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.keys.sorted().map { "\($0): \(shape(members[$0] ?? .null))" }.joined(separator: ", ") + "}"
        }
    }

    @Test("A switch finds the same cases in read and in made values")
    func matching() throws {
        let read = try Self.read(
            #"{"a":[null,true,-1,18446744073709551615,2.5,0.1234567890123456789012,"x\n"],"b":{"":[]},"c":{}}"#
        )
        let made: JSONValue = [
            "a": [.null, true, -1, .unsigned(.max), 2.5, .decimal("0.1234567890123456789012"), "x\n"], "b": ["": []],
            "c": [:],
        ]
        let expected =
            "{a: [null, bool true, integer -1, unsigned 18446744073709551615, number 2.5, "
            + "decimal 0.1234567890123456789012, string x\n], b: {: []}, c: {}}"
        for value in [read, made] {
            #expect(Self.shape(value) == expected)
            guard case .object(let members) = value, case .array(let elements)? = members["a"] else {
                Issue.record("\(value) is not an object with a list.")
                return
            }
            if case .string(let text) = elements[6] { #expect(text == "x\n") } else { Issue.record("no text") }
        }
        #expect(read == made)
        #expect(Set([read, made]).count == 1)
    }

    @Test("A list is an array, and an object a dictionary")
    func plain() throws {
        let elements: [JSONValue] = [1, "a"]
        let members: [String: JSONValue] = ["a": 1]
        #expect(JSONValue.array(elements) == [1, "a"])
        #expect(JSONValue.object(members) == ["a": 1])
        #expect(JSONValue(dictionaryLiteral: ("a", 1), ("a", 2)) == ["a": 2])
        guard case .array(var list) = try Self.read("[1,2]"), case .object(var object) = try Self.read(#"{"a":[1]}"#)
        else { return }
        list.append("end")
        object["a", default: []][0] = nil
        object["b"] = .array(list)
        #expect(JSONValue.object(object) == ["a": [], "b": [1, 2, "end"]])
    }

    @Test("A part of a read value is changed without the rest")
    func parts() throws {
        var data = try Self.read(#"{"a":{"b":[1,{"c":2}]},"d":[3]}"#)
        let before = data
        data["a"]?["b"]?[1]?["c"] = "x"
        data["a"]?["b"]?[0] = nil
        data["e"] = data["d"]
        data["d"] = nil
        #expect(data == ["a": ["b": [["c": "x"]]], "e": [3]])
        #expect(before == ["a": ["b": [1, ["c": 2]]], "d": [3]])
    }

    @Test("A list reads as a list only, and an object as an object only")
    func coding() throws {
        let list = try JSONDecoder().decode([JSONValue].self, from: Data("[1,{}]".utf8))
        #expect(list == [1, [:]])
        #expect(try JSONEncoder().encode(list) == Data("[1,{}]".utf8))
        let object = try Self.read(#"{"a":[1]}"#).decoded(as: [String: JSONValue].self)
        #expect(object == ["a": [1]])
        #expect(try JSONEncoder().encode(object) == Data(#"{"a":[1]}"#.utf8))
        #expect(throws: DecodingError.self) { try Self.read("{}").decoded(as: [JSONValue].self) }
        #expect(throws: DecodingError.self) { try Self.read("[]").decoded(as: [String: JSONValue].self) }
    }

    @Test("Keys that Swift considers equal are one key, however they are composed", arguments: [2, 40])
    func equalKeys(count: Int) throws {
        let others = (2..<count).map { #","x\#($0)":0"# }.joined()
        for (plain, spelled) in [("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}")] {
            for (first, second) in [(plain, spelled), (spelled, plain)] {
                let value = try Self.read(#"{"\#(first)":1,"\#(second)":2\#(others)}"#)
                guard case .object(let object) = value else { return }
                #expect(object.count == count - 1)
                #expect(value[plain] == 1 && value[spelled] == 1)
                #expect(try value == JSONValue(json: JSONEncoder().encode(value)))
            }
        }
    }
}
