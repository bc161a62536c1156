import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTables
import HeraclitusTesting
import Synchronization
import Testing

@testable import Fixtures

@Suite("Workflows of data in stores")
struct DataStoreTests {
    struct Mail: Effect { let to: String }

    struct Letter: Effect { let to: String }

    private let store = InMemoryStore()

    private func stored(_ workflow: DataWorkflow) -> StoredWorkflow<DataWorkflow> {
        store.workflow(DataWorkflow.self, context: workflow)
    }

    private func submit(_ id: String, to owner: JSONValue, in workflow: DataWorkflow) async throws {
        try await stored(workflow).update(id) {
            try StateMachine(workflow, entering: DataState("Draft", ["owner": owner]))
        } _: { machine in
            try machine.fire[named: "submit"]()
        }
    }

    @Test("Machines are found by the names of their states, and by the class of all states")
    func finding() async throws {
        let approval = try DataWorkflow(.approval)
        let approvals = stored(approval)
        for id in ["1", "2", "3"] { try await submit(id, to: "ada", in: approval) }
        try await approvals.update("2") { try $0.fire[named: "approve"]() }
        #expect(try await approvals.ids(named: ["Review"]) == ["1", "3"])
        #expect(try await approvals.ids(named: ["Approved", "Rejected"]) == ["2"])
        #expect(try await approvals.ids(named: ["Review"], after: "1") == ["3"])
        #expect(try await approvals.ids(named: ["Lost"]) == [])
        #expect(try await approvals.ids(named: []) == [])
        #expect(try await approvals.ids(in: [], named: ["Review"]) == ["1", "3"])
        #expect(try await approvals.ids(in: [DataState.self], named: ["Review"]) == ["1", "2", "3"])
        #expect(try await approvals.ids(in: []) == [])
        #expect(try await approvals.ids(in: [DataState.self]) == ["1", "2", "3"])
        var found: [String] = []
        for try await (id, machine) in approvals.machines(named: ["Approved"]) {
            found.append("\(id) \(machine.stateName)")
        }
        for try await (id, _) in approvals.machines(in: [DataState.self]) { found.append(id) }
        #expect(found == ["2 Approved", "1", "2", "3"])
        #expect(try await approvals.counts() == ["Review": 2, "Approved": 1])
    }

    @Test(
        "Effects of a table's states are saved and delivered, including effects of outer states"
    )
    func effects() async throws {
        let approval = try DataWorkflow(.approval)
            .effect(entering: "Open") { open in Letter(to: "\(open.name) of \(open["owner"]?.stringValue ?? "")") }
            .effect(entering: "Approved") { $0["owner"]?.stringValue.map(Mail.init) }
        let approvals = stored(approval)
        try await submit("1", to: "ada", in: approval)
        try await approvals.update("1") { try $0.fire[named: "approve"]() }
        try await submit("2", to: .null, in: approval)
        try await approvals.update("2") { try $0.fire[named: "approve"]() }
        let names = try await approvals.effects().map { "\($0.key.id) \($0.name)" }
        #expect(names == ["1 Letter", "1 Letter", "1 Mail", "2 Letter", "2 Letter"])
        let missing = await #expect(throws: StoreError.self) {
            try await approvals.deliver(to: EffectHandlers().on(Mail.self) { _, _ in })
        }
        guard case .missingHandlers(["Letter"]) = missing else {
            Issue.record("\(missing as Any)")
            return
        }
        let sent = Mutex<Set<String>>([])
        let handlers = EffectHandlers()
            .on(Mail.self) { mail, _ in _ = sent.withLock { $0.insert("mail \(mail.to)") } }
            .on(Letter.self) { letter, _ in _ = sent.withLock { $0.insert(letter.to) } }
        #expect(try await approvals.deliver(to: handlers).count == 5)
        #expect(sent.withLock { $0 } == ["mail ada", "Draft of ada", "Review of ada", "Draft of ", "Review of "])
    }

    @Test("A machine of a table with effects from outside a unit of work cannot be saved")
    func uncollected() async throws {
        let approval = try DataWorkflow(.approval).effect(entering: "Approved") { _ in Mail(to: "ada") }
        let machine = try StateMachine(approval, resumingIn: DataState("Review"))
        try machine.fire[named: "approve"]()
        let error = await #expect(throws: StoreError.self) {
            try await stored(approval).save(machine, as: "1", expecting: 0)
        }
        guard case .uncollectedEffects("1", "Approved") = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test("A table's migrations rename pending effects")
    func renamedEffects() async throws {
        let first = try DataWorkflow(.approval).effect(entering: "Review") { _ in Mail(to: "ada") }
        try await submit("1", to: "ada", in: first)
        let table = TransitionTable(
            "approval",
            version: 2,
            states: ["Draft", "Review"],
            initial: "Draft",
            events: [.init("submit", from: "Draft", to: "Review")]
        )
        .migrating(
            try JSONDecoder()
                .decode(
                    TransitionTable.MigrationStep.self,
                    from: Data(#"{"version": 2, "renameEffect": "Mail", "to": "Letter"}"#.utf8)
                )
        )
        #expect(try TransitionTable(json: JSONEncoder().encode(table)) == table)
        let second = try DataWorkflow(table).effect(entering: "Review") { _ in Letter(to: "bob") }
        let seconds = stored(second)
        let waiting = try #require(try await seconds.effects().first)
        #expect(try (waiting.effect(of: seconds.knownEffects) as? Letter)?.to == "ada")
        #expect(try await seconds.rehearseMigration().count == 1)
        let sent = Mutex<[String]>([])
        try await seconds.deliver(
            to: EffectHandlers().on(Letter.self) { letter, _ in sent.withLock { $0.append(letter.to) } }
        )
        #expect(sent.withLock { $0 } == ["ada"])
        #expect(try await seconds.effects().isEmpty)
    }

    @Test("A store's machines without their workflow stop the program, and say what to write")
    func missingWorkflow() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = InMemoryStore().workflow(DataWorkflow.self)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("`store.workflow(DataWorkflow.self, context: context)`"))
    }

    @Test("An effect of an unknown state is rejected")
    func unknownState() throws {
        let error = #expect(throws: InvalidTransition.self) {
            try DataWorkflow(.approval).effect(entering: "Aproved") { _ in Mail(to: "") }
        }
        #expect(error?.reason == .unknownState)
    }
}
