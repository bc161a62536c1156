import Foundation
import Heraclitus
import HeraclitusStores
import Synchronization
import Testing

private final class QueuedState: WorkflowState {
    static var name: String { "Queued" }
    let urls: [String]
    init(urls: [String] = []) { self.urls = urls }
}

private final class DoneState: EmptyState {}

private final class MailedState: WorkflowState, Effecting {
    let address: Address
    init(_ address: Address) { self.address = address }
    var effects: [any Effect] { [SendMail(address: address, subject: "Thank you")] }
}

private struct Address: Codable, Sendable {
    let lines: [String]
}

private struct SendMail: Effect {
    let address: Address
    let subject: String
}

private struct Order: Workflow {
    static var initial: any WorkflowState { QueuedState() }
    let finish = Event(from: QueuedState.self, to: DoneState.self)
    static var version: Int { 3 }
    static var migrations: [Migration] {
        [
            .state("Waiting", becomes: "Queued", in: 2),
            .step("one url becomes a list", in: 2) { archive in
                guard let url = archive.data["url"] else { return }
                archive.data["urls"] = [url]
                archive.data["url"] = nil
            },
            .state("Paused", becomes: "Queued", in: 3),
        ]
    }
}

private final class SettledState: EmptyState {
    static var name: String { "Settled" }
}

private final class InArrearsState: WorkflowState {
    static var name: String { "InArrears" }
    let missing: Double
    init(missing: Double) { self.missing = missing }
}

/// A bill whose first version had one state `Paid` with a missing amount.
private struct Bill: Workflow {
    static var initial: any WorkflowState { SettledState() }
    let pay = Event(from: InArrearsState.self, to: SettledState.self)
    static var version: Int { 2 }
    static var migrations: [Migration] {
        [
            .step("paid orders are settled, or in arrears", in: 2, of: "Paid") { archive in
                let isSettled = archive.data["missing"]?.doubleValue == 0
                archive.state = isSettled ? "Settled" : "InArrears"
                if isSettled { archive.data["missing"] = nil }
            }
        ]
    }
}

/// A shop whose first version sent letters without a subject, to addresses of one line.
private struct Shop: Workflow {
    static var initial: any WorkflowState { DoneState() }
    static var effects: [any Effect.Type] { [SendMail.self] }
    let mail = Event(from: DoneState.self, to: MailedState.self)
    static var version: Int { 2 }
    static var migrations: [Migration] {
        [
            .effect("SendLetter", becomes: "SendMail", in: 2),
            .effect("SendMail", in: 2) { data in data["subject"] = "Thank you" },
            .values(under: "address", in: 2) { address in address = ["lines": [address]] },
        ]
    }
}

@Suite("Migrating and rolling out") struct MigratingArticleTests {
    @Test(
        "The article's migrations upgrade every version",
        arguments: [
            (1, "Waiting", #"{"url":"a"}"#), (2, "Paused", #"{"urls":["a"]}"#), (3, "Queued", #"{"urls":["a"]}"#),
        ]
    )
    func migrations(version: Int, state: String, data: String) throws {
        #expect(Order.diagnostics.isEmpty)
        let archive = """
            {"activated":true,"data":\(data),"format":1,"revision":0,"state":"\(state)","version":\(version),"workflow":"Order"}
            """
        let machine = try StateMachine<Order>(archive: Data(archive.utf8))
        #expect((machine.state as? QueuedState)?.urls == ["a"])
    }

    @Test(
        "The article's step splits a state, and keeps the other states",
        arguments: [(0.0, "Paid", "Settled"), (2.5, "Paid", "InArrears"), (0, "InArrears", "InArrears")]
    )
    func splitting(missing: Double, state: String, expected: String) throws {
        #expect(Bill.diagnostics.isEmpty)
        let archive = """
            {"activated":true,"data":{"missing":\(missing)},"format":1,"revision":0,"state":"\(state)","version":1,"workflow":"Bill"}
            """
        let machine = try StateMachine<Bill>(archive: Data(archive.utf8))
        #expect(machine.stateName == expected)
        #expect((machine.state as? InArrearsState).map { $0.missing == missing } ?? true)
    }

    @Test("A type shared by states is migrated in all of them, and effects have their own steps")
    func shared() throws {
        #expect(Shop.diagnostics.isEmpty)
        let archive = """
            {"activated":true,"data":{"address":"1 Main St"},"format":1,"revision":1,"state":"MailedState","version":1,"workflow":"Shop"}
            """
        let machine = try StateMachine<Shop>(archive: Data(archive.utf8))
        #expect((machine.state as? MailedState)?.address.lines == ["1 Main St"])
    }

    @Test("A store's migration is rehearsed, and the store is upgraded")
    func stored() async throws {
        let store = Archive.inMemory()
        try await store.workflow(Order.self).update("42") { _ in }
        let rehearsal = try await store.workflow(Order.self).rehearseMigration()
        for failure in rehearsal.failures { print(failure.id, failure.error) }
        let orders = store.workflow(Order.self)
        let upgrade = try await orders.upgrade { print("\($0.count) upgraded, up to \($0.lastID ?? "")") }
        for failure in upgrade.failures { print(failure.id, failure.error) }
        #expect(rehearsal.count == 1 && rehearsal.failures.isEmpty)
        #expect(upgrade.lastID == "42" && upgrade.failures.isEmpty)
    }
}
