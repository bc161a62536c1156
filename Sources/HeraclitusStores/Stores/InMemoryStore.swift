import Heraclitus
package import HeraclitusEssentials

/// A store in memory: see ``Archive/inMemory()``.
package final class InMemoryStore: ArchiveStore {
    private let storage = Lock(Storage())

    package let bell: StoreBell? = StoreBell()

    fileprivate struct Storage {
        var archives: [ExactID: StoredArchive] = [:]

        /// The end of each claim of a due machine.
        var claims: [ExactID: Date] = [:]

        /// The largest deleted revision.
        ///
        /// New revisions are larger.
        var deleted = 0
    }

    package init() {}

    package func load(_ id: String) async -> StoredArchive? { storage.withLock { $0.archives[ExactID(id)] } }

    @discardableResult
    package func save(_ changes: [StoreChange]) async throws(StoreError) -> [Int] {
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

    package func ids(_ query: ArchiveQuery) async -> [String] {
        storage.withLock { query.ids(among: $0.archives.values) }
    }

    package func nextDate(_ query: ArchiveQuery, after date: Date) async -> Date? {
        storage.withLock { $0.archives.values.filter(query.includes).compactMap(query.date).filter { $0 > date }.min() }
    }

    package func claim(_ claim: StoreClaim) async -> [StoredArchive] { storage.withLock { $0.claim(claim) } }
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
