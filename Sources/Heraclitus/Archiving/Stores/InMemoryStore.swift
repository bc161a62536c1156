import Synchronization

/// A store that forgets everything when it goes, for tests and previews.
public final class InMemoryStore: ArchiveStore {
    private let archives = Mutex<[[UInt8]: StoredArchive]>([:])

    /// Makes an empty store.
    public init() {}

    /// Finds what is kept for an id.
    /// - Parameter id: Any text.
    /// - Returns: What is kept; `nil` if nothing is.
    public func load(_ id: String) async -> StoredArchive? { archives.withLock { $0[Array(id.utf8)] } }

    /// Keeps an archive in the place of the one that has the revision before.
    /// - Parameter archive: What to keep.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if what is kept has another revision.
    public func save(_ archive: StoredArchive) async throws(StoreError) {
        try archives.withLock { archives throws(StoreError) in
            try Self.expect(archive.revision &- 1, of: archive.id, in: archives)
            archives[Array(archive.id.utf8)] = archive
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
        try archives.withLock { archives throws(StoreError) in
            if let revision { try Self.expect(revision, of: id, in: archives) }
            return archives.removeValue(forKey: Array(id.utf8)) != nil
        }
    }

    /// Finds the ids of everything that is kept, or of machines of a workflow, or of those in a state.
    /// - Parameters:
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - state: The name of the state; `nil` for any.
    /// - Returns: The ids, sorted.
    public func ids(of workflow: String?, in state: String?) async -> [String] {
        archives.withLock { archives in
            archives.values.filter { archive in
                (workflow ?? archive.workflow) == archive.workflow && (state ?? archive.state) == archive.state
            }
            .map(\.id).sorted()
        }
    }

    private static func expect(
        _ revision: Int,
        of id: String,
        in archives: [[UInt8]: StoredArchive]
    ) throws(StoreError) {
        let found = archives[Array(id.utf8)]?.revision ?? 0
        guard found == revision else { throw .conflict(id: id, expected: revision, found: found) }
    }
}
