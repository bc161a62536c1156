import Heraclitus
public import HeraclitusEssentials

/// A store that also appends the journals of its machines to a file, where no line is ever dropped.
///
/// ```swift
/// let store = JournaledStore(try DirectoryStore(at: folder), journal: JournalFile(at: log))
/// let orders = store.workflow(Order.self)
/// try await orders.update("42") { order in try order.fire.pay(…) }
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

    /// Saves changes, and appends the new lines of the journals of saved machines to the file.
    /// - Parameter changes: The changes, with an id each.
    /// - Returns: For each change the revision that is stored now.
    /// - Throws: Errors of the store, which has saved nothing then; or `ArchiveError` of the file: the changes are saved nevertheless, and the
    ///   lines are appended at the next save of their machine.
    @discardableResult
    public func save(_ changes: [StoreChange]) async throws -> [Int] {
        let revisions = try await base.save(changes)
        try await journal.append(changes.compactMap(\.savedArchive))
        return revisions
    }

    /// Loads the archive that is stored for an id.
    /// - Parameter id: Any text.
    /// - Returns: The archive; `nil` if nothing is stored.
    /// - Throws: Errors of the store's medium.
    public func load(_ id: String) async throws -> StoredArchive? { try await base.load(id) }

    /// Loads several archives.
    /// - Parameter ids: The ids.
    /// - Returns: The archives that are stored for them, in the order of the ids.
    /// - Throws: Errors of the store's medium.
    public func load(_ ids: [String]) async throws -> [StoredArchive] { try await base.load(ids) }

    /// Finds machines.
    /// - Parameter query: Which machines.
    /// - Returns: The ids, in the order that stores promise.
    /// - Throws: Errors of the store's medium.
    public func ids(_ query: ArchiveQuery) async throws -> [String] { try await base.ids(query) }

    /// Counts machines by their states.
    /// - Parameter query: Which machines.
    /// - Returns: The number of machines in each state, by the name of the state.
    /// - Throws: Errors of the store's medium.
    public func counts(_ query: ArchiveQuery) async throws -> [String: Int] { try await base.counts(query) }

    /// Claims machines for a worker.
    /// - Parameter claim: Which machines, and until when.
    /// - Returns: The archives.
    /// - Throws: Errors of the store's medium.
    public func claim(_ claim: StoreClaim) async throws -> [StoredArchive] { try await base.claim(claim) }

    /// When the next machine waits for a worker.
    /// - Parameters:
    ///   - query: Which machines, in a queue.
    ///   - date: After which date.
    /// - Returns: The date; `nil` if none waits after `date`.
    /// - Throws: Errors of the store's medium.
    public func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date? {
        try await base.nextDate(query, after: date)
    }

    /// The bell of the store.
    public var bell: StoreBell? { base.bell }

    /// The threads on which a unit of work runs: those of the store.
    public var executor: (any TaskExecutor)? { base.executor }
}

extension StoreChange {
    /// The archive that it saves.
    fileprivate var savedArchive: StoredArchive? {
        if case .save(let archive) = machine { archive } else { nil }
    }
}
