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
private final class PaidState: EmptyState {}
private final class ShippedState: WorkflowState {
    let tracking: String
    init(tracking: String) { self.tracking = tracking }
}

private struct Order: Workflow {
    static var initial: any WorkflowState { CartState() }
    let place = Event(from: CartState.self, to: PlacedState.self)
    let pay = Event(from: PlacedState.self, to: PaidState.self)
    let ship = Event(from: PlacedState.self, PaidState.self, to: ShippedState.self)
}

private final class TimedOutState: WorkflowState {
    let seconds: Int
    init(after seconds: Int) { self.seconds = seconds }
}

/// Stands for a store of the reader's, which opens a database.
private struct DatabaseStore: ArchiveStore {
    private let store: any ArchiveStore = InMemoryStore()

    init() async throws { try await Task.sleep(for: .zero) }

    func load(_ id: String) async throws -> StoredArchive? { try await store.load(id) }

    func save(_ changes: [StoreChange]) async throws -> [Int] { try await store.save(changes) }

    func ids(_ query: ArchiveQuery) async throws -> [String] { try await store.ids(query) }
}

@Suite("Keeping machines in a store") struct KeepingArticleTests {
    @Test("The article's store is used as it says")
    func used() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let logged = Mutex<[String]>([])
        func log(_ transition: StateTransition) { logged.withLock { $0.append("\(transition)") } }
        let store = try DirectoryStore(at: folder)
        let orders = store.workflow(Order.self)

        try await orders.update("42") { order in
            try order.fire.place { cart in PlacedState(cart.items) }
        } saved: { transitions in
            for transition in transitions { log(transition) }
        }
        #expect(logged.withLock { $0 } == ["place: CartState → PlacedState"])
        if let (order, revision) = try await orders.machine("42") {
            try order.fire.ship(ShippedState(tracking: "T1"))
            try await orders.save(order, as: "42", expecting: revision)
        }
        let open = try await orders.ids(in: [PaidState.self])
        try await store.delete("42")
        #expect(open == [])
        let ids = try await store.ids()
        #expect(ids == [])
    }

    @Test("Listings come in pages, and stores are upgraded, as the article says")
    func many() async throws {
        let orders = InMemoryStore().workflow(Order.self)
        for id in 0..<3 { try await orders.save(StateMachine<Order>(), as: "\(id)", expecting: 0) }
        let printed = Mutex<[String]>([])
        func print(_ text: String) { printed.withLock { $0.append(text) } }
        var last: String?
        repeat {
            let page = try await orders.ids(after: last, limit: 1_000)
            for id in page { print(id) }
            last = page.last
        } while last != nil

        try await orders.upgrade { print("\($0.examined) orders, \($0.upgraded) upgraded") }
        #expect(printed.withLock { $0 } == ["0", "1", "2", "3 orders, 0 upgraded"])
    }

    @Test func store() async throws {
        let failures = try await StoreConformance.failures { try await DatabaseStore() }
        #expect(failures == [])
    }

    @Test func states() throws {
        try expectArchives(TimedOutState(after: 3))
    }
}
