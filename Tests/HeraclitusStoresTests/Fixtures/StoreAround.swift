import Heraclitus
import HeraclitusStores

/// A store that keeps archives in another one, and does some things in its own way; the rest is as the protocol's defaults do it.
protocol StoreAround: ArchiveStore {
    var inner: InMemoryStore { get }
}

extension StoreAround {
    func load(_ id: String) async throws -> StoredArchive? { await inner.load(id) }
    func save(_ changes: [StoreChange]) async throws -> [Int] { try await inner.save(changes) }
    func ids(_ query: ArchiveQuery) async throws -> [String] { await inner.ids(query) }
}
