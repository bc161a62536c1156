import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Checks of store promises", .timeLimit(.minutes(20))) struct ConformanceTests {
    @Test("A store in memory keeps the promises of stores")
    func inMemory() async throws {
        #expect(try await StoreConformance.failures { InMemoryStore() } == [])
    }

    @Test("A store with only the three required methods keeps the promises of stores")
    func plain() async throws {
        #expect(try await StoreConformance.failures { PlainStore() } == [])
    }

    @Test("A store without transactions that throws for several machines keeps the promises of stores")
    func withoutTransactions() async throws {
        #expect(try await StoreConformance.failures { SingleStore() } == [])
    }

    /// A store that rejects several changes of one machine before it looks at the machine.
    private struct DistinctStore: ArchiveStore {
        private let inner = InMemoryStore()

        func load(_ id: String) async throws -> StoredArchive? { await inner.load(id) }

        func save(_ changes: [StoreChange]) async throws -> [Int] {
            var ids: Set<[UInt8]> = []
            for change in changes where !ids.insert(Array(change.id.utf8)).inserted {
                throw StoreError.conflict(id: change.id, expected: 0, found: 0)
            }
            return try await inner.save(changes)
        }

        func ids(_ query: ArchiveQuery) async throws -> [String] { await inner.ids(query) }
    }

    @Test("A store that rejects several changes of one machine at once keeps the promises of stores")
    func distinct() async throws {
        #expect(try await StoreConformance.failures { DistinctStore() } == [])
    }

    @Test("A report tells deletions from saves")
    func deletions() async throws {
        let failures = try await StoreConformance.failures { FaultyStore(.throwsAnother) }
        #expect(failures.contains { $0.hasPrefix("conflicts: a save of 1 expecting revision 1 with 0 stored threw") })
        #expect(
            failures.contains { $0.hasPrefix("deleting: a deletion of 1 expecting revision 3 with 0 stored threw") }
        )
    }

    @Test("A check finds each faulty store", arguments: FaultyStore.Fault.allCases)
    func faults(_ fault: FaultyStore.Fault) async throws {
        let failures = try await StoreConformance.failures { FaultyStore(fault) }
        #expect(
            failures.contains { failure in fault.checks.contains { failure.hasPrefix("\($0): ") } },
            "\(fault): \(failures)"
        )
    }
}
