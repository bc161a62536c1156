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
