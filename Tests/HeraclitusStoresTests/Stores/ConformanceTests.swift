import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@Suite("Checks of what stores promise", .timeLimit(.minutes(20))) struct ConformanceTests {
    @Test("A store in memory keeps what stores promise")
    func inMemory() async throws {
        #expect(try await StoreConformance.failures { InMemoryStore() } == [])
    }

    /// A store of the methods without a default.
    private struct PlainStore: StoreAround {
        let inner = InMemoryStore()
    }

    @Test("A store of the three methods without a default keeps what stores promise")
    func plain() async throws {
        #expect(try await StoreConformance.failures { PlainStore() } == [])
    }

    /// A store without transactions.
    private struct SingleStore: StoreAround {
        let inner = InMemoryStore()

        func save(_ changes: [StoreChange]) async throws -> [Int] {
            if changes.count > 1 { throw StoreError.noTransactions(ids: changes.map(\.id)) }
            return try await inner.save(changes)
        }
    }

    @Test("A store that saves one machine at a time, and says so, keeps what stores promise")
    func withoutTransactions() async throws {
        #expect(try await StoreConformance.failures { SingleStore() } == [])
    }

    @Test("A store with a fault is told so by a check that is for it", arguments: FaultyStore.Fault.allCases)
    func faults(_ fault: FaultyStore.Fault) async throws {
        let failures = try await StoreConformance.failures { FaultyStore(fault) }
        #expect(
            failures.contains { failure in fault.checks.contains { failure.hasPrefix("\($0): ") } },
            "\(fault): \(failures)"
        )
    }
}
