import Foundation
import Heraclitus
import HeraclitusTables
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Checked data")
struct DataKeysTests {
    static let table = TransitionTable.approval
        .keys(["amount": .number, "note": .string.optional, "by": .date.optional], in: "Draft", "Review")
        .keys(["amount": .number, "paid": .boolean], in: "Approved")

    let approval: DataWorkflow

    init() throws { approval = try DataWorkflow(Self.table) }

    @Test(
        "Invalid data is rejected with the key, and nothing changes",
        arguments: [
            ([:], "amount", DataMismatch.Problem.missing(expected: .number)),
            (["amount": .null], "amount", .wrongType(expected: .number)),
            (["amount": "12"], "amount", .wrongType(expected: .number)),
            (["amount": 12, "note": 1], "note", .wrongType(expected: .string.optional)),
            (["amount": 12, "by": "tomorrow"], "by", .wrongType(expected: .date.optional)),
            (["amount": 12, "amuont": 13], "amuont", .unknown(known: ["amount", "by", "note"])),
        ] as [([String: JSONValue], String, DataMismatch.Problem)]
    )
    func fires(_ data: [String: JSONValue], _ key: String, _ problem: DataMismatch.Problem) throws {
        func isExpected(_ error: InvalidTransition?) -> Bool {
            let mismatch = error?.underlyingError as? DataMismatch
            return mismatch?.state == "Review" && mismatch?.key == key && mismatch?.problem == problem
        }
        let machine = try StateMachine(approval, entering: DataState("Draft", ["amount": 1200]))
        let fired = #expect(throws: InvalidTransition.self) {
            try machine.fire[named: "submit"](DataState("Review", data))
        }
        #expect(fired?.reason == .unsuitableState)
        #expect(isExpected(fired))
        #expect(fired.map { "\($0)" }?.contains("\"\(key)\"") == true)
        let entered = #expect(throws: InvalidTransition.self) { try machine.enter(DataState("Review", data)) }
        #expect(isExpected(entered))
        #expect(machine.revision == 0)
        let begun = #expect(throws: InvalidTransition.self) {
            try StateMachine(approval, entering: DataState("Review", data))
        }
        #expect(isExpected(begun))
        // An archive is checked alike.
        var archive = try JSONValue(
            json: StateMachine(approval, entering: DataState("Review", ["amount": 1])).archive()
        )
        archive["data"] = .object(data)
        let bytes = try JSONEncoder().encode(archive)
        let read = #expect(throws: ArchiveError.self) { try StateMachine(archive: bytes, of: approval) }
        guard case .brokenState("Review", let path, _) = read else {
            Issue.record("\(read as Any)")
            return
        }
        #expect(path == "data.\(key)")
    }

    @Test("Valid data is accepted, with any optional keys left out")
    func fits() throws {
        let machine = try StateMachine(approval, entering: DataState("Draft", ["amount": 1200, "note": .null]))
        try machine.fire[named: "submit"](
            DataState("Review", ["amount": 1e300, "by": "2026-11-26T12:00:00Z", "note": ""])
        )
        #expect(machine.state["by"] == "2026-11-26T12:00:00Z")
        #expect(try StateMachine(archive: machine.archive(), of: approval).state.data == machine.state.data)
    }

    @Test("An event without an object keeps the keys of the next state, and is rejected if one is missing")
    func keptKeys() throws {
        let machine = try StateMachine(approval, entering: DataState("Draft", ["amount": 1200, "note": "x"]))
        try machine.fire[named: "submit"]()
        #expect(machine.state["note"] == "x")
        let error = #expect(throws: InvalidTransition.self) { try machine.fire[named: "approve"]() }
        #expect(error?.reason == .destinationNeeded)
        try machine.fire[named: "approve"]({ $0.moved(to: "Approved", with: ["paid": true, "note": .null]) })
        #expect(machine.state.data == ["amount": 1200, "paid": true])
    }

    @Test("An automatic event with invalid data is rejected, and observers are told")
    func due() async throws {
        let clock = ManualClock()
        let table = TransitionTable(
            "due",
            states: ["A", "B"],
            initial: "A",
            events: [TransitionTable.Event("go", from: "A", to: "B").due(after: .seconds(1))]
        )
        .keys(["needed": .any], in: "B")
        let machine = try StateMachine(try DataWorkflow(table), journal: 5, scheduler: clock.scheduler)
        machine.activate()
        await clock.advance(by: .seconds(2))
        #expect(machine.stateName == "A")
        #expect(machine.journal.last?.kind == .rejected)
    }

    @Test(
        "Each type takes its own values",
        arguments: [
            (.string, ["", "a"], [1, true, [], .null]),
            (
                .number, [1, 1.5, .unsigned(.max), .decimal("0.1234567890123456789012345")],
                ["1", .number(.nan), .null]
            ),
            (
                .integer,
                [1, -1, .unsigned(.max), .number(3), .number(1e20), .decimal("-123456789012345678901")],
                [1.5, "1", .null, .number(.infinity), .decimal("0.1234567890123456789012345")]
            ),
            (.boolean, [true, false], [0, "true", .null]),
            (.date, ["2026-11-26T12:00:00Z", "2026-11-26T12:00:00.5+01:00"], ["2026", "", 1, .null]),
            (.list, [[], [1]], [.object([:]), "", .null]),
            (.object, [.object([:])], [[], "", .null]),
            (.any, [1, "", [], .null], []),
            (.string.optional, [.null, ""], [1]),
        ] as [(TransitionTable.Key, [JSONValue], [JSONValue])]
    )
    func types(_ key: TransitionTable.Key, _ right: [JSONValue], _ wrong: [JSONValue]) throws {
        let table = TransitionTable("types", states: ["A"], initial: "A", events: []).keys(["k": key], in: "A")
        let workflow = try DataWorkflow(table)
        for value in right { _ = try StateMachine(workflow, entering: DataState("A", ["k": value])) }
        for value in wrong {
            #expect(throws: InvalidTransition.self, "\(value)") {
                try StateMachine(workflow, entering: DataState("A", ["k": value]))
            }
        }
    }

    @Test("Data with many unknown keys is rejected in time linear in it")
    func manyUnknownKeys() throws {
        let keys = Dictionary(uniqueKeysWithValues: (0..<2_000).map { ("k\($0)", TransitionTable.Key.any.optional) })
        var table = TransitionTable("w", states: ["A"], initial: "A", events: [])
        table = (consume table).keys(keys, in: "A")
        let workflow = try DataWorkflow(table)
        let data = Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("u\($0)", JSONValue.integer(0)) })
        let time = threadTime {
            let error = #expect(throws: InvalidTransition.self) {
                try StateMachine(workflow, entering: DataState("A", data))
            }
            #expect((error?.underlyingError as? DataMismatch)?.key == "u0")
        }
        #expect(time < .seconds(3))
    }

    @Test(
        "The error of an unknown key says how many keys there are",
        arguments: [(0, "it has no keys."), (30, "and 10 more.")]
    )
    func knownKeys(count: Int, ending: String) throws {
        let keys = Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", TransitionTable.Key.any.optional) })
        let table = TransitionTable("w", states: ["A"], initial: "A", events: []).keys(keys, in: "A")
        let workflow = try DataWorkflow(table)
        let error = #expect(throws: InvalidTransition.self) {
            try StateMachine(workflow, entering: DataState("A", ["x": 1]))
        }
        #expect((error?.underlyingError as? DataMismatch)?.description.hasSuffix(ending) == true)
    }
}
