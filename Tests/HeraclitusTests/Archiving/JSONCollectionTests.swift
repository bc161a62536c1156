import Foundation
import Heraclitus
import Testing

/// Lists and objects of JSON are those of plain Swift, whether they were read and lie in a text, or were made.
@Suite("Lists and objects of JSON") struct JSONCollectionTests {
    enum Origin: CaseIterable {
        case read, made
    }

    /// Few enough to be looked at one by one, and enough for an index.
    private static let counts = [0, 3, 40]

    private static func read(_ json: String) throws -> JSONValue { try JSONValue(json: Data(json.utf8)) }

    /// The numbers from 0 on.
    private static func list(_ count: Int, _ origin: Origin) throws -> JSONArray {
        guard origin == .read else { return JSONArray((0..<count).map { .integer($0) }) }
        let numbers = (0..<count).map { "\($0)" }
        return try read("[" + numbers.joined(separator: ",") + "]").decoded(as: JSONArray.self)
    }

    /// `k0` with 0, `k1` with 1, …; what was read has each key once more with another value, which does not count.
    private static func object(_ count: Int, _ origin: Origin) throws -> JSONObject {
        guard origin == .read else { return JSONObject(model(count)) }
        let members = (0..<count).flatMap { ["\"k\($0)\":\($0)", "\"k\($0 / 2)\":null"] }
        return try read("{" + members.joined(separator: ",") + "}").decoded(as: JSONObject.self)
    }

    private static func model(_ count: Int) -> [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", .integer($0)) })
    }

    /// What it is, found by a switch as users write it.
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

    @Test("A switch finds the same cases in a value that was read and in one that was made")
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

    @Test("A plain array and a plain dictionary make a list and an object")
    func plain() {
        let elements: [JSONValue] = [1, "a"]
        let members: [String: JSONValue] = ["a": 1]
        #expect(JSONValue.array(elements) == [1, "a"])
        #expect(JSONValue.object(members) == ["a": 1])
        #expect(JSONValue.array(JSONArray(elements)) == .array([1, "a"]))
        #expect(JSONValue.object(JSONObject(members)) == .object(["a": 1]))
        #expect([elements].map(JSONValue.array) == [[1, "a"]])
        let list: JSONArray = [1, "a"]
        let object = JSONObject(dictionaryLiteral: ("a", 1), ("a", 2))
        #expect(Array(list) == elements)
        #expect(Dictionary(object) == ["a": 2])
    }

    @Test("A list is changed as an array is", arguments: Origin.allCases, JSONCollectionTests.counts)
    func lists(origin: Origin, count: Int) throws {
        var list = try Self.list(count, origin)
        let before = list
        var model = (0..<count).map { JSONValue.integer($0) }
        func check(_ location: SourceLocation = #_sourceLocation) {
            #expect(Array(list) == model, sourceLocation: location)
            #expect(list.count == model.count && list.isEmpty == model.isEmpty, sourceLocation: location)
            #expect(list.indices.map { list[$0] } == model, sourceLocation: location)
            #expect(list.reversed() == model.reversed(), sourceLocation: location)
            #expect(list == JSONArray(model), sourceLocation: location)
            #expect(list.hashValue == JSONArray(model).hashValue, sourceLocation: location)
            #expect("\(list)" == "\(model)", sourceLocation: location)
            #expect(JSONValue.array(list).arrayValue == model, sourceLocation: location)
        }
        check()
        list.append("end")
        model.append("end")
        check()
        list[0] = ["first"]
        model[0] = ["first"]
        check()
        list.insert(contentsOf: [2.5, .null], at: 1)
        model.insert(contentsOf: [2.5, .null], at: 1)
        check()
        list.swapAt(0, 2)
        model.swapAt(0, 2)
        check()
        let removed = (list.remove(at: 1), list.removeLast())
        let expected = (model.remove(at: 1), model.removeLast())
        #expect(removed == expected)
        check()
        list += before
        model += Array(before)
        list.removeAll { $0 == 1 }
        model.removeAll { $0 == 1 }
        check()
        #expect(try before == Self.list(count, .made))
        #expect(list != before)
    }

    @Test("An object is changed as a dictionary is", arguments: Origin.allCases, JSONCollectionTests.counts)
    func objects(origin: Origin, count: Int) throws {
        var object = try Self.object(count, origin)
        let before = object
        var model = Self.model(count)
        func check(_ location: SourceLocation = #_sourceLocation) {
            #expect(Dictionary(object) == model, sourceLocation: location)
            #expect(object.count == model.count && object.isEmpty == model.isEmpty, sourceLocation: location)
            #expect(object.map(\.key).sorted() == model.keys.sorted(), sourceLocation: location)
            #expect(object.allSatisfy { model[$0.key] == $0.value }, sourceLocation: location)
            #expect(object.keys == model.keys, sourceLocation: location)
            #expect(Set(object.values) == Set(model.values), sourceLocation: location)
            #expect(object.indices.allSatisfy { model[object[$0].key] == object[$0].value }, sourceLocation: location)
            #expect(model.allSatisfy { object[$0.key] == $0.value }, sourceLocation: location)
            #expect(object == JSONObject(model), sourceLocation: location)
            #expect(object.hashValue == JSONObject(model).hashValue, sourceLocation: location)
            #expect(JSONValue.object(object).objectValue == model, sourceLocation: location)
        }
        check()
        #expect(object["none"] == nil)
        #expect(object["none", default: 7] == 7)
        object["list", default: []][0] = 1
        object["new"] = "x"
        (model["list"], model["new"]) = ([], "x")
        check()
        object["k0"] = nil
        model["k0"] = nil
        check()
        let replaced = object.updateValue(1, forKey: "k1")
        let removed = object.removeValue(forKey: "k2")
        let none = object.removeValue(forKey: "k2")
        #expect(replaced == model["k1"] && removed == model["k2"] && none == nil)
        (model["k1"], model["k2"]) = (1, nil)
        check()
        #expect(try before == Self.object(count, .made))
        #expect(object != before)
    }

    @Test("A part that was read is changed without the rest")
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

    @Test("A list and an object are read and written alone, and nothing else is one")
    func coding() throws {
        let list = try JSONDecoder().decode(JSONArray.self, from: Data("[1,{}]".utf8))
        #expect(list == [1, [:]])
        #expect(try JSONEncoder().encode(list) == Data("[1,{}]".utf8))
        let object = try Self.read(#"{"a":[1]}"#).decoded(as: JSONObject.self)
        #expect(object == ["a": [1]])
        #expect(try JSONEncoder().encode(object) == Data(#"{"a":[1]}"#.utf8))
        #expect(throws: DecodingError.self) { try Self.read("{}").decoded(as: JSONArray.self) }
        #expect(throws: DecodingError.self) { try Self.read("[]").decoded(as: JSONObject.self) }
    }

    @Test("The description says what the value is, whether it was read or made")
    func description() throws {
        let made: JSONValue = [["a": [1, "x"]]]
        let expected =
            #"array([HeraclitusJSON.JSONValue.object(["a": HeraclitusJSON.JSONValue.array(["#
            + #"HeraclitusJSON.JSONValue.integer(1), HeraclitusJSON.JSONValue.string("x")])])])"#
        let read = try Self.read(#"[{"a":[1,"x"]}]"#)
        #expect("\(made)" == expected)
        #expect("\(read)" == expected)
    }

    @Test("Keys that are one for Swift are one, whatever letters they are written with", arguments: [2, 40])
    func equalKeys(count: Int) throws {
        let others = (2..<count).map { #","x\#($0)":0"# }.joined()
        for (plain, spelled) in [("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}")] {
            for (first, second) in [(plain, spelled), (spelled, plain)] {
                let value = try Self.read(#"{"\#(first)":1,"\#(second)":2\#(others)}"#)
                guard case .object(let object) = value else { return }
                #expect(object.count == count - 1)
                #expect(Dictionary(uniqueKeysWithValues: object.map { ($0.key, $0.value) }).count == count - 1)
                #expect(value[plain] == 1 && value[spelled] == 1)
                #expect(try value == JSONValue(json: JSONEncoder().encode(value)))
            }
        }
    }
}
