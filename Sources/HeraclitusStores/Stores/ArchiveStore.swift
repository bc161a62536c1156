public import Heraclitus
public import HeraclitusEssentials

/// A store of archived machines by id.
///
/// Usually you call ``update(_:of:attempts:scheduler:creating:_:saved:)``, which loads a machine, changes it, and saves it. If somebody
/// else has saved it meanwhile, the update starts again:
///
/// ```swift
/// let store = try DirectoryStore(at: folder)
/// try await store.update("42", of: Order.self) { order in try order.fire.pay(…) }
/// ```
///
/// ``DirectoryStore`` writes one file for each machine. ``InMemoryStore`` is for tests. A store for your database implements the
/// four methods of this protocol without a default, and promises: A save is either complete or has not happened. Of two saves that replace the
/// same revision, one throws a conflict.
public protocol ArchiveStore: Sendable {
    /// Loads the archive that is stored for an id.
    /// - Parameter id: Any text; ids are compared by their UTF-8.
    /// - Returns: The archive; `nil` if nothing is stored.
    /// - Throws: Errors of the store's medium.
    func load(_ id: String) async throws -> StoredArchive?

    /// Stores an archive, which replaces the one with its revision.
    /// - Parameter archive: The archive; its revision is that of the archive to replace, 0 if nothing is stored yet.
    /// - Returns: The new revision. It is larger than any revision that was ever stored for the id, also before a deletion. So a
    ///   process that has loaded an old machine can never replace a newer one.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if another revision is stored; then nothing has changed.
    @discardableResult
    func save(_ archive: StoredArchive) async throws -> Int

    /// Deletes the stored archive.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The revision to delete; `nil` for any.
    /// - Returns: Whether there was an archive.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if another revision is stored.
    @discardableResult
    func delete(_ id: String, expecting revision: Int?) async throws -> Bool

    /// Finds the ids of all archives, or of those of a workflow, or of those in a state.
    /// - Parameters:
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - state: The name of the state; `nil` for any.
    /// - Returns: The ids, sorted by their UTF-8.
    /// - Throws: Errors of the store's medium.
    func ids(of workflow: String?, in state: String?) async throws -> [String]

    /// Finds the machines of a workflow with a deadline that has passed.
    ///
    /// The default loads every archive of the workflow and decodes none.
    /// - Parameters:
    ///   - date: By when it is due.
    ///   - workflow: The name of the workflow; `nil` for any.
    /// - Returns: The ids, those first in which something is due first.
    /// - Throws: What the store's medium throws.
    func ids(dueBy date: Date, of workflow: String?) async throws -> [String]

    /// Finds the next ids of a listing, so that in a database a listing of any length takes no more memory than a page of it.
    ///
    /// The default asks for all ids each time, and leaves out the others.
    /// - Parameters:
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - state: The name of the state; `nil` for any.
    ///   - id: The last id of the page before; `nil` for the first page. It need not be stored any more.
    ///   - limit: The maximum number of ids.
    /// - Returns: The ids, sorted by their UTF-8; fewer than `limit` if there are no more.
    /// - Throws: Errors of the store's medium.
    func ids(of workflow: String?, in state: String?, after id: String?, limit: Int) async throws -> [String]

    /// Loads several archives.
    ///
    /// The default loads one after the other.
    /// - Parameter ids: The ids.
    /// - Returns: The archives that are stored for them, in the order of the ids.
    /// - Throws: What ``load(_:)`` throws.
    func load(each ids: [String]) async throws -> [StoredArchive]

    /// Stores several archives, each of which replaces the one with its revision.
    ///
    /// They are not a unit: a conflict of one does not keep the others from being stored, and when an error is thrown, some may
    /// have been stored. The default saves one after the other.
    /// - Parameter archives: The archives, with an id each.
    /// - Returns: The new revisions in the order of the archives; `nil` for one that was not stored because of a conflict.
    /// - Throws: Errors of the store's medium.
    @discardableResult
    func save(each archives: [StoredArchive]) async throws -> [Int?]

    /// Stores several archives, each of which replaces the one with its revision, or none of them.
    ///
    /// The default saves one archive, and throws for more, because it takes a transaction of the store's medium.
    /// - Parameter archives: The archives, with an id each.
    /// - Returns: The new revisions in the order of the archives.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if another revision of one is stored, and ``StoreError/noTransactions(ids:)``; then
    ///   nothing has changed.
    @discardableResult
    func save(together archives: [StoredArchive]) async throws -> [Int]

    /// Finds the machines with effects that may be carried out by a date, those first that have waited longest.
    ///
    /// ``StoredArchive/effectsDue`` says when. The default loads every archive of the workflow.
    /// - Parameters:
    ///   - date: By when; in the distant future also machines all of whose effects are parked.
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - limit: The maximum number of ids.
    /// - Returns: The ids.
    /// - Throws: What the store's medium throws.
    func ids(withEffectsBy date: Date, of workflow: String?, limit: Int) async throws -> [String]

    /// The threads on which a unit of work runs; `nil`, the default, for a store that has none of its own.
    ///
    /// A store needs threads of its own if its database blocks the caller: a task must not block the threads that all tasks share. When
    /// the store names them here, a unit of work stays on one of them and does not change the thread for each call. A closure that belongs to an
    /// actor with an executor of its own, such as the main actor, runs there.
    var executor: (any TaskExecutor)? { get }

    /// Changes and saves archives with effects that may be carried out, so that nobody else does the same with them.
    ///
    /// The default tries one after the other. A database that can lock rows and skip those that others have locked does it at once.
    /// - Parameters:
    ///   - date: By when they may be carried out.
    ///   - workflow: The name of the workflow.
    ///   - limit: The maximum number of archives.
    ///   - change: Changes an archive; `nil` for one that is to stay as it is. It is called on any thread.
    /// - Returns: The archives that were changed, with their new revisions.
    /// - Throws: What the store's medium throws, and what `change` throws.
    func claim(
        effectsBy date: Date,
        of workflow: String,
        limit: Int,
        _ change: @escaping @Sendable (_ archive: StoredArchive) throws -> StoredArchive?
    ) async throws -> [StoredArchive]
}

// MARK: - Machines

extension ArchiveStore {
    /// The threads on which a unit of work runs: none of the store's own.
    public var executor: (any TaskExecutor)? { nil }

    /// Finds the ids of all archives.
    /// - Returns: The ids, sorted.
    /// - Throws: Errors of the store's medium.
    public func ids() async throws -> [String] { try await ids(of: nil, in: nil) }

    /// Finds the ids of all machines of a workflow, or of those in a state.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - state: The state's class; its subclasses do not count. `nil` for any.
    /// - Returns: The ids, sorted.
    /// - Throws: Errors of the store's medium.
    public func ids<W: Workflow>(of workflow: W.Type, in state: (any WorkflowState.Type)? = nil) async throws
        -> [String]
    {
        let states = state.map { W.storedNames(of: $0) }
        return try await each(of: W.storedNames) { workflow in
            guard let states else { return try await ids(of: workflow, in: nil) }
            return try await each(of: states) { try await ids(of: workflow, in: $0) }
        }
    }

    /// Finds the ids that are stored under each of several names, mostly one.
    /// - Returns: The ids, sorted by their UTF-8 if there are several names.
    func each(
        of names: [String],
        isolation: isolated (any Actor)? = #isolation,
        _ find: (_ name: String) async throws -> [String]
    ) async throws -> [String] {
        if names.count == 1 { return try await find(names[0]) }
        var found: [String] = []
        for name in names { found += try await find(name) }
        return found.sortedByUTF8()
    }

    /// Restores the machine that is stored for an id.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow.
    ///   - scheduler: Fires the events that are due.
    /// - Returns: The machine, and the revision to replace when you save it; `nil` if nothing is stored.
    /// - Throws: `ArchiveError`, or errors of the store's medium.
    public func machine<W: Workflow>(
        _ id: String,
        of workflow: W.Type,
        scheduler: Scheduler = .system
    ) async throws -> (machine: StateMachine<W>, revision: Int)? where W.Context == Void {
        try await machine(id, of: workflow, context: (), scheduler: scheduler)
    }

    /// Restores the machine that is stored for an id, and gives it what its states need.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow.
    ///   - context: What the states need and archives do not keep.
    ///   - scheduler: Fires the events that are due.
    /// - Returns: The machine, and the revision to replace when you save it; `nil` if nothing is stored.
    /// - Throws: `ArchiveError`, or errors of the store's medium.
    public func machine<W: Workflow>(
        _ id: String,
        of workflow: W.Type,
        context: W.Context,
        scheduler: Scheduler = .system
    ) async throws -> (machine: StateMachine<W>, revision: Int)? {
        guard let stored = try await load(id) else { return nil }
        return (try stored.machine(of: W.self, context: context, scheduler: scheduler), stored.revision)
    }

    /// Saves a machine.
    ///
    /// Effects that wait in what it replaces stay there. To find these, what is stored is loaded first.
    ///
    /// Effects of states that the machine has entered are collected only in a unit of work. So a machine that has entered such states outside of one
    /// is refused: change it in ``update(_:of:attempts:scheduler:creating:_:saved:)`` instead.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - id: The id.
    ///   - revision: The stored revision that the machine replaces; 0 for none.
    /// - Returns: The new revision.
    /// - Throws: ``StoreError/conflict(id:expected:found:)``, ``StoreError/uncollectedEffects(id:state:)``, `ArchiveError`, or errors of the
    ///   store's medium.
    @discardableResult
    public func save(
        _ machine: StateMachine<some Workflow>,
        as id: String,
        expecting revision: Int
    ) async throws -> Int {
        let stored = revision > 0 ? try await load(id) : nil
        // If what is stored has another revision, this save meets a conflict.
        return try await save(StoredArchive(machine, id: id, replacing: stored).with(revision: revision))
    }
}
