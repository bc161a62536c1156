import Heraclitus

/// A store in memory, for tests and previews.
public final class InMemoryStore: ArchiveStore {
    private let storage = Lock(Storage())

    fileprivate struct Storage {
        var archives: [ExactID: StoredArchive] = [:]

        /// The largest revision of what was deleted, which what is new comes after.
        var deleted = 0
    }

    /// Makes an empty store.
    public init() {}

    /// Loads the archive that is stored for an id.
    /// - Parameter id: Any text.
    /// - Returns: The archive; `nil` if nothing is stored.
    public func load(_ id: String) async -> StoredArchive? { storage.withLock { $0.archives[ExactID(id)] } }

    /// Stores an archive, which replaces the one with its revision.
    /// - Parameter archive: The archive.
    /// - Returns: The new revision.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if another revision is stored.
    @discardableResult
    public func save(_ archive: StoredArchive) async throws(StoreError) -> Int {
        try storage.withLock { storage throws(StoreError) in
            try storage.save(archive)
        }
    }

    /// Stores several archives, or none of them.
    /// - Parameter archives: The archives.
    /// - Returns: The new revisions in the order of the archives.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` of the first whose revision is not stored.
    @discardableResult
    public func save(together archives: [StoredArchive]) async throws(StoreError) -> [Int] {
        try storage.withLock { storage throws(StoreError) in
            var changed = storage
            var revisions: [Int] = []
            for archive in archives { revisions.append(try changed.save(archive)) }
            storage = changed
            return revisions
        }
    }

    /// Deletes the stored archive.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The revision to delete; `nil` for any.
    /// - Returns: Whether there was an archive.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if another revision is stored.
    @discardableResult
    public func delete(_ id: String, expecting revision: Int? = nil) async throws(StoreError) -> Bool {
        try storage.withLock { storage throws(StoreError) in
            if let revision { try storage.expect(revision, of: id) }
            guard let archive = storage.archives.removeValue(forKey: ExactID(id)) else { return false }
            storage.deleted = max(storage.deleted, archive.revision)
            return true
        }
    }

    /// Finds the ids of all archives, or of those of a workflow, or of those in a state.
    /// - Parameters:
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - state: The name of the state; `nil` for any.
    /// - Returns: The ids, sorted by their UTF-8.
    public func ids(of workflow: String?, in state: String?) async -> [String] {
        storage.withLock { storage in
            storage.archives.values.filter { archive in
                (workflow ?? archive.workflow) == archive.workflow && (state ?? archive.state) == archive.state
            }
            .map(\.id).sortedByUTF8()
        }
    }
}

extension InMemoryStore.Storage {
    fileprivate mutating func save(_ archive: StoredArchive) throws(StoreError) -> Int {
        try expect(archive.revision, of: archive.id)
        let revision = (archive.revision == 0 ? deleted : archive.revision) + 1
        archives[ExactID(archive.id)] = archive.with(revision: revision)
        return revision
    }

    fileprivate func expect(_ revision: Int, of id: String) throws(StoreError) {
        let found = archives[ExactID(id)]?.revision ?? 0
        guard found == revision else { throw .conflict(id: id, expected: revision, found: found) }
    }
}
