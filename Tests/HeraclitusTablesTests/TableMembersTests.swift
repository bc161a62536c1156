import Foundation
import HeraclitusTables
import Testing

@testable import Fixtures
@testable import Heraclitus

@Suite("Keys, steps and unknown members of tables")
struct TableMembersTests {
    /// A table of the states A and B with further members.
    private func table(version: Int = 1, _ members: String) throws -> TransitionTable {
        try TransitionTable(json: json(version: version, members))
    }

    private func json(version: Int = 1, _ members: String) -> Data {
        let start = #""workflow": "w", "version": \#(version), "states": ["A", "B"], "initial": "A", "events": []"#
        return Data("{\(start), \(members)}".utf8)
    }

    private func written(_ table: TransitionTable) throws -> JSONValue {
        try JSONValue(json: JSONEncoder().encode(table))
    }

    /// A JSON value of some nested lists.
    private func nested(_ levels: Int) -> String {
        String(repeating: "[", count: levels) + "1" + String(repeating: "]", count: levels)
    }

    // MARK: Wrong keys and steps

    @Test("Further keys and steps leave wrong ones in the table, and these stay problems")
    func additions() throws {
        let wrong = try table(
            version: 3,
            """
            "keys": {"A": {"k": "money", "n": "number"}, "B": 5},
            "migrations": [{"version": 2}, {"version": 2, "unchanged": true}]
            """
        )
        let changed = wrong.keys(["m": .string], in: "A", "B").migrating(.init(in: 3, .unchanged))
        let facts = ["malformedTable keys.A.k", "malformedTable keys.B", "malformedTable migrations[0]"]
        #expect(wrong.problems.facts == facts && changed.problems.facts == facts)
        #expect(changed.keys == ["A": ["n": .number, "m": .string]])
        #expect(changed.migrations == [.init(in: 2, .unchanged), .init(in: 3, .unchanged)])
        let json = try written(changed)
        #expect(json["keys"] == ["A": ["k": "money", "n": "number", "m": "string"], "B": 5])
        #expect(json["migrations"]?.arrayValue?.count == 3)
        let odd = try table(#""keys": [1], "migrations": "none""#)
        #expect(odd.keys(["m": .string], in: "A").migrating(.init(in: 2, .unchanged)) == odd)
    }

    @Test("A state's first wrong key and each wrong step are problems, and hide neither unknown states nor right keys")
    func problems() throws {
        let table = try table(
            version: 4,
            """
            "keys": {"Lost": {"k": 1}, "A": {"b": "x", "a": "money", "n": "number"}},
            "migrations": [{"version": 2, "renameState": "Old", "to": "Older"}, {"version": 3, "renameState": "Older"},
                           {"version": 1, "unchanged": true}, 7]
            """
        )
        let paths = ["keys.A.a", "keys.Lost.k", "migrations[1].to", "migrations[3]"]
        #expect(table.problems.facts == paths.map { "malformedTable \($0)" } + ["unknownTableState Lost"])
        #expect(table.problems.prefix(4).allSatisfy { $0.description.hasSuffix(". Correct this value.") })
        #expect(table.keys["A"] == ["n": .number])
    }

    @Test("Long names keep the texts of problems short")
    func longNames() {
        let long = String(repeating: "x", count: 100_000)
        let table = TransitionTable(
            "w",
            states: [long],
            initial: long,
            events: [.init(long, [.init(from: long, to: long)], dueAfter: -1)]
        )
        .within(long, long)
        #expect(table.problems.facts == ["circularSuperstates \(long)", "badDeadline \(long)"])
        #expect(table.problems.allSatisfy { $0.description.utf8.count < 1_000 })
    }

    // MARK: Unknown members

    @Test("Tables that differ only in unknown members share a definition, whose archives have none of them")
    func sharing() throws {
        let keys = #""keys": {"A": {}}"#
        let members = [#""savedAt": 1, \#(keys)"#, #""savedAt": 2, \#(keys)"#, #""savedAt": 1"#]
        let tables = try members.map { try table($0) }
        let machines = try tables.map { try StateMachine(try DataWorkflow($0)) }
        let states = machines.map { $0.definition.content.value.objects.namedStates }
        #expect(states[0] != nil && states[0] === states[1] && states[0] !== states[2])
        let archived = try JSONValue(json: machines[1].archive(includingDefinition: true))["definition"]
        #expect(archived?["keys"] == ["A": [:]] && archived?["savedAt"] == nil)
        #expect(try DataWorkflow(tables[1]).table == tables[1])
    }

    @Test("An unknown member beyond the limits is dropped, and the other members are written again")
    func limits() throws {
        let digits = String(repeating: "7", count: 38)
        let table = try table(
            """
            "deep": \(nested(32)), "deeper": \(nested(33)), "digits": \(digits),
            "more": \(digits)12345, "much": 1e400, "null": null
            """
        )
        let json = try written(table)
        for key in ["deep", "digits", "null"] { #expect(json[key] != nil, "\(key)") }
        for key in ["deeper", "more", "much"] { #expect(json[key] == nil, "\(key)") }
        #expect(try TransitionTable(json: JSONEncoder().encode(table)) == table)
        #expect(try written(JSONDecoder().decode(TransitionTable.self, from: JSONEncoder().encode(table))) == json)
        _ = try JSONDecoder().decode(TransitionTable.self, from: self.json(#""deeper": \#(nested(65)), "much": 1e400"#))
        #expect(try !StateMachine(try DataWorkflow(table)).archive(includingDefinition: true).isEmpty)
    }

    @Test("A step beyond the limits is an error with its place, and each other one is written in archives")
    func stepLimits() throws {
        func members(_ value: String) -> String {
            #""migrations": [{"version": 2, "setKey": "k", "value": \#(value)}]"#
        }
        let table = try table(version: 2, members(nested(30)))
        let archive = try StateMachine(try DataWorkflow(table)).archive(includingDefinition: true)
        #expect(try JSONValue(json: archive)["definition"]?.decoded(as: TransitionTable.self) == table)
        for value in [nested(31), "1e400", String(repeating: "7", count: 43)] {
            let error = #expect(throws: ArchiveError.self) { try self.table(version: 2, members(value)) }
            guard case .malformed("migrations", _) = error else {
                Issue.record("\(error as Any)")
                return
            }
        }
    }

    @Test("Empty keys and steps, and null, are equal to missing ones")
    func empty() throws {
        let plain = try table(#""finals": []"#)
        for members in [#""keys": {}, "migrations": []"#, #""keys": null, "migrations": null"#] {
            let table = try table(#"\#(members), "finals": []"#)
            #expect(table == plain)
            #expect(try written(table)["keys"] == nil && written(table)["migrations"] == nil)
        }
        #expect(plain.keys([:]).migrating() == plain)
        #expect(plain.keys([:], in: "A").keys == ["A": [:]])
    }

    @Test("A key that is optional twice is an optional key")
    func optionalTwice() throws {
        let twice = TransitionTable.Key.optional(.optional(.string))
        let table = try table(#""keys": {"A": {"n": "number"}}"#).keys(["k": twice], in: "A")
        #expect(table.keys == ["A": ["n": .number, "k": .string.optional]])
        #expect(table.problems.isEmpty)
    }

    @Test("Keys and steps are added one by one in time linear in them")
    func additionsInLoops() {
        func time(of count: Int) -> Duration {
            threadTime {
                var table = TransitionTable("w", version: 2, states: ["A", "B"], initial: "A", events: [])
                for number in 0..<count {
                    table = (consume table).keys(["k\(number)": .any], in: "A")
                        .migrating(.init(in: 2, .setKey("k\(number)", to: .null, state: nil)))
                }
                #expect(table.keys["A"]?.count == count)
                #expect(table.migrations.count == count)
            }
        }
        _ = time(of: 10)
        // A quadratic time would grow 64-fold with eight times as many keys and steps.
        #expect(time(of: 16_000) < time(of: 2_000) * 24)
    }

    @Test(
        "A step with a member that it does not have is a problem",
        arguments: [
            #"{"version": 2, "removeKey": "k", "State": "A"}"#,
            #"{"version": 2, "renameState": "X", "to": "A", "state": "B"}"#,
        ]
    )
    func unknownMembersOfSteps(_ step: String) throws {
        let table = try table(version: 2, #""migrations": [\#(step)]"#)
        #expect(table.problems.map(\.kind) == ["malformedTable"])
        #expect(throws: InvalidWorkflow.self) { try DataWorkflow(table) }
    }
}
