import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Synchronization
import Testing

@testable import Fixtures

/// Machines of one or several workflows that are changed together.
@Suite("Units of work") struct UnitTests {
    final class StockedState: WorkflowState {
        let count: Int
        init(_ count: Int) { self.count = count }
        func taking(_ number: Int) throws -> StockedState {
            if number > count { throw SoldOut() }
            return StockedState(count - number)
        }
    }

    struct SoldOut: Error {}

    struct Stock: Workflow {
        static var initial: any WorkflowState { StockedState(3) }
        let take = Event(updating: StockedState.self)
    }

    final class CartState: EmptyState {}

    final class PlacedState: WorkflowState, Effecting {
        let item: String
        init(_ item: String) { self.item = item }
        var effects: [any Effect] { [Notice(item: item)] }
    }

    struct Notice: Effect {
        let item: String
    }

    struct Order: Workflow {
        static var initial: any WorkflowState { CartState() }
        static var effects: [any Effect.Type] { [Notice.self] }
        let place = Event(from: CartState.self, PlacedState.self, to: PlacedState.self)
    }

    struct Stop: Error {}

    private let store: any ArchiveStore = InMemoryStore()

    private func place(_ id: String, _ item: String = "tea", in store: (any ArchiveStore)? = nil) async throws {
        try await (store ?? self.store).unit { unit in
            let order = try await unit.machine(id, of: Order.self)
            let stock = try await unit.machine(item, of: Stock.self)
            try order.fire.place(PlacedState(item))
            try stock.fire.take { try $0.taking(1) }
        }
    }

    private func count(_ item: String = "tea", in store: (any ArchiveStore)? = nil) async throws -> Int? {
        let found = try await (store ?? self.store).workflow(Stock.self).machine(item)?.machine.state
        return (found as? StockedState)?.count
    }

    @Test("Machines of two workflows are saved with their effects, all or none", arguments: StoreTests.kinds)
    func twoWorkflows(kind: String) async throws {
        let kept = try StorePlace(kind)
        let store = kept.store
        for number in 1...3 { try await place("\(number)", in: store) }
        await #expect(throws: InvalidTransition.self) { try await place("4", in: store) }
        #expect(try await count(in: store) == 0)
        #expect(try await store.workflow(Order.self).ids(in: [PlacedState.self]) == ["1", "2", "3"])
        #expect(try await store.load("4") == nil)
        #expect(try await store.workflow(Order.self).effects().map(\.key.id).sorted() == ["1", "2", "3"])
        await #expect(throws: Stop.self) {
            try await store.unit { unit in
                try await unit.machine("5", of: Order.self).fire.place(PlacedState("tea"))
                throw Stop()
            }
        }
        #expect(try await store.load("5") == nil)
    }

    @Test(
        "Many concurrent units with two workflows make each change once",
        arguments: StoreTests.kinds
    )
    func atOnce(kind: String) async throws {
        let kept = try StorePlace(kind)
        let store = kept.store
        func made() -> StateMachine<Stock> { StateMachine(resumingIn: StockedState(100)) }
        try await store.workflow(Stock.self).update("tea", creating: made) { _ in }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask { for number in 0..<5 { try await place("\(task).\(number)", in: store) } }
            }
            try await group.waitForAll()
        }
        #expect(try await count(in: store) == 80)
        #expect(try await store.workflow(Order.self).effects().count == 20)
    }

    @Test("A unit begins again after one of its machines was changed, and reports its save once")
    func conflict() async throws {
        var (attempts, told) = (0, [Int]())
        let store = store
        try await store.unit { unit in
            attempts += 1
            let order = try await unit.machine("1", of: Order.self)
            let stock = try await unit.machine("tea", of: Stock.self)
            try order.fire.place(PlacedState("tea"))
            try order.fire.place(PlacedState("milk"))
            try stock.fire.take { try $0.taking(1) }
            if attempts < 3 { try await place("other \(attempts)") }
        } saved: { unit in
            told = [
                unit.transitions(of: "1").count, unit.transitions(of: "tea").count, unit.transitions(of: "x").count,
            ]
        }
        #expect(attempts == 3 && told == [2, 1, 0])
        #expect(try await count() == 0)
        #expect(try await store.workflow(Order.self).effects().filter { $0.key.id == "1" }.count == 2)
    }

    @Test("A unit with only conflicts gives up with the machine's id and the number of attempts")
    func tooManyConflicts() async throws {
        let store = store
        var attempts = 0
        let error = await #expect(throws: StoreError.self) {
            try await store.unit(attempts: 4) { unit in
                attempts += 1
                try await unit.machine("1", of: Order.self).fire.place(PlacedState("tea"))
                try await store.workflow(Order.self).update("1") { try $0.fire.place(PlacedState("milk")) }
            }
        }
        #expect(attempts == 4)
        guard case .tooManyConflicts("1", attempts: 4) = error else { throw error ?? StoreError.repeatedID("") }
    }

    /// A store in which every save meets a conflict.
    private struct ContestedStore: StoreAround {
        let inner = InMemoryStore()

        func save(_ changes: [StoreChange]) async throws -> [Int] {
            throw StoreError.conflict(id: changes[0].id, expected: 1, found: 2)
        }
    }

    @Test("A unit that only deletes gives up with the machine's id, too")
    func tooManyConflictsOfDeletion() async throws {
        let store = ContestedStore()
        try await place("1", in: store.inner)
        let error = await #expect(throws: StoreError.self) {
            _ = try await store.unit(attempts: 1) { try await $0.delete("1") }
        }
        guard case .tooManyConflicts("1", attempts: 1) = error else { throw error ?? StoreError.repeatedID("") }
    }

    @Test("A unit has one machine per id, also for two tasks, and rejects another workflow for the same id")
    func sameMachine() async throws {
        let store = store
        try await store.unit { unit in
            let order = try await unit.machine("1", of: Order.self)
            #expect(try await unit.machine("1", of: Order.self) === order)
            #expect(try await unit.machine("1", of: store.workflow(Order.self)) === order)
            let error = await #expect(throws: StoreError.self) { try await unit.machine("1", of: Stock.self) }
            guard case .repeatedID("1") = error else { throw error ?? StoreError.repeatedID("") }
            await #expect(throws: StoreError.self) {
                try await unit.machine("1", of: store.workflow(Order.self), once: "message")
            }
        }
        for round in 0..<20 {
            let id = "both \(round)"
            try await store.unit { unit in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for item in ["tea", "milk"] {
                        group.addTask { try await unit.machine(id, of: Order.self).fire.place(PlacedState(item)) }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(try await store.workflow(Order.self).machine(id)?.machine.revision == 2)
        }
    }

    @Test("Ids that differ only in their UTF-8 are two machines in a unit of work")
    func equivalent() async throws {
        try await store.unit { unit in
            for id in ["\u{E9}", "e\u{301}"] {
                try await unit.machine(id, of: Order.self).fire.place(PlacedState("tea"))
            }
        }
        #expect(try await store.ids().count == 2)
    }

    @Test("A deletion is saved together with the other changes of a unit", arguments: StoreTests.kinds)
    func deletion(kind: String) async throws {
        let kept = try StorePlace(kind)
        let store = kept.store
        try await place("1", in: store)
        try await place("2", in: store)
        await #expect(throws: Stop.self) {
            try await store.unit { unit in
                #expect(try await unit.delete("1"))
                throw Stop()
            }
        }
        #expect(try await store.load("1") != nil)
        try await store.unit { unit in
            _ = try await unit.machine("1", of: Order.self)
            #expect(try await unit.delete("1"))
            #expect(try await unit.delete("2"))
            #expect(try await !unit.delete("2"))
            #expect(try await !unit.delete("nothing"))
            for id in ["1", "2"] {
                await #expect(throws: StoreError.self) { try await unit.machine(id, of: Order.self) }
            }
            try await unit.machine("tea", of: Stock.self).fire.take(StockedState(7))
        }
        #expect(try await store.ids() == ["tea"])
        #expect(try await count(in: store) == 7)
        #expect(try await store.workflow(Order.self).effects().isEmpty)
    }

    @Test("A unit that deletes a concurrently changed machine begins again")
    func deletionConflict() async throws {
        let store = store
        try await place("1")
        var attempts = 0
        try await store.unit { unit in
            attempts += 1
            #expect(try await unit.delete("1"))
            if attempts == 1 { try await place("1") }
        }
        #expect(attempts == 2)
        #expect(try await store.load("1") == nil)
    }

    @Test("A machine that is made and deleted in a unit stays unsaved, and a unit of only that changes nothing")
    func madeAndDeleted() async throws {
        try await store.unit { unit in
            try await unit.machine("1", of: Order.self).fire.place(PlacedState("tea"))
            #expect(try await !unit.delete("1"))
        }
        #expect(try await store.ids() == [])
    }

    @Test("After its unit a machine declines fires, and the unit declines requests for machines")
    func ended() async throws {
        let store = store
        let (order, unit) = try await store.unit { unit in (try await unit.machine("1", of: Order.self), unit) }
        let error = #expect(throws: InvalidTransition.self) { try order.fire.place(PlacedState("tea")) }
        guard error?.reason == .declined, case StoreError.unitEnded("1")? = error?.underlyingError else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(order.isIn(CartState.self))
        for id in ["1", "2"] {
            await #expect(throws: StoreError.self) { try await unit.machine(id, of: Order.self) }
        }
        var failed: StateMachine<Order>?
        await #expect(throws: Stop.self) {
            try await store.workflow(Order.self).update("1") { order in
                failed = order
                throw Stop()
            }
        }
        #expect(throws: InvalidTransition.self) { try failed?.fire.place(PlacedState("tea")) }
    }

    /// Whether an error says that the unit of work has ended.
    private func isEnd(_ error: (any Error)?, of id: String) -> Bool {
        if case StoreError.unitEnded(id)? = error { true } else { false }
    }

    @Test(
        "During the closure `saved`, machines decline fires, and the unit declines requests",
        arguments: [true, false]
    )
    func endedBeforeSaved(isChange: Bool) async throws {
        let store = store
        try await place("1")
        var order: StateMachine<Order>?
        var isTold = false
        try await store.unit { unit in
            order = try await unit.machine("1", of: Order.self)
            if isChange { try order?.fire.place(PlacedState("milk")) }
        } saved: { unit in
            isTold = true
            let fired = #expect(throws: InvalidTransition.self) { try order?.fire.place(PlacedState("coffee")) }
            #expect(fired?.reason == .declined && isEnd(fired?.underlyingError, of: "1"))
            for id in ["1", "2"] {
                let requested = await #expect(throws: StoreError.self) { try await unit.machine(id, of: Order.self) }
                let deleted = await #expect(throws: StoreError.self) { try await unit.delete(id) }
                #expect(isEnd(requested, of: id) && isEnd(deleted, of: id))
            }
            #expect(unit.transitions(of: "1").count == (isChange ? 1 : 0))
        }
        #expect(isTold && order?.isIn(PlacedState.self) == true)
        // The store has what the first closure has made.
        let placed = try await store.workflow(Order.self).machine("1")?.machine.state as? PlacedState
        #expect(placed?.item == (isChange ? "milk" : "tea"))
        let items: [JSONValue?] = isChange ? ["tea", "milk"] : ["tea"]
        #expect(try await store.workflow(Order.self).effects().map { $0.data["item"] } == items)
        #expect(try await store.load("1")?.revision == (isChange ? 2 : 1))
        #expect(try await store.load("2") == nil)
    }

    @Test("A failed unit of work releases its machines")
    func failed() async throws {
        struct Observed { weak var machine: StateMachine<Order>? }
        var observed: [Observed] = []
        await #expect(throws: Stop.self) {
            try await store.unit { unit in
                for id in ["1", "2"] {
                    let machine = try await unit.machine(id, of: Order.self)
                    observed.append(Observed(machine: machine))
                    try machine.fire.place(PlacedState("tea"))
                }
                throw Stop()
            }
        }
        #expect(observed.count == 2 && observed.allSatisfy { $0.machine == nil })
    }

    /// A store in which two machines change after the first of them was loaded.
    private final class BusyStore: StoreAround {
        let inner = InMemoryStore()
        private let loads = Atomic(0)

        func load(_ id: String) async throws -> StoredArchive? {
            if id == "2", loads.wrappingAdd(1, ordering: .relaxed).newValue == 3 {
                try await inner.unit { unit in
                    for id in ["1", "2"] { try await unit.machine(id, of: Stock.self).fire.take(StockedState(9)) }
                }
            }
            return await inner.load(id)
        }
    }

    @Test(
        "A unit's machines are of one moment when it decides, also if it throws",
        arguments: [true, false]
    )
    func moment(isThrowing: Bool) async throws {
        let store = BusyStore()
        for _ in 1...2 {
            try await store.unit { unit in
                for id in ["1", "2"] { try await unit.machine(id, of: Stock.self).fire.take(StockedState(5)) }
            }
        }
        let counts = try await store.unit { unit in
            var counts: [Int?] = []
            for id in ["1", "2"] {
                counts.append((try await unit.machine(id, of: Stock.self).state as? StockedState)?.count)
            }
            if isThrowing, counts[0] != counts[1] { throw Stop() }
            return counts
        }
        #expect(counts == [9, 9])
    }

    @Test("A unit of several machines fails in a store without transactions, and changes nothing")
    func noTransactions() async throws {
        let store = SingleStore()
        let error = await #expect(throws: StoreError.self) { try await place("1", in: store) }
        guard case .noTransactions(["1", "tea"]) = error else { throw error ?? StoreError.repeatedID("") }
        #expect(try await store.ids() == [])
        try await store.workflow(Order.self).update("1") { try $0.fire.place(PlacedState("tea")) }
        #expect(try await store.ids() == ["1"])
    }

    @Test("Deliveries of effects during a unit are no conflict, and both keep their changes")
    func effectsMeanwhile() async throws {
        let store = store
        let orders = store.workflow(Order.self)
        try await place("1")
        var attempts = 0
        try await orders.update("1") { order in
            attempts += 1
            try order.fire.place(PlacedState("milk"))
            let report = try await orders.deliver(to: EffectHandlers().on(Notice.self) { _, _ in })
            #expect(report.count == 1)
        }
        #expect(attempts == 1)
        #expect(try await orders.effects().map { $0.data["item"] } == ["milk"])
        #expect(try await orders.effects().map(\.key.index).count == 1)
    }

    // MARK: In the caller's transaction

    /// A transaction on a copy of rows, which the caller commits.
    private final class Transaction: StoreTransaction {
        var rows: [String: StoredArchive]
        init(_ rows: [String: StoredArchive]) { self.rows = rows }

        func load(_ id: String) throws -> StoredArchive? { rows[id] }

        func save(_ changes: [StoreChange]) throws -> [Int] {
            try changes.map { change in
                rows[change.id] = try change.applied(to: rows[change.id], after: 0)
                return rows[change.id]?.revision ?? 0
            }
        }
    }

    @Test(
        "A caller's transaction changes, creates and deletes machines of two workflows, and remembers messages"
    )
    func transaction() throws {
        let transaction = Transaction([:])
        let clock = ManualClock()
        let store = InMemoryStore()
        let orders = store.workflow(Order.self, scheduler: clock.scheduler)
        var kept: StateMachine<Order>?
        for round in 0..<2 {
            let count = try transaction.unit { unit in
                let order = try unit.machine("1", of: orders, once: "message")
                #expect((order == nil) == (round == 1))
                try order?.fire.place(PlacedState("tea"))
                let stock = try unit.machine("tea", of: Stock.self)
                #expect(try unit.machine("tea", of: Stock.self) === stock)
                try stock.fire.take { try $0.taking(1) }
                #expect(unit.transitions(of: "tea").count == 1)
                kept = order ?? kept
                return (stock.state as? StockedState)?.count
            }
            #expect(count == 2 - round)
        }
        #expect(transaction.rows["1"]?.effects != nil && transaction.rows["1"]?.entered == clock.date)
        #expect(throws: InvalidTransition.self) { try kept?.fire.place(PlacedState("tea")) }
        #expect(throws: Stop.self) {
            try transaction.unit { unit in
                try unit.machine("2", of: Order.self).fire.place(PlacedState("tea"))
                throw Stop()
            }
        }
        #expect(transaction.rows.keys.sorted() == ["1", "tea"])
        let deleted = try transaction.unit { unit in
            let deleted = [try unit.delete("1"), try unit.delete("1"), try unit.delete("nothing")]
            #expect(throws: StoreError.self) { try unit.machine("1", of: Order.self) }
            return deleted
        }
        #expect(deleted == [true, false, false])
        #expect(transaction.rows.keys.sorted() == ["tea"])
    }

    @Test("After its closure, a unit in the caller's transaction declines requests and deletions")
    func transactionEnded() throws {
        let transaction = Transaction([:])
        let unit = try transaction.unit { unit in
            try unit.machine("1", of: Order.self).fire.place(PlacedState("tea"))
            return unit
        }
        for id in ["1", "2"] {
            let requested = #expect(throws: StoreError.self) { try unit.machine(id, of: Order.self) }
            let deleted = #expect(throws: StoreError.self) { try unit.delete(id) }
            #expect(isEnd(requested, of: id) && isEnd(deleted, of: id))
        }
        #expect(transaction.rows.keys.sorted() == ["1"])
    }
}
