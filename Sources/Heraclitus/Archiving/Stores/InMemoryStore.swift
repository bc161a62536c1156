/// A store that forgets everything when it goes, for tests and previews.
public final class InMemoryStore: ArchiveStore {
    private let storage = Lock(Storage())

    fileprivate struct Storage {
        var archives: [[UInt8]: StoredArchive] = [:]

        /// The largest revision of what was deleted, which what is new comes after.
        var deleted = 0
    }

    /// Makes an empty store.
    public init() {}

    /// Finds what is kept for an id.
    /// - Parameter id: Any text.
    /// - Returns: What is kept; `nil` if nothing is.
    public func load(_ id: String) async -> StoredArchive? { storage.withLock { $0.archives[Array(id.utf8)] } }

    /// Keeps an archive in the place of the one that has its revision.
    /// - Parameter archive: What to keep.
    /// - Returns: The revision that it has now.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if what is kept has another revision.
    @discardableResult
    public func save(_ archive: StoredArchive) async throws(StoreError) -> Int {
        try storage.withLock { storage throws(StoreError) in
            try storage.expect(archive.revision, of: archive.id)
            let revision = (archive.revision == 0 ? storage.deleted : archive.revision) + 1
            storage.archives[Array(archive.id.utf8)] = archive.with(revision)
            return revision
        }
    }

    /// Forgets what is kept for an id.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The revision that is to be forgotten; `nil` for whichever there is.
    /// - Returns: Whether anything was kept.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if what is kept has another revision.
    @discardableResult
    public func delete(_ id: String, expecting revision: Int? = nil) async throws(StoreError) -> Bool {
        try storage.withLock { storage throws(StoreError) in
            if let revision { try storage.expect(revision, of: id) }
            guard let archive = storage.archives.removeValue(forKey: Array(id.utf8)) else { return false }
            storage.deleted = max(storage.deleted, archive.revision)
            return true
        }
    }

    /// Finds the ids of everything that is kept, or of machines of a workflow, or of those in a state.
    /// - Parameters:
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - state: The name of the state; `nil` for any.
    /// - Returns: The ids, sorted.
    public func ids(of workflow: String?, in state: String?) async -> [String] {
        storage.withLock { storage in
            storage.archives.values.filter { archive in
                (workflow ?? archive.workflow) == archive.workflow && (state ?? archive.state) == archive.state
            }
            .map(\.id).sorted()
        }
    }
}

extension InMemoryStore.Storage {
    fileprivate func expect(_ revision: Int, of id: String) throws(StoreError) {
        let found = archives[Array(id.utf8)]?.revision ?? 0
        guard found == revision else { throw .conflict(id: id, expected: revision, found: found) }
    }
}

extension StoredArchive {
    fileprivate func with(_ revision: Int) -> StoredArchive {
        StoredArchive(id: id, revision: revision, workflow: workflow, state: state, due: due, archive: archive)
    }
}
