public import Foundation
import Heraclitus
public import HeraclitusStores
import Synchronization

/// Several stores of the same database, each of which does what comes next by turns.
public final class AlternatingStore: ArchiveStore {
    private let stores: [any ArchiveStore]
    private let turn = Atomic(0)

    /// Makes a store of several.
    public init(_ stores: [any ArchiveStore]) { self.stores = stores }

    private var next: any ArchiveStore {
        stores[turn.wrappingAdd(1, ordering: .relaxed).oldValue % stores.count]
    }

    /// Loads an archive with the next store.
    public func load(_ id: String) async throws -> StoredArchive? { try await next.load(id) }

    /// Saves an archive with the next store.
    @discardableResult
    public func save(_ archive: StoredArchive) async throws -> Int { try await next.save(archive) }

    /// Deletes an archive with the next store.
    @discardableResult
    public func delete(_ id: String, expecting revision: Int?) async throws -> Bool {
        try await next.delete(id, expecting: revision)
    }

    /// Lists with the next store.
    public func ids(of workflow: String?, in state: String?) async throws -> [String] {
        try await next.ids(of: workflow, in: state)
    }

    /// Lists with the next store.
    public func ids(dueBy date: Date, of workflow: String?) async throws -> [String] {
        try await next.ids(dueBy: date, of: workflow)
    }

    /// Lists with the next store.
    public func ids(of workflow: String?, in state: String?, after id: String?, limit: Int) async throws -> [String] {
        try await next.ids(of: workflow, in: state, after: id, limit: limit)
    }

    /// Loads with the next store.
    public func load(each ids: [String]) async throws -> [StoredArchive] { try await next.load(each: ids) }

    /// Saves with the next store.
    @discardableResult
    public func save(each archives: [StoredArchive]) async throws -> [Int?] { try await next.save(each: archives) }

    /// Saves with the next store.
    @discardableResult
    public func save(together archives: [StoredArchive]) async throws -> [Int] {
        try await next.save(together: archives)
    }

    /// Lists with the next store.
    public func ids(withEffectsBy date: Date, of workflow: String?, limit: Int) async throws -> [String] {
        try await next.ids(withEffectsBy: date, of: workflow, limit: limit)
    }

    /// Claims with the next store.
    public func claim(
        effectsBy date: Date,
        of workflow: String,
        limit: Int,
        _ change: @escaping @Sendable (_ archive: StoredArchive) throws -> StoredArchive?
    ) async throws -> [StoredArchive] {
        try await next.claim(effectsBy: date, of: workflow, limit: limit, change)
    }
}
