import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Synchronization
import Testing

private final class CartState: EmptyState {
    var items: [String] { ["tea"] }
}
private final class PlacedState: WorkflowState {
    let items: [String]
    init(_ items: [String]) { self.items = items }
}
private final class PaidState: WorkflowState, Findable {
    let buyer: String
    let total: Double
    var foundBy: [String: StoredValue] { ["buyer": .text(buyer), "total": .number(total)] }

    init(buyer: String, total: Double) {
        self.buyer = buyer
        self.total = total
    }
}
private final class ShippedState: WorkflowState {
    let tracking: String
    init(tracking: String) { self.tracking = tracking }
}

private struct Order: Workflow {
    static var initial: any WorkflowState { CartState() }
    let place = Event(from: CartState.self, to: PlacedState.self)
    let pay = Event(from: CartState.self, PlacedState.self, to: PaidState.self)
    let ship = Event(from: PlacedState.self, PaidState.self, to: ShippedState.self)
}

private final class AvailableState: WorkflowState {
    let count: Int
    init(count: Int) { self.count = count }
}

private struct Stock: Workflow {
    static var initial: any WorkflowState { AvailableState(count: 10) }
    let take = Event(updating: AvailableState.self)
}

private final class OpenState: EmptyState {}
private final class ClosedState: EmptyState {}

private struct Bill: Workflow {
    static var initial: any WorkflowState { OpenState() }
    static var journal: Int { 100 }
    let pay = Event(from: OpenState.self, to: ClosedState.self)
}

private struct TooLate: Error {}

private struct Offer: Workflow {
    static var initial: any WorkflowState { OpenState() }
    let accept = Event(from: OpenState.self, to: ClosedState.self)
        .guarded { _, _, transition in
            let deadline = transition.machine(as: Offer.self)?.nextDeadline
            if let deadline, transition.now >= deadline { throw TooLate() }
        }
    let lapse = Event(from: OpenState.self, to: DoneState.self).due(after: .seconds(60))
}

private struct Server: Sendable {
    /// The numbers of bytes that an upload has sent.
    let progress = [256, 512]
}

private final class UploadingState: WorkflowState, Working {
    let sent: Int
    init(sent: Int) { self.sent = sent }

    func work(_ call: WorkCall<Upload>) async throws {
        for count in call.context.progress where count > sent {
            try call.fire.progress { _ in UploadingState(sent: count) }
        }
        try call.fire.finish()
    }
}

private final class DoneState: EmptyState {}

private struct Upload: Workflow {
    typealias Context = Server
    static var initial: any WorkflowState { UploadingState(sent: 0) }
    let progress = Event(updating: UploadingState.self)
    let finish = Event(from: UploadingState.self, to: DoneState.self)
}

private struct Notice: Sendable {
    let id = "n1"
    let buyer = "bob"
    let total = 3.0
}

@Suite("Keeping machines in a store") struct KeepingArticleTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    @Test("The article's code uses a store")
    func used() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let logged = Mutex<[String]>([])
        func log(_ transition: StateTransition) { logged.withLock { $0.append("\(transition)") } }
        let store = try Archive.directory(at: folder)
        let orders = store.workflow(Order.self)

        try await orders.update("42") { order in
            try order.fire.place { cart in PlacedState(cart.items) }
        } saved: { transitions in
            for transition in transitions { log(transition) }
        }
        #expect(logged.withLock { $0 } == ["place: CartState → PlacedState"])

        try await store.unit { unit in
            let order = try await unit.machine("42", of: orders)
            let tea = try await unit.machine("tea", of: store.workflow(Stock.self))
            try tea.fire.take { stock in AvailableState(count: stock.count - 2) }
            try order.fire.pay(PaidState(buyer: "ada", total: 9))
        }
        #expect((try await store.workflow(Stock.self).machine("tea")?.machine.state as? AvailableState)?.count == 8)

        let notice = Notice()
        for _ in 1...2 {
            try await orders.update("43", once: notice.id) { order in
                try order.fire.pay(PaidState(buyer: notice.buyer, total: notice.total))
            }
        }

        let printed = Mutex<[String]>([])
        @Sendable func print(_ words: Any...) {
            printed.withLock { $0.append(words.map { "\($0)" }.joined(separator: " ")) }
        }
        let hers = try await orders.ids(
            in: [PaidState.self],
            where: .equal("buyer", .text("ada")),
            .greaterOrEqual("total", .number(5))
        )
        let counts = try await orders.counts()
        for try await (id, order) in orders.machines(in: [PaidState.self]) { print(id, order.stateName) }
        #expect(hers == ["42"] && counts == ["PaidState": 2])
        #expect(printed.withLock { $0 } == ["42 PaidState", "43 PaidState"])

        let report = try await orders.fireDue()
        print("\(report.count) tried, \(report.failureCount) failed")
        if let (order, revision) = try await orders.machine("43") {
            try order.fire.ship(ShippedState(tracking: "T1"))
            try await orders.save(order, as: "43", expecting: revision)
        }
        try await store.delete("43")
        #expect(printed.withLock { $0.last } == "0 tried, 0 failed")
    }

    @Test("In a unit of work, a guard compares the date with the deadline of the state")
    func late() async throws {
        let clock = ManualClock()
        let offers = Archive.inMemory().workflow(Offer.self, scheduler: clock.scheduler)
        for id in ["1", "2"] {
            try await offers.update(id) { offer in offer.activate() }
        }
        await clock.advance(by: .seconds(59))
        try await offers.update("1") { offer in try offer.fire.accept() }
        await clock.advance(by: .seconds(1))
        await #expect(throws: InvalidTransition.self) {
            try await offers.update("2") { offer in try offer.fire.accept() }
        }
        #expect(try await offers.ids(in: [ClosedState.self]) == ["1"])
        #expect(try await offers.ids(in: [OpenState.self]) == ["2"])
    }

    @Test("A process does the work of a stored machine, and saves each state", .timeLimit(.minutes(20)))
    func work() async throws {
        let (store, server) = (Archive.inMemory(), Server())
        let uploads = store.workflow(Upload.self, context: server)
        try await uploads.update("44") { upload in upload.activate() }
        try await upload(in: store, uploads, to: server)
        #expect(try await uploads.counts() == ["DoneState": 1])
    }

    private func upload(
        in store: any ArchiveStore,
        _ uploads: StoredWorkflow<Upload>,
        to server: Server
    ) async throws {
        guard let stored = try await store.load("44") else { return }
        let upload = try StateMachine<Upload>(archive: stored.archive, context: server)
        var revision = stored.revision
        let states = upload.states()
        upload.activate()  // begins the work
        for await state in states {
            revision = try await uploads.save(upload, as: "44", expecting: revision)
            if state is DoneState { break }
        }
    }

    @Test("A journal file beside the store has the lines of all journals")
    func journals() async throws {
        let log = folder.appendingPathComponent("journal.jsonl")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try Archive.directory(at: folder).journaled(in: JournalFile(at: log))
        try await store.workflow(Bill.self).update("42") { bill in try bill.fire.pay() }

        for try await line in JournalFile(at: log).lines {
            switch line.result {
            case .success(let entry): print(entry.id, entry.occurrence)
            case .failure(let error): print("line \(line.number): \(error)")
            }
        }
        let journal = try await JournalFile(at: log).journal(of: "42")
        #expect(journal.map(\.kind) == [.transitioned])
    }

    @Test("A worker runs until its task is cancelled")
    func worker() async throws {
        let store = Archive.inMemory()
        let orders = store.workflow(Order.self)
        let handlers = EffectHandlers()
        @Sendable func log(_ error: any Error) { Issue.record(error) }
        let worker = Task {
            try await store.run(orders, to: handlers) { failure in log(failure.error) }
        }
        worker.cancel()
        await #expect(throws: CancellationError.self) { try await worker.value }
    }
}
