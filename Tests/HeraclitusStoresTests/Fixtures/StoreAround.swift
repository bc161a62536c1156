import Heraclitus
import HeraclitusStores

@testable import Fixtures

/// A store around another one that changes some methods and uses the protocol's defaults for the rest.
protocol StoreAround: ArchiveStore {
    var inner: InMemoryStore { get }
}

extension StoreAround {
    func load(_ id: String) async throws -> StoredArchive? { await inner.load(id) }
    func save(_ changes: [StoreChange]) async throws -> [Int] { try await inner.save(changes) }
    func ids(_ query: ArchiveQuery) async throws -> [String] { await inner.ids(query) }
}

/// A store with the default implementations, also of claims, which leave machines unclaimed.
struct PlainStore: StoreAround {
    let inner = InMemoryStore()
}

/// A store without transactions.
struct SingleStore: StoreAround {
    let inner = InMemoryStore()

    func save(_ changes: [StoreChange]) async throws -> [Int] {
        if changes.count > 1 { throw StoreError.noTransactions(ids: changes.map(\.id)) }
        return try await inner.save(changes)
    }
}
