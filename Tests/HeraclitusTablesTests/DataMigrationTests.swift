import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusStores
import HeraclitusTables
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Definitions of data that change")
struct DataMigrationTests {
    /// The first version of the flow.
    static let first = TransitionTable(
        "approval",
        states: ["Draft", "Review", "Paused", "Approved"],
        initial: "Draft",
        events: [
            .init("submit", from: "Draft", to: "Review"), .init("pause", from: "Review", to: "Paused"),
            .init("approve", from: "Review", to: "Approved"),
        ]
    )
    .keys(["sum": .number, "junk": .any.optional], in: "Draft", "Review", "Paused")

    /// The flow with a second approval, other names and a currency.
    static let third = TransitionTable(
        "approval",
        version: 3,
        states: ["Draft", "Legal review", "Second review", "Approved"],
        initial: "Draft",
        events: [
            .init("submit", from: "Draft", to: "Legal review"),
            .init("pass", from: "Legal review", to: "Second review"),
            .init("approve", from: "Second review", to: "Approved"),
        ]
    )
    .keys(["amount": .number, "currency": .string], in: "Draft", "Legal review", "Second review")
    .migrating(
        .init(in: 2, .renameState("Review", to: "Legal review")),
        .init(in: 2, .removeState("Paused", into: "Draft")),
        .init(in: 3, .renameKey("sum", to: "amount", state: nil)),
        .init(in: 3, .setKey("currency", to: "EUR", state: nil)),
        .init(in: 3, .setKey("currency", to: "USD", state: "Draft")),
        .init(in: 3, .removeKey("junk", state: "Legal review"))
    )

    @Test("A machine in progress is in the state with the current name and keys")
    func migrates() throws {
        let old = try StateMachine(
            try DataWorkflow(Self.first),
            entering: DataState("Draft", ["sum": 7, "junk": [1]]),
            journal: 5
        )
        try old.fire[named: "submit"]()
        let approval = try DataWorkflow(Self.third)
        let machine = try StateMachine(archive: old.archive(), of: approval)
        #expect(machine.stateName == "Legal review")
        #expect(machine.state.data == ["amount": 7, "currency": "EUR"])
        #expect(machine.revision == 1)
        // The path of its journal has current names, and the current table allows it.
        #expect(machine.diagram(.dot).contains("submit ×1"))
        #expect(machine.journal.misfits(by: TransitionValidator(approval)).isEmpty)
        try machine.fire[named: "pass"]()
        #expect(machine.stateName == "Second review")
        let paused = try StateMachine(try DataWorkflow(Self.first), resumingIn: DataState("Paused", ["sum": 8]))
        let again = try StateMachine(archive: paused.archive(), of: approval)
        #expect(again.stateName == "Draft")
        #expect(again.state.data == ["amount": 8, "currency": "EUR"])
    }

    @Test("Invalid data after the migration is rejected with the key")
    func unfit() throws {
        let old = try StateMachine(try DataWorkflow(Self.first), entering: DataState("Draft", ["sum": 7, "junk": 1]))
        let archive = try old.archive()
        let approval = try DataWorkflow(Self.third)
        let error = #expect(throws: ArchiveError.self) { try StateMachine(archive: archive, of: approval) }
        guard case .brokenState("Draft", "data.junk", _) = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test("An archive of a newer version of the table is rejected")
    func newer() throws {
        let state = DataState("Draft", ["amount": 1, "currency": "EUR"])
        let archive = try StateMachine(try DataWorkflow(Self.third), entering: state).archive()
        let first = try DataWorkflow(Self.first)
        guard
            case .newerVersion(3, 1, "") = #expect(
                throws: ArchiveError.self,
                performing: {
                    try StateMachine(archive: archive, of: first)
                }
            )
        else {
            Issue.record("It was read.")
            return
        }
    }

    @Test("Missing, misplaced, repeated and dangling steps are problems of the table")
    func problems() {
        let table = TransitionTable("w", version: 4, states: ["A"], initial: "A", events: [])
            .migrating(
                .init(in: 3, .unchanged),
                .init(in: 3, .unchanged),
                .init(in: 2, .renameState("X", to: "Y")),
                .init(in: 5, .unchanged)
            )
        #expect(
            table.problems.facts == [
                "missingMigration 4", "misplacedMigration turn the state X into Y 2",
                "misplacedMigration leave everything as it is 5", "duplicateMigration leave everything as it is 3",
                "migrationToUnknownState turn the state X into Y Y 2",
            ]
        )
        #expect(table.problems[3].description.hasPrefix("Several migrations to version 3 have the name"))
        let repeated = table.migrating(.init(in: 5, .unchanged)).problems.facts
        #expect(repeated.count { $0 == "misplacedMigration leave everything as it is 5" } == 1)
    }

    @Test("Flows of several customers share one store, and each is fired with its own table")
    func store() async throws {
        let store = InMemoryStore()
        let clock = ManualClock()
        let one = try DataWorkflow(Self.first)
        let other = try DataWorkflow(
            TransitionTable(
                "offer",
                states: ["Open", "Lapsed"],
                initial: "Open",
                events: [TransitionTable.Event("lapse", from: "Open", to: "Lapsed").due(after: .seconds(60))]
            )
        )
        let ones = store.workflow(DataWorkflow.self, context: one, scheduler: clock.scheduler)
        let others = store.workflow(DataWorkflow.self, context: other, scheduler: clock.scheduler)
        try await ones.update("1") {
            try StateMachine(one, entering: DataState("Draft", ["sum": 1]))
        } _: {
            try $0.fire[named: "submit"]()
        }
        try await others.update("2") { $0.activate() }
        #expect(try await ones.counts() == ["Review": 1])
        #expect(try await others.ids() == ["2"])
        await clock.advance(by: .seconds(61))
        #expect(try await ones.fireDue().count == 0)
        #expect(try await others.fireDue().count == 1)
        let (machine, _) = try #require(try await others.machine("2"))
        #expect(machine.stateName == "Lapsed")
        await #expect(throws: ArchiveError.self) { try await ones.update("2") { $0.activate() } }
        // The initial state needs data, which is missing.
        await #expect(throws: StoreError.self) { try await ones.update("3") { $0.activate() } }
        // The table changes, and an upgrade migrates the store.
        let third = try DataWorkflow(Self.third)
        let thirds = store.workflow(DataWorkflow.self, context: third, scheduler: clock.scheduler)
        let rehearsal = try await thirds.rehearseMigration()
        #expect(rehearsal.count == 1 && rehearsal.failures.isEmpty && rehearsal.newerCount == 0)
        try await thirds.update("1") { try $0.fire[named: "pass"]() }
        #expect(try await thirds.counts() == ["Second review": 1])
        #expect(await store.load("1")?.version == third.table.version)
        // A program with the older table leaves it unchanged.
        #expect(try await ones.ids() == [])
        #expect(try await ones.rehearseMigration().newerCount == 1)
    }

    @Test("A step that gives a key its own name keeps the value")
    func ownName() throws {
        func flow(version: Int) -> TransitionTable {
            TransitionTable("note", version: version, states: ["Open"], initial: "Open", events: [])
        }
        let old = try StateMachine(DataWorkflow(flow(version: 1)), entering: DataState("Open", ["a": 1]))
        let table = flow(version: 2).migrating(.init(in: 2, .renameKey("a", to: "a", state: nil)))
        #expect(try StateMachine(archive: old.archive(), of: DataWorkflow(table)).state.data == ["a": 1])
    }

    @Test("A key removed by an update stays removed")
    func removedKeys() throws {
        let flow = try DataWorkflow(
            TransitionTable(
                "note",
                states: ["Open"],
                initial: "Open",
                events: [TransitionTable.Event("edit", updating: "Open")]
            )
        )
        let old = try StateMachine(flow, resumingIn: DataState("Open", ["a": 1, "b": 2]))
        let machine = try StateMachine(archive: old.archive(), of: flow)
        try machine.fire[named: "edit"](machine.state.moved(to: "Open", with: ["b": .null]))
        #expect(try StateMachine(archive: machine.archive(), of: flow).state.data == ["a": 1])
    }

    @Test("A step that gives a key a taken name leaves both keys")
    func takenName() throws {
        func flow(version: Int) -> TransitionTable {
            TransitionTable("note", version: version, states: ["Open"], initial: "Open", events: [])
        }
        let old = try StateMachine(DataWorkflow(flow(version: 1)), entering: DataState("Open", ["a": 1, "b": 2]))
        let table = flow(version: 2).migrating(.init(in: 2, .renameKey("a", to: "b", state: nil)))
        #expect(try StateMachine(archive: old.archive(), of: DataWorkflow(table)).state.data == ["a": 1, "b": 2])
        // A state with listed keys has no other ones.
        let listed = table.keys(["b": .integer], in: "Open")
        #expect(throws: ArchiveError.self) { try StateMachine(archive: old.archive(), of: DataWorkflow(listed)) }
        let removed = listed.migrating(.init(in: 2, .removeKey("a", state: nil)))
        #expect(try StateMachine(archive: old.archive(), of: DataWorkflow(removed)).state.data == ["b": 2])
    }
}
