import Heraclitus
import HeraclitusStores
import Synchronization
import Testing

@testable import Fixtures

@Suite("Units of work with several tasks and many machines", .timeLimit(.minutes(10))) struct UnitLoadTests {
    private func place(_ id: String, in store: PairedStore) async throws {
        try await store.inner.workflow(UnitTests.Order.self).update(id) { order in
            try order.fire.place(UnitTests.PlacedState("tea"))
        }
    }

    /// A store whose first two loads wait for one another, and whose second load may wait longer.
    private final class PairedStore: StoreAround {
        let inner = InMemoryStore()
        let loads = Atomic(0)
        let holdsSecond = Atomic(false)

        func load(_ id: String) async throws -> StoredArchive? {
            let number = loads.add(1, ordering: .relaxed).newValue
            while loads.load(ordering: .relaxed) < 2 { await Task.yield() }
            while number == 2, holdsSecond.load(ordering: .acquiring) { await Task.yield() }
            return await inner.load(id)
        }
    }

    @Test("A machine that two tasks of a unit delete is deleted once")
    func deletedTwice() async throws {
        let store = PairedStore()
        try await place("1", in: store)
        let deleted = try await store.unit(attempts: 1) { unit in
            async let first = unit.delete("1")
            async let second = unit.delete("1")
            return try await [first, second]
        }
        #expect(deleted.count { $0 } == 1)
        #expect(await store.inner.load("1") == nil)
    }

    @Test("A machine that a task of a unit loads while another deletes it is refused")
    func loadedBesideDeletion() async throws {
        let store = PairedStore()
        try await place("1", in: store)
        store.holdsSecond.store(true, ordering: .releasing)
        let error = await #expect(throws: StoreError.self) {
            try await store.unit(attempts: 1) { unit in
                async let deleted = unit.delete("1")
                while store.loads.load(ordering: .relaxed) == 0 { await Task.yield() }
                async let order = unit.machine("1", of: UnitTests.Order.self)
                #expect(try await deleted)
                store.holdsSecond.store(false, ordering: .releasing)
                _ = try await order
            }
        }
        guard case .repeatedID("1") = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A unit takes time linear in its machines")
    func manyMachines() async throws {
        func time(_ count: Int) async throws -> Duration {
            let store = InMemoryStore()
            let start = ContinuousClock.now
            try await store.unit { unit in
                for number in 0..<count { _ = try await unit.machine("\(number)", of: UnitTests.Order.self) }
            }
            return ContinuousClock.now - start
        }
        _ = try await time(100)
        #expect(try await time(4_000) < time(500) * 30)
    }
}
