import Heraclitus
public import HeraclitusEssentials

/// A store that also appends the journals of its machines to a file, where no line is ever dropped.
///
/// ```swift
/// let store = JournaledStore(try DirectoryStore(at: folder), journal: JournalFile(at: log))
/// try await store.update("42", of: Order.self) { order in try order.fire.pay(…) }
/// ```
///
/// An archive has the last lines of its machine's journal, saved with it as one. When a machine was saved, the file gets the lines that it
/// does not have yet. A process that dies in between leaves them to the next save of that machine, whoever makes it. So the file has
/// each line once, as long as no more lines are written between two saves than the journal keeps; where some are missing, the numbers of the
/// lines tell. Machines that keep no journal leave the file alone. The journals of machines within a machine's state are in its archive, and not
/// in the file.
public struct JournaledStore<Base: ArchiveStore>: ArchiveStore {
    private let base: Base
    private let journal: JournalFile

    /// Makes a store of another one.
    /// - Parameters:
    ///   - base: Where the archives are.
    ///   - journal: Where the lines of the journals go.
    public init(_ base: Base, journal: JournalFile) {
        self.base = base
        self.journal = journal
    }

    /// The threads on which a unit of work runs: those of the store.
    public var executor: (any TaskExecutor)? { base.executor }

    /// Loads the archive that is stored for an id.
    /// - Parameter id: Any text.
    /// - Returns: The archive; `nil` if nothing is stored.
    /// - Throws: Errors of the store's medium.
    public func load(_ id: String) async throws -> StoredArchive? { try await base.load(id) }

    /// Stores an archive, and appends the new lines of its journal to the file.
    /// - Parameter archive: The archive.
    /// - Returns: The new revision.
    /// - Throws: Errors of the store, which has saved nothing then; or `ArchiveError` of the file: the archive is saved nevertheless, and the
    ///   lines are appended at its next save.
    @discardableResult
    public func save(_ archive: StoredArchive) async throws -> Int {
        let revision = try await base.save(archive)
        try await journal.append([archive])
        return revision
    }

    /// Deletes the stored archive; its lines stay in the file.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The revision to delete; `nil` for any.
    /// - Returns: Whether there was an archive.
    /// - Throws: Errors of the store.
    @discardableResult
    public func delete(_ id: String, expecting revision: Int? = nil) async throws -> Bool {
        try await base.delete(id, expecting: revision)
    }

    /// Finds the ids of all archives, or of those of a workflow, or of those in a state.
    /// - Parameters:
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - state: The name of the state; `nil` for any.
    /// - Returns: The ids, sorted by their UTF-8.
    /// - Throws: Errors of the store's medium.
    public func ids(of workflow: String?, in state: String?) async throws -> [String] {
        try await base.ids(of: workflow, in: state)
    }

    /// Finds the machines of a workflow with a deadline that has passed.
    /// - Parameters:
    ///   - date: By when it is due.
    ///   - workflow: The name of the workflow; `nil` for any.
    /// - Returns: The ids, those first in which something is due first.
    /// - Throws: What the store's medium throws.
    public func ids(dueBy date: Date, of workflow: String?) async throws -> [String] {
        try await base.ids(dueBy: date, of: workflow)
    }

    /// Finds the next ids of a listing.
    /// - Parameters:
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - state: The name of the state; `nil` for any.
    ///   - id: The last id of the page before; `nil` for the first page.
    ///   - limit: The maximum number of ids.
    /// - Returns: The ids, sorted by their UTF-8; fewer than `limit` if there are no more.
    /// - Throws: Errors of the store's medium.
    public func ids(
        of workflow: String?,
        in state: String?,
        after id: String?,
        limit: Int
    ) async throws -> [String] {
        try await base.ids(of: workflow, in: state, after: id, limit: limit)
    }

    /// Loads several archives.
    /// - Parameter ids: The ids.
    /// - Returns: The archives that are stored for them, in the order of the ids.
    /// - Throws: What the store throws.
    public func load(each ids: [String]) async throws -> [StoredArchive] { try await base.load(each: ids) }

    /// Stores several archives, and appends the new lines of the journals of those that were stored.
    /// - Parameter archives: The archives, with an id each.
    /// - Returns: The new revisions in the order of the archives; `nil` for one that was not stored because of a conflict.
    /// - Throws: Errors of the store; `ArchiveError` of the file.
    @discardableResult
    public func save(each archives: [StoredArchive]) async throws -> [Int?] {
        let revisions = try await base.save(each: archives)
        try await journal.append(zip(archives, revisions).filter { $1 != nil }.map(\.0))
        return revisions
    }

    /// Stores several archives, or none of them, and appends the new lines of their journals.
    /// - Parameter archives: The archives, with an id each.
    /// - Returns: The new revisions in the order of the archives.
    /// - Throws: Errors of the store, which has saved nothing then; or `ArchiveError` of the file: the archives are saved nevertheless, and the
    ///   lines are appended at their next save.
    @discardableResult
    public func save(together archives: [StoredArchive]) async throws -> [Int] {
        let revisions = try await base.save(together: archives)
        try await journal.append(archives)
        return revisions
    }

    /// Finds the machines with effects that may be carried out by a date.
    /// - Parameters:
    ///   - date: By when; in the distant future also machines all of whose effects are parked.
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - limit: The maximum number of ids.
    /// - Returns: The ids, those first that have waited longest.
    /// - Throws: What the store's medium throws.
    public func ids(withEffectsBy date: Date, of workflow: String?, limit: Int) async throws -> [String] {
        try await base.ids(withEffectsBy: date, of: workflow, limit: limit)
    }

    /// Changes and saves archives with effects that may be carried out; their journals stay as they are.
    /// - Parameters:
    ///   - date: By when they may be carried out.
    ///   - workflow: The name of the workflow.
    ///   - limit: The maximum number of archives.
    ///   - change: Changes an archive; `nil` for one that is to stay as it is. It is called on any thread.
    /// - Returns: The archives that were changed, with their new revisions.
    /// - Throws: What the store throws, and what `change` throws.
    public func claim(
        effectsBy date: Date,
        of workflow: String,
        limit: Int,
        _ change: @escaping @Sendable (_ archive: StoredArchive) throws -> StoredArchive?
    ) async throws -> [StoredArchive] {
        try await base.claim(effectsBy: date, of: workflow, limit: limit, change)
    }
}
