import Foundation
import HeraclitusJSON
import Testing

@Suite("Parsing") struct ParsingTests {
    @Test(
        "A repeated key is an error with its name and path",
        arguments: [
            (#"{"a":1,"b":2,"a":3}"#, ["a"]), (#"{"x":[0,{"k":1,"k":1}]}"#, ["x", "Index 1", "k"]),
            (#"{"é":1,"e\u0301":2}"#, ["e\u{301}"]), (#"{"a!":1,"a":2,"a!":3}"#, ["a!"]),
            (#"{"a ":1,"a":2,"a ":3}"#, ["a "]),
            (#"{"b":[{"z":1}],"a":1,"b":2}"#, ["b"]), (#"{"a":{"z":1},"a":2}"#, ["a"]), (#"{"a":1,"\u0061":2}"#, ["a"]),
            (#"{"x":{"y":1,"z":2,"y":3,"q":4},"w":1}"#, ["x", "y"]),
        ]
    )
    func duplicates(text: String, path: [String]) throws {
        let problem = #expect(throws: JSONProblem.self) { try JSONValue(text: Data(text.utf8)) }
        #expect(problem?.isDuplicate == true)
        #expect(problem?.path.map(\.stringValue) == path)
        #expect(problem?.description.contains("\"\(path.last ?? "")\"") == true)
    }

    @Test(
        "The place of a repeated key is the first byte of the second key",
        arguments: [
            (#"{"a":1,"b":2,"a":3}"#, 13), (#"{"x":[0,{"k":1,"k":1,"l":2}]}"#, 15),
            (#"{"a":{"z":1}, "\u0061":2 }"#, 14),
        ]
    )
    func places(text: String, offset: Int) {
        let problem = #expect(throws: JSONProblem.self) { try JSONValue(text: Data(text.utf8)) }
        #expect(problem?.offset == offset)
    }

    @Test("Keys that begin with other keys are distinct in any order, and a slice of data is read")
    func prefixes() throws {
        let expected: JSONValue = ["a": 1, "a ": 2, "a!": 3, "ab": ["a": 4]]
        for text in [#"{"a":1,"a ":2,"a!":3,"ab":{"a":4}}"#, #"{"ab":{"a":4},"a!":3,"a":1,"a ":2}"#] {
            #expect(try JSONValue(text: Data(text.utf8)) == expected)
            #expect(try JSONValue(text: Data("[0,\(text)]".utf8).dropFirst(3).dropLast()) == expected)
        }
    }

    @Test("In foreign JSON the first of two values is read")
    func foreign() throws {
        #expect(try JSONValue(foreignText: Data(#"{"a":1,"a":2,"b":{"c":1,"c":2}}"#.utf8)) == ["a": 1, "b": ["c": 1]])
    }

    @Test(
        "A problem has its path",
        arguments: [
            (#"{"a":[1,2,x]}"#, ["a", "Index 2"]), (#"{"a":1,"b":{"c":}}"#, ["b", "c"]),
            ("[[1],[2,]]", ["Index 1", "Index 1"]),
            (#"{"a":{},"b":nul}"#, ["b"]),
        ]
    )
    func path(text: String, path: [String]) {
        let problem = #expect(throws: JSONProblem.self) { try JSONValue(text: Data(text.utf8)) }
        #expect(problem?.path.map(\.stringValue) == path)
        #expect(problem?.isDuplicate == false)
    }
}
