public import Foundation
public import GRDB
public import HeraclitusStores
import SQLStores

/// A store in an SQLite database, through GRDB.
///
/// ```swift
/// let store = try await SQLiteStore(at: URL(filePath: "shop.sqlite"))
/// try await store.workflow(Order.self).update("42") { order in try order.fire.pay(…) }
/// ```
///
/// Any number of processes on one computer may use the file at once. One connection writes and a few others read. Blocking calls run on threads of
/// the store, so Swift's own threads never block. Units of work run on the threads of the writing connection.
///
/// If the file, or one of the two files that SQLite keeps beside it, is moved, deleted or replaced, calls throw `DatabaseError.Reason.inaccessible`.
/// To use the new file, make a new store.
public final class SQLiteStore: ArchiveStore {
    /// The database.
    ///
    /// ``unit(in:_:)`` saves machines in one of its transactions.
    public let database: any DatabaseWriter

    /// Rings in this process after a save that may concern a worker.
    public let bell: StoreBell? = StoreBell()

    /// The threads on which units of work run.
    public var executor: (any TaskExecutor)? { writers }

    let files: SQLiteFiles
    private let writers: ConnectionThreads
    private let readers: ConnectionThreads

    /// Opens or makes a file.
    ///
    /// A saved change is on the disk when `save` returns.
    /// - Parameters:
    ///   - file: The file. SQLite keeps two more files beside it while it is open.
    ///   - readers: The number of reading connections.
    ///   - busyTimeout: The time-out for locks of other processes.
    ///   - sizeLimit: The maximum size of the file in bytes.
    /// - Throws: `DatabaseError`: the file cannot be opened, belongs to another program, or is newer than this store.
    public init(
        at file: URL,
        readers: Int = 3,
        busyTimeout: Duration = .seconds(10),
        sizeLimit: Int? = nil
    ) async throws {
        let path = file.path
        let readers = max(1, readers)
        let threads = Self.threads(path, readers: readers)
        (database, files) = try await withTaskExecutorPreference(threads.writers) {
            try SQLiteFailure.named(path) {
                let pool = try DatabasePool.opened(path, readers: readers, busyTimeout, sizeLimit)
                return (pool, try SQLiteFiles(path: path, needsLog: true))
            }
        }
        (writers, self.readers) = threads
    }

    /// Uses a database that your program has open, beside its own tables.
    ///
    /// The store makes its tables `machines`, `machine_values` and `machines_schema` if they are missing. The configuration of the database decides
    /// on the time-out for locks, and on syncing of commits. A `DatabasePool` syncs with `pragma synchronous = full`.
    /// - Parameters:
    ///   - database: The database: a `DatabasePool`, or a `DatabaseQueue`.
    ///   - readers: The number of reading threads.
    /// - Throws: `DatabaseError`: another program has tables of these names, or the tables are newer than this store.
    public init(_ database: any DatabaseWriter, readers: Int = 3) async throws {
        let path = database.path
        let threads = Self.threads(path, readers: max(1, readers))
        files = try await withTaskExecutorPreference(threads.writers) {
            try SQLiteFailure.named(path) {
                try Self.makeTable(in: database)
                return try SQLiteFiles(path: path, needsLog: false)
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
        // Several threads for the one writing connection: a unit of work runs while another saves.
        let writers = ConnectionThreads(limit: 4, name: "writer of \(path)")
        return (writers, ConnectionThreads(limit: readers, name: "reader of \(path)"))
    }
}

// MARK: - Machines

extension SQLiteStore {
    /// Loads the archive that is stored for an id.
    /// - Parameter id: Any text.
    /// - Returns: The archive with its effects; `nil` if nothing is stored.
    /// - Throws: `DatabaseError`; `StoreError.damaged` for an unreadable row.
    public func load(_ id: String) async throws -> StoredArchive? {
        // A unit of work already has a thread, and the connection that will save it.
        if writers.isCurrent { return try writeNow(for: id) { try $0.load(id) } }
        return try await read(for: id) { try $0.load(id) }
    }

    /// Loads several archives.
    /// - Parameter ids: The ids.
    /// - Returns: The stored archives, in the order of the ids.
    /// - Throws: The errors of ``load(_:)-(String)``.
    public func load(_ ids: [String]) async throws -> [StoredArchive] {
        try await read(for: nil) { transaction in try ids.compactMap { try transaction.load($0) } }
    }

    /// Saves all changes, or none.
    /// - Parameter changes: The changes, each with its own id.
    /// - Returns: The stored revision for each change; for a deletion, the revision of the deleted machine, or 0.
    /// - Throws: `StoreError.conflict`, `StoreError.effectsChanged`, `DatabaseError`. Nothing was stored, unless the reason is
    ///   `DatabaseError.Reason.unclear`.
    @discardableResult
    public func save(_ changes: [StoreChange]) async throws -> [Int] {
        guard let first = changes.first else { return [] }
        let isSingle = changes.count == 1
        let revisions = try await write(for: isSingle ? first.id : nil, isChange: true) { transaction in
            if isSingle, let revision = try transaction.saveInOneStatement(first) { return [revision] }
            return try transaction.committed(to: self.files) { try $0.save(changes) }
        }
        if changes.contains(where: \.mayConcernWorkers) { bell?.ring() }
        return revisions
    }

    /// Finds machines by an index, without reading archives.
    /// - Parameter query: The query.
    /// - Returns: The ids, sorted by their UTF-8. The ids of a queue are sorted by their waiting time.
    /// - Throws: `DatabaseError`.
    public func ids(_ query: ArchiveQuery) async throws -> [String] {
        try await read(for: nil) { try $0.ids(query) }
    }

    /// Counts machines by their states, by an index.
    /// - Parameter query: The query.
    /// - Returns: The number of machines in each state, by the name of the state.
    /// - Throws: `DatabaseError`.
    public func counts(_ query: ArchiveQuery) async throws -> [String: Int] {
        try await read(for: nil) { try $0.counts(query) }
    }

    /// Finds the date at which the next machine waits for a worker, by an index.
    /// - Parameters:
    ///   - query: The query of a queue.
    ///   - date: The date after which to look.
    /// - Returns: The date; `nil` if none waits after `date`.
    /// - Throws: `DatabaseError`.
    public func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date? {
        try await read(for: nil) { try $0.nextDate(query, after: date) }
    }

    /// Claims machines for a worker in one transaction.
    /// - Parameter claim: The machines, and the end of the claim.
    /// - Returns: The archives. A claim for effects leases their effects.
    /// - Throws: `DatabaseError`. The claim skips damaged rows.
    public func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
        // An idle worker reads first, and so does not delay writers.
        var query = claim.query
        query.limit = 1
        if try await ids(query).isEmpty { return [] }
        return try await write(for: nil, isChange: true) { try $0.committed(to: self.files) { try $0.claim(claim) } }
    }

    // MARK: - Connections

    private func read<Result: Sendable>(
        for id: String?,
        _ body: @escaping @Sendable (SQLiteTransaction) throws -> Result
    ) async throws -> Result {
        try await withTaskExecutorPreference(readers) {
            try SQLiteFailure.named(database.path, id) {
                try files.check()
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

    /// Runs a closure with the writing connection, on the current thread.
    private func writeNow<Result>(
        for id: String?,
        isChange: Bool = false,
        _ body: (SQLiteTransaction) throws -> Result
    ) throws -> Result {
        try SQLiteFailure.named(database.path, id) {
            try files.check()
            let result = try database.writeWithoutTransaction { try body(SQLiteTransaction(db: $0)) }
            if isChange { try files.checkAfterCommit() }
            return result
        }
    }

    private func readNow<Result>(_ body: (SQLiteTransaction) throws -> Result) throws -> Result {
        try database.unsafeRead { try body(SQLiteTransaction(db: $0)) }
    }
}

extension StoreChange {
    /// Whether a worker may have work after the change.
    var mayConcernWorkers: Bool {
        if effects?.new != nil { return true }
        if case .save(let archive, _) = self { return archive.due != nil }
        return false
    }
}

extension DatabasePool {
    /// Opens or makes the file of a store.
    fileprivate static func opened(
        _ path: String,
        readers: Int,
        _ busyTimeout: Duration,
        _ sizeLimit: Int?
    ) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.maximumReaderCount = readers
        configuration.prepareDatabase { db in
            // Set by a pragma, because GRDB gives readers a separate time-out.
            try db.execute(sql: "pragma busy_timeout = \(max(0, busyTimeout.milliseconds))")
            // Changes nothing before the owner of the file is known.
            _ = try SQLiteTable.version(in: db, isShared: false)
            // On Darwin synced data may stay in the cache of the disk without these pragmas. Elsewhere they do nothing.
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
                    // GRDB does not sync the commits of a pool by default.
                    try db.execute(sql: "pragma synchronous = full")
                    try SQLiteTable.make(db, isShared: false)
                }
                return pool
            } catch let error as GRDB.DatabaseError where error.resultCode == .SQLITE_BUSY && .now < deadline {
                // SQLite does not wait by itself when another connection also switches to a log.
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
    }
}
