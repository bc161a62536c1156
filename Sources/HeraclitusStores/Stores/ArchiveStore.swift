import Heraclitus
public import HeraclitusEssentials

/// A store of archived machines by id.
///
/// You use it through ``workflow(_:context:scheduler:)`` and ``unit(attempts:_:saved:)``:
///
/// ```swift
/// let store = try DirectoryStore(at: folder)
/// let orders = store.workflow(Order.self)
/// try await orders.update("42") { order in try order.fire.pay(…) }
/// ```
///
/// ``DirectoryStore`` writes one file for each machine. ``InMemoryStore`` is for tests. A store for your database implements the
/// three methods of this protocol without a default, and promises: All changes of a save are stored, or none. Of two saves that replace the
/// same revision, one throws a conflict.
public protocol ArchiveStore: Sendable {
    /// Loads the archive that is stored for an id.
    /// - Parameter id: Any text; ids are compared by their UTF-8.
    /// - Returns: The archive with its effects; `nil` if nothing is stored.
    /// - Throws: Errors of the store's medium.
    func load(_ id: String) async throws -> StoredArchive?

    /// Saves changes: all of them, or none.
    ///
    /// ``StoreChange/applied(to:after:)`` says what a change does to a row.
    /// - Parameter changes: The changes, with an id each. A store without transactions throws ``StoreError/noTransactions(ids:)`` for more than one.
    /// - Returns: For each change the revision that is stored now; of a deleted machine the deleted one, 0 if nothing was stored. A new revision is
    ///   larger than any that was ever stored for the id, also before a deletion. So a process that has loaded an old machine can never replace a
    ///   newer one.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if another revision of a machine is stored; ``StoreError/effectsChanged(id:)`` if other
    ///   effects are. Then nothing has changed.
    @discardableResult
    func save(_ changes: [StoreChange]) async throws -> [Int]

    /// Finds machines.
    /// - Parameter query: Which machines.
    /// - Returns: The ids, sorted by their UTF-8; those that wait for a worker by how long they have waited.
    /// - Throws: Errors of the store's medium.
    func ids(_ query: ArchiveQuery) async throws -> [String]

    /// Counts machines by their states.
    ///
    /// The default loads each machine.
    /// - Parameter query: Which machines.
    /// - Returns: The number of machines in each state, by the name of the state.
    /// - Throws: Errors of the store's medium.
    func counts(_ query: ArchiveQuery) async throws -> [String: Int]

    /// Loads several archives.
    ///
    /// The default loads one after the other.
    /// - Parameter ids: The ids.
    /// - Returns: The archives that are stored for them, in the order of the ids.
    /// - Throws: Errors of the store's medium.
    func load(_ ids: [String]) async throws -> [StoredArchive]

    /// Claims machines for a worker: others do not get them before a date, or before the worker has saved them.
    ///
    /// The default finds and loads the machines. It leases effects one after the other, and does not keep due machines from others: then two workers may
    /// try one machine, and the second finds nothing due. A database claims all at once, and skips rows that others have locked.
    /// - Parameter claim: Which machines, and until when.
    /// - Returns: The archives. Their effects are leased, if the claim is for effects.
    /// - Throws: Errors of the store's medium. An archive that cannot be read is left out, and not claimed.
    func claim(_ claim: StoreClaim) async throws -> [StoredArchive]

    /// When the next machine waits for a worker, for one that has nothing to do until then.
    ///
    /// The default loads the fifty machines that have waited longest. A store with an index reads no archive. It may return an earlier date, when a
    /// worker looks in vain, and need not compare more than the workflow, its version and the queue.
    /// - Parameters:
    ///   - query: Which machines, in a queue.
    ///   - date: After which date.
    /// - Returns: The date; `nil` if no machine waits after `date`.
    /// - Throws: Errors of the store's medium.
    func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date?

    /// Rings when somebody has saved something that may wait for a worker; `nil`, the default, if the store cannot tell.
    var bell: StoreBell? { get }

    /// The threads on which a unit of work runs; `nil`, the default, for a store that has none of its own.
    ///
    /// A store needs threads of its own if its database blocks the caller: a task must not block the threads that all tasks share. When
    /// the store names them here, a unit of work stays on one of them and does not change the thread for each call. A closure that belongs to an
    /// actor with an executor of its own, such as the main actor, runs there.
    var executor: (any TaskExecutor)? { get }
}

extension ArchiveStore {
    /// No bell.
    public var bell: StoreBell? { nil }

    /// The threads on which a unit of work runs: none of the store's own.
    public var executor: (any TaskExecutor)? { nil }

    /// Loads several archives, one after the other.
    /// - Parameter ids: The ids.
    /// - Returns: The archives that are stored for them, in the order of the ids.
    /// - Throws: Errors of the store's medium.
    public func load(_ ids: [String]) async throws -> [StoredArchive] {
        var archives: [StoredArchive] = []
        for id in ids {
            if let archive = try await load(id) { archives.append(archive) }
        }
        return archives
    }

    /// Counts machines by their states, and loads each of them for that.
    /// - Parameter query: Which machines.
    /// - Returns: The number of machines in each state, by the name of the state.
    /// - Throws: Errors of the store's medium.
    public func counts(_ query: ArchiveQuery) async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for id in try await ids(query) {
            if let archive = try await load(id) { counts[archive.state, default: 0] += 1 }
        }
        return counts
    }

    /// When the next machine waits for a worker: loads the fifty machines that have waited longest.
    /// - Parameters:
    ///   - query: Which machines, in a queue.
    ///   - date: After which date.
    /// - Returns: The date; `nil` if none of them waits after `date`.
    /// - Throws: Errors of the store's medium.
    public func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date? {
        var query = query
        query.limit = 50
        for id in try await ids(query) {
            if let next = (try? await load(id)).flatMap(query.date), next > date { return next }
        }
        return nil
    }

    /// Finds the ids of all archives.
    /// - Returns: The ids, sorted by their UTF-8.
    /// - Throws: Errors of the store's medium.
    public func ids() async throws -> [String] { try await ids(ArchiveQuery()) }

    /// Saves one archive, which replaces the one with its revision; effects that wait stay.
    /// - Parameter archive: The archive.
    /// - Returns: The new revision.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if another revision is stored; errors of the store's medium.
    @discardableResult
    public func save(_ archive: StoredArchive) async throws -> Int { try await save([.save(archive)])[0] }

    /// Deletes the stored archive, with its effects.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The revision to delete; `nil` for any.
    /// - Returns: Whether there was an archive.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if another revision is stored; errors of the store's medium.
    @discardableResult
    public func delete(_ id: String, expecting revision: Int? = nil) async throws -> Bool {
        try await save([.delete(id, expecting: revision)])[0] > 0
    }
}
