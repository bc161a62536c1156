import Heraclitus
public import HeraclitusEssentials

/// A store of archived machines by id.
///
/// You use it through ``workflow(_:context:scheduler:)`` and ``unit(attempts:_:saved:)``:
///
/// ```swift
/// let store = try Archive.directory(at: folder)
/// let orders = store.workflow(Order.self)
/// try await orders.update("42") { order in try order.fire.pay(…) }
/// ```
///
/// ``Archive/directory(at:limit:)`` keeps one file for each machine. ``Archive/inMemory()`` is for tests.
///
/// To use your own database, implement the three methods of this protocol without a default, and keep two promises. A
/// save stores either all of its changes or none. If two saves replace the same revision, one throws a conflict.
public protocol ArchiveStore: Sendable {
    /// Loads the archive of an id.
    /// - Parameter id: Any text; ids are compared by their UTF-8.
    /// - Returns: The archive with its effects; `nil` if the id is unknown.
    /// - Throws: Errors of the store's medium.
    func load(_ id: String) async throws -> StoredArchive?

    /// Saves all changes in one transaction.
    ///
    /// ``StoreChange/applied(to:after:)`` applies a change to a row.
    /// - Parameter changes: The changes, each with its own id. A store without transactions throws
    ///   ``StoreError/noTransactions(ids:)`` for several changes.
    /// - Returns: The stored revision of each change; for a deletion the deleted revision, or 0 if the id was unknown.
    ///   A new revision is larger than every earlier revision of the id, even after a deletion. A stale machine can
    ///   therefore never replace a newer one.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if another revision of a machine is stored;
    ///   ``StoreError/effectsChanged(id:)`` if other effects are stored. The store is then unchanged.
    @discardableResult
    func save(_ changes: [StoreChange]) async throws -> [Int]

    /// Finds machines.
    /// - Parameter query: The machines to find.
    /// - Returns: The ids, sorted by their UTF-8; waiting machines are sorted by the dates since which they wait.
    /// - Throws: Errors of the store's medium.
    func ids(_ query: ArchiveQuery) async throws -> [String]

    /// Counts machines by state.
    ///
    /// The default loads each machine.
    /// - Parameter query: The machines to count.
    /// - Returns: The number of machines in each state, by the name of the state.
    /// - Throws: Errors of the store's medium.
    func counts(_ query: ArchiveQuery) async throws -> [String: Int]

    /// Loads several archives.
    ///
    /// The default loads them one after the other.
    /// - Parameter ids: The ids.
    /// - Returns: The stored archives, in the order of the ids.
    /// - Throws: Errors of the store's medium.
    func load(_ ids: [String]) async throws -> [StoredArchive]

    /// Claims machines for a worker.
    ///
    /// Other workers get a machine after the end of the claim, or after a save.
    ///
    /// The default finds and loads the machines. It leases effects one after the other and leaves due machines
    /// unclaimed, so two workers may try the same machine; the second finds nothing due. A database claims all machines
    /// at once, and skips locked rows.
    /// - Parameter claim: The machines, and the end of the claim.
    /// - Returns: The archives. A claim for effects leases them.
    /// - Throws: Errors of the store's medium. Unreadable archives are skipped.
    func claim(_ claim: StoreClaim) async throws -> [StoredArchive]

    /// The date at which the next machine waits for a worker; an idle worker sleeps until then.
    ///
    /// The default loads the fifty machines that have waited longest. A store with an index reads no archive. It may
    /// return an earlier date, when a worker finds nothing. Comparing the workflow, its version and the queue is enough.
    /// - Parameters:
    ///   - query: The machines, in a queue.
    ///   - date: The earliest date, excluded.
    /// - Returns: The date; `nil` if no machine waits after `date`.
    /// - Throws: Errors of the store's medium.
    func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date?

    /// Rings after a save that may concern a worker; `nil`, the default, if the store cannot tell.
    var bell: StoreBell? { get }

    /// The threads on which units of work run.
    ///
    /// The default `nil` is for stores without their own threads.
    ///
    /// A store needs its own threads if its database blocks the caller, because a task must not block the shared
    /// threads. A unit of work then stays on one of these threads, instead of switching threads for each call. A
    /// closure of an actor with its own executor, such as the main actor, runs there.
    var executor: (any TaskExecutor)? { get }
}

extension ArchiveStore {
    /// The default: no bell.
    public var bell: StoreBell? { nil }

    /// The default: no threads of the store's own.
    public var executor: (any TaskExecutor)? { nil }

    /// Loads several archives, one after the other.
    /// - Parameter ids: The ids.
    /// - Returns: The stored archives, in the order of the ids.
    /// - Throws: Errors of the store's medium.
    public func load(_ ids: [String]) async throws -> [StoredArchive] {
        var archives: [StoredArchive] = []
        for id in ids {
            if let archive = try await load(id) { archives.append(archive) }
        }
        return archives
    }

    /// Counts machines by state, and loads each machine.
    /// - Parameter query: The machines to count.
    /// - Returns: The number of machines in each state, by the name of the state.
    /// - Throws: Errors of the store's medium.
    public func counts(_ query: ArchiveQuery) async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for id in try await ids(query) {
            if let archive = try await load(id) { counts[archive.state, default: 0] += 1 }
        }
        return counts
    }

    /// The date at which the next machine waits for a worker, from the fifty machines that have waited longest.
    /// - Parameters:
    ///   - query: The machines, in a queue.
    ///   - date: The earliest date, excluded.
    /// - Returns: The date; `nil` if none of these machines waits after `date`.
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
    package func ids() async throws -> [String] { try await ids(ArchiveQuery()) }

    /// Saves one archive, which replaces the archive of its revision.
    /// - Returns: The new revision.
    @discardableResult
    package func save(_ archive: StoredArchive) async throws -> Int { try await revision(of: .save(archive)) }

    /// Deletes a stored archive with its effects.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The revision to delete; `nil` for any.
    /// - Returns: Whether there was an archive.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if another revision is stored; errors of the store's medium;
    ///   ``StoreError/damaged(id:explanation:)`` if the store has deleted it and returns no revision, or several.
    @discardableResult
    public func delete(_ id: String, expecting revision: Int? = nil) async throws -> Bool {
        try await self.revision(of: .delete(id, expecting: revision)) > 0
    }

    /// Makes one change.
    /// - Parameter change: The change.
    /// - Returns: The revision of the change.
    /// - Throws: ``StoreError/damaged(id:explanation:)`` if the store returns no revision, or several; other errors of `save(_:)`.
    package func revision(of change: StoreChange) async throws -> Int {
        let revisions = try await save([change])
        guard revisions.count == 1 else {
            let text = "The store has returned \(revisions.count) revisions for one change."
            throw StoreError.damaged(id: change.id, explanation: text)
        }
        return revisions[0]
    }
}
