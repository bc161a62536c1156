import Heraclitus
import HeraclitusStores

/// A store that keeps archives in another one, and does some things in its own way.
protocol StoreAround: ArchiveStore {
    var inner: InMemoryStore { get }
}

extension StoreAround {
    func load(_ id: String) async throws -> StoredArchive? { await inner.load(id) }
    func save(_ archive: StoredArchive) async throws -> Int { try await inner.save(archive) }
    func delete(_ id: String, expecting revision: Int?) async throws -> Bool {
        try await inner.delete(id, expecting: revision)
    }
    func ids(of workflow: String?, in state: String?) async throws -> [String] {
        await inner.ids(of: workflow, in: state)
    }
}
