public import Foundation
public import HeraclitusStores
import Synchronization

/// Several stores of one database, which carry out calls in turn.
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

    /// Loads with the next store.
    public func load(_ ids: [String]) async throws -> [StoredArchive] { try await next.load(ids) }

    /// Saves with the next store.
    @discardableResult
    public func save(_ changes: [StoreChange]) async throws -> [Int] { try await next.save(changes) }

    /// Finds with the next store.
    public func ids(_ query: ArchiveQuery) async throws -> [String] { try await next.ids(query) }

    /// Counts with the next store.
    public func counts(_ query: ArchiveQuery) async throws -> [String: Int] { try await next.counts(query) }

    /// Looks for a date with the next store.
    public func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date? {
        try await next.nextDate(query, after: date)
    }

    /// Claims with the next store.
    public func claim(_ claim: StoreClaim) async throws -> [StoredArchive] { try await next.claim(claim) }
}
