import Heraclitus
public import HeraclitusEssentials

/// A store in memory, for tests and previews.
public final class InMemoryStore: ArchiveStore {
    private let storage = Lock(Storage())

    /// Rings after each save.
    public let bell: StoreBell? = StoreBell()

    fileprivate struct Storage {
        var archives: [ExactID: StoredArchive] = [:]

        /// The end of each claim of a due machine.
        var claims: [ExactID: Date] = [:]

        /// The largest deleted revision.
        ///
        /// New revisions are larger.
        var deleted = 0
    }

    /// Makes an empty store.
    public init() {}

    /// Loads the archive of an id.
    /// - Parameter id: Any text.
    /// - Returns: The archive; `nil` if the id is unknown.
    public func load(_ id: String) async -> StoredArchive? { storage.withLock { $0.archives[ExactID(id)] } }

    /// Saves all changes in one transaction.
    /// - Parameter changes: The changes.
    /// - Returns: The stored revision of each change.
    /// - Throws: ``StoreError/conflict(id:expected:found:)``; ``StoreError/effectsChanged(id:)``.
    @discardableResult
    public func save(_ changes: [StoreChange]) async throws(StoreError) -> [Int] {
        let revisions = try storage.withLock { storage throws(StoreError) in
            // A single change throws before it changes anything.
            if changes.count == 1 { return [try storage.make(changes[0])] }
            // A failed change discards the copy.
            var changed = storage
            var revisions: [Int] = []
            for change in changes { revisions.append(try changed.make(change)) }
            storage = changed
            return revisions
        }
        bell?.ring()
        return revisions
    }

    /// Finds machines.
    /// - Parameter query: The machines to find.
    /// - Returns: The ids, in the order that stores promise.
    public func ids(_ query: ArchiveQuery) async -> [String] {
        storage.withLock { query.ids(among: $0.archives.values) }
    }

    /// The date at which the next machine waits for a worker.
    /// - Parameters:
    ///   - query: The machines, in a queue.
    ///   - date: The earliest date, excluded.
    /// - Returns: The date; `nil` if no machine waits after `date`.
    public func nextDate(_ query: ArchiveQuery, after date: Date) async -> Date? {
        storage.withLock { $0.archives.values.filter(query.includes).compactMap(query.date).filter { $0 > date }.min() }
    }

    /// Claims machines for a worker, all at once.
    /// - Parameter claim: The machines, and the end of the claim.
    /// - Returns: The archives.
    public func claim(_ claim: StoreClaim) async -> [StoredArchive] { storage.withLock { $0.claim(claim) } }
}

extension InMemoryStore.Storage {
    fileprivate mutating func make(_ change: StoreChange) throws(StoreError) -> Int {
        let id = ExactID(change.id)
        let stored = archives[id]
        let row = try change.applied(to: stored, after: deleted)
        archives[id] = row
        if row == nil { deleted = max(deleted, stored?.revision ?? 0) }
        if row?.revision != stored?.revision { claims[id] = nil }
        return row?.revision ?? stored?.revision ?? 0
    }

    fileprivate mutating func claim(_ claim: StoreClaim) -> [StoredArchive] {
        switch claim.query.queue {
        case .due?, nil:
            let free = archives.values.filter { claims[ExactID($0.id)].map { $0 <= claim.now } ?? true }
            let ids = claim.query.ids(among: free).map(ExactID.init)
            for id in ids { claims[id] = claim.end }
            return ids.compactMap { archives[$0] }
        case .effects?:
            return claim.query.ids(among: archives.values).map(ExactID.init).compactMap { id in
                guard let leased = archives[id].flatMap(claim.leased) else { return nil }
                archives[id]?.effects = leased
                return archives[id]
            }
        }
    }
}
