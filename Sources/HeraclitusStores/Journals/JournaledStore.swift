import Heraclitus
public import HeraclitusEssentials

/// A store that also appends the journals of its machines to a file, which keeps all lines.
///
/// ```swift
/// let store = JournaledStore(try DirectoryStore(at: folder), journal: JournalFile(at: log))
/// let orders = store.workflow(Order.self)
/// try await orders.update("42") { order in try order.fire.pay(…) }
/// ```
///
/// An archive contains the last lines of its machine's journal. After a save, the store appends the lines that the file
/// lacks. If the process dies before that, the next save of the machine appends them, in any process. The file
/// therefore has each line once, unless more lines are written between two saves than the journal keeps. The line
/// numbers show such gaps.
///
/// Only machines with a journal write to the file. The journals of machines within a state stay in the archive.
public struct JournaledStore<Base: ArchiveStore>: ArchiveStore {
    private let base: Base
    private let journal: JournalFile

    /// Wraps a store.
    /// - Parameters:
    ///   - base: The store of the archives.
    ///   - journal: The file of the journals.
    public init(_ base: Base, journal: JournalFile) {
        self.base = base
        self.journal = journal
    }

    /// Saves changes, and appends the new lines of the journals of saved machines to the file.
    /// - Parameter changes: The changes, each with its own id.
    /// - Returns: The stored revision of each change.
    /// - Throws: Errors of the store, after which the archives are unchanged; `ArchiveError` of the file, after which
    ///   the changes are saved, and the next save of each machine appends its lines.
    @discardableResult
    public func save(_ changes: [StoreChange]) async throws -> [Int] {
        let revisions = try await base.save(changes)
        try await journal.append(changes.compactMap(\.savedArchive))
        return revisions
    }

    /// Loads the archive of an id.
    /// - Parameter id: Any text.
    /// - Returns: The archive; `nil` if the id is unknown.
    /// - Throws: Errors of the store's medium.
    public func load(_ id: String) async throws -> StoredArchive? { try await base.load(id) }

    /// Loads several archives.
    /// - Parameter ids: The ids.
    /// - Returns: The stored archives, in the order of the ids.
    /// - Throws: Errors of the store's medium.
    public func load(_ ids: [String]) async throws -> [StoredArchive] { try await base.load(ids) }

    /// Finds machines.
    /// - Parameter query: The machines to find.
    /// - Returns: The ids, in the order that stores promise.
    /// - Throws: Errors of the store's medium.
    public func ids(_ query: ArchiveQuery) async throws -> [String] { try await base.ids(query) }

    /// Counts machines by state.
    /// - Parameter query: The machines to count.
    /// - Returns: The number of machines in each state, by the name of the state.
    /// - Throws: Errors of the store's medium.
    public func counts(_ query: ArchiveQuery) async throws -> [String: Int] { try await base.counts(query) }

    /// Claims machines for a worker.
    /// - Parameter claim: The machines, and the end of the claim.
    /// - Returns: The archives.
    /// - Throws: Errors of the store's medium.
    public func claim(_ claim: StoreClaim) async throws -> [StoredArchive] { try await base.claim(claim) }

    /// The date at which the next machine waits for a worker.
    /// - Parameters:
    ///   - query: The machines, in a queue.
    ///   - date: The earliest date, excluded.
    /// - Returns: The date; `nil` if no machine waits after `date`.
    /// - Throws: Errors of the store's medium.
    public func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date? {
        try await base.nextDate(query, after: date)
    }

    /// The bell of the store.
    public var bell: StoreBell? { base.bell }

    /// The store's threads, which run units of work.
    public var executor: (any TaskExecutor)? { base.executor }
}

extension StoreChange {
    /// The archive of a save; `nil` for other changes.
    fileprivate var savedArchive: StoredArchive? {
        if case .save(let archive) = machine { archive } else { nil }
    }
}
