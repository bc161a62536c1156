public import Foundation
public import GRDB
public import HeraclitusStores
import SQLStores

/// A store in a database of SQLite, through GRDB.
///
/// ```swift
/// let store = try await SQLiteStore(at: URL(filePath: "shop.sqlite"))
/// try await store.workflow(Order.self).update("42") { order in try order.fire.pay(…) }
/// ```
///
/// Any number of processes of one computer may use the file at once. One connection writes and a few others read. Calls that block run on threads of
/// the store, so a call never holds a thread of Swift's tasks. Units of work run on the threads of the connection that writes.
///
/// A file that is moved, deleted or replaced while a store has it open is `DatabaseError.Reason.inaccessible` from then on, and so are the two files
/// that SQLite keeps beside it. Make the store anew where the file is to be used that is there now.
public final class SQLiteStore: ArchiveStore {
    /// The database; ``unit(in:_:)`` saves machines in a transaction of it.
    public let database: any DatabaseWriter

    /// Rings in this process when something was saved that may wait for a worker.
    public let bell: StoreBell? = StoreBell()

    /// The threads on which units of work run.
    public var executor: (any TaskExecutor)? { writers }

    let place: SQLitePlace
    private let writers: ConnectionThreads
    private let readers: ConnectionThreads

    /// Opens a file, or makes it.
    ///
    /// What was saved is on the disk when `save` returns.
    /// - Parameters:
    ///   - file: The file. SQLite keeps two more beside it while it is in use.
    ///   - readers: The number of connections that read.
    ///   - busyTimeout: How long to wait while other processes write.
    ///   - sizeLimit: The maximum size of the file in bytes.
    /// - Throws: `DatabaseError`: the file cannot be opened, is one of another program, or of a newer version of this store.
    public init(
        at file: URL,
        readers: Int = 3,
        busyTimeout: Duration = .seconds(10),
        sizeLimit: Int? = nil
    ) async throws {
        let path = file.path
        let readers = max(1, readers)
        let threads = Self.threads(path, readers: readers)
        (database, place) = try await withTaskExecutorPreference(threads.writers) {
            try SQLiteFailure.named(path) {
                let pool = try DatabasePool.opened(path, readers: readers, busyTimeout, sizeLimit)
                return (pool, try SQLitePlace(path: path, needsLog: true))
            }
        }
        (writers, self.readers) = threads
    }

    /// Keeps machines in a database that your program has open, beside its own tables.
    ///
    /// The store makes its tables, `machines`, `machine_values` and `machines_schema`, if they are not there. How long it waits for other processes, and
    /// whether a commit is synced to the disk, is in the hands of the database's configuration: a `DatabasePool` syncs with `pragma synchronous = full`.
    /// - Parameters:
    ///   - database: The database: a `DatabasePool`, or a `DatabaseQueue`.
    ///   - readers: The number of threads that read.
    /// - Throws: `DatabaseError`: there are other tables of these names, or those of a newer version of this store.
    public init(_ database: any DatabaseWriter, readers: Int = 3) async throws {
        let path = database.path
        let threads = Self.threads(path, readers: max(1, readers))
        place = try await withTaskExecutorPreference(threads.writers) {
            try SQLiteFailure.named(path) {
                try Self.makeTable(in: database)
                return try SQLitePlace(path: path, needsLog: false)
            }
        }
        self.database = database
        (writers, self.readers) = threads
    }

    private static func makeTable(in database: any DatabaseWriter) throws {
        try database.writeWithoutTransaction { try SQLiteTable.make($0, isShared: true) }
    }

    private typealias Threads = (writers: ConnectionThreads, readers: ConnectionThreads)

    private static func threads(_ path: String, readers: Int) -> Threads {
        // More than one for the one connection that writes: a unit of work goes on while another one saves.
        let writers = ConnectionThreads(limit: 4, name: "writer of \(path)")
        return (writers, ConnectionThreads(limit: readers, name: "reader of \(path)"))
    }
}

// MARK: - Machines

extension SQLiteStore {
    /// Loads the archive that is stored for an id.
    /// - Parameter id: Any text.
    /// - Returns: The archive with its effects; `nil` if nothing is stored.
    /// - Throws: `DatabaseError`; `StoreError.damaged` for a row that is not one of a store.
    public func load(_ id: String) async throws -> StoredArchive? {
        // A unit of work has a thread already, and a connection that will save it.
        if writers.isCurrent { return try writeNow(for: id) { try $0.load(id) } }
        return try await read(for: id) { try $0.load(id) }
    }

    /// Loads several archives.
    /// - Parameter ids: The ids.
    /// - Returns: The archives that are stored for them, in the order of the ids.
    /// - Throws: What ``load(_:)-(String)`` throws.
    public func load(_ ids: [String]) async throws -> [StoredArchive] {
        try await read(for: nil) { transaction in try ids.compactMap { try transaction.load($0) } }
    }

    /// Saves changes: all of them, or none.
    /// - Parameter changes: The changes, with an id each.
    /// - Returns: For each change the revision that is stored now; of a deleted machine the deleted one, 0 if nothing was stored.
    /// - Throws: `StoreError.conflict`, `StoreError.effectsChanged`, `DatabaseError`. Nothing was stored then, unless the reason is
    ///   `DatabaseError.Reason.unclear`.
    @discardableResult
    public func save(_ changes: [StoreChange]) async throws -> [Int] {
        guard let first = changes.first else { return [] }
        let isSingle = changes.count == 1
        let revisions = try await write(for: isSingle ? first.id : nil, isChange: true) { transaction in
            if isSingle, let revision = try transaction.saveAtOnce(first) { return [revision] }
            return try transaction.committed(at: self.place) { try $0.save(changes) }
        }
        if changes.contains(where: \.mayConcernWorkers) { bell?.ring() }
        return revisions
    }

    /// Finds machines by an index; no archive is read.
    /// - Parameter query: Which machines.
    /// - Returns: The ids, sorted by their UTF-8; those that wait for a worker by how long they have waited.
    /// - Throws: `DatabaseError`.
    public func ids(_ query: ArchiveQuery) async throws -> [String] {
        try await read(for: nil) { try $0.ids(query) }
    }

    /// Counts machines by their states, by an index.
    /// - Parameter query: Which machines.
    /// - Returns: The number of machines in each state, by the name of the state.
    /// - Throws: `DatabaseError`.
    public func counts(_ query: ArchiveQuery) async throws -> [String: Int] {
        try await read(for: nil) { try $0.counts(query) }
    }

    /// When the next machine waits for a worker, by an index.
    /// - Parameters:
    ///   - query: Which machines, in a queue.
    ///   - date: After which date.
    /// - Returns: The date; `nil` if none waits after `date`.
    /// - Throws: `DatabaseError`.
    public func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date? {
        try await read(for: nil) { try $0.nextDate(query, after: date) }
    }

    /// Claims machines for a worker, all at once.
    /// - Parameter claim: Which machines, and until when.
    /// - Returns: The archives. Their effects are leased, if the claim is for effects.
    /// - Throws: `DatabaseError`. A damaged row is left out, and not claimed.
    public func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
        // An idle worker does not hold up others who write.
        var query = claim.query
        query.limit = 1
        if try await ids(query).isEmpty { return [] }
        return try await write(for: nil, isChange: true) { try $0.committed(at: self.place) { try $0.claim(claim) } }
    }

    // MARK: - Connections

    private func read<Result: Sendable>(
        for id: String?,
        _ body: @escaping @Sendable (SQLiteTransaction) throws -> Result
    ) async throws -> Result {
        try await withTaskExecutorPreference(readers) {
            try SQLiteFailure.named(database.path, id) {
                try place.check()
                return try readNow(body)
            }
        }
    }

    private func write<Result: Sendable>(
        for id: String?,
        isChange: Bool,
        _ body: @escaping @Sendable (SQLiteTransaction) throws -> Result
    ) async throws -> Result {
        try await withTaskExecutorPreference(writers) { try writeNow(for: id, isChange: isChange, body) }
    }

    /// Does something with the connection that writes, on the current thread.
    private func writeNow<Result>(
        for id: String?,
        isChange: Bool = false,
        _ body: (SQLiteTransaction) throws -> Result
    ) throws -> Result {
        try SQLiteFailure.named(database.path, id) {
            try place.check()
            let result = try database.writeWithoutTransaction { try body(SQLiteTransaction(db: $0)) }
            if isChange { try place.checkAfterCommit() }
            return result
        }
    }

    private func readNow<Result>(_ body: (SQLiteTransaction) throws -> Result) throws -> Result {
        try database.unsafeRead { try body(SQLiteTransaction(db: $0)) }
    }
}

extension StoreChange {
    /// Whether a worker may have something to do after it.
    var mayConcernWorkers: Bool {
        if effects?.new != nil { return true }
        if case .save(let archive, _) = self { return archive.due != nil }
        return false
    }
}

extension DatabasePool {
    /// Opens a file of a store, or makes it.
    fileprivate static func opened(
        _ path: String,
        readers: Int,
        _ busyTimeout: Duration,
        _ sizeLimit: Int?
    ) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.maximumReaderCount = readers
        configuration.prepareDatabase { db in
            // By a pragma, because readers of GRDB have a time-out of their own.
            try db.execute(sql: "pragma busy_timeout = \(max(0, busyTimeout.milliseconds))")
            // Not before it is known whose file it is, anything is changed.
            _ = try SQLiteTable.version(in: db, isShared: false)
            // On Darwin what was synced may still be in the cache of the disk. Elsewhere these do nothing.
            for name in ["fullfsync", "checkpoint_fullfsync"] { try db.execute(sql: "pragma \(name) = on") }
            if let sizeLimit {
                let size = try Int.fetchOne(db, sql: "pragma page_size") ?? 4_096
                try db.execute(sql: "pragma max_page_count = \(max(1, sizeLimit / max(1, size)))")
            }
        }
        let deadline = ContinuousClock.now + busyTimeout
        while true {
            do {
                let pool = try DatabasePool(path: path, configuration: configuration)
                try pool.writeWithoutTransaction { db in
                    // GRDB does not sync the commits of a pool.
                    try db.execute(sql: "pragma synchronous = full")
                    try SQLiteTable.make(db, isShared: false)
                }
                return pool
            } catch let error as GRDB.DatabaseError where error.resultCode == .SQLITE_BUSY && .now < deadline {
                // SQLite does not wait by itself for others that also begin to use a log.
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
    }
}
