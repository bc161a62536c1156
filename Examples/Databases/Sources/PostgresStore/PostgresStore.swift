public import Foundation
import Heraclitus
public import HeraclitusStores
import SQLStores

/// A store in tables of a PostgreSQL database, or of a database that speaks its protocol and SQL.
///
/// ```swift
/// let store = try await PostgresStore("postgres://shop@db.example.com/shop?sslmode=verify-full")
/// try await store.workflow(Order.self).update("42") { order in try order.fire.pay(…) }
/// ```
///
/// Any number of processes may use the tables at once. A few connections on their own threads carry out the statements and units of work, so Swift's
/// own threads never block. The store replaces a lost connection. If a save loses its connection, the store checks whether it was committed, and
/// throws `DatabaseError.Reason.unclear` if that can no longer be known.
///
/// ``write(attempts:_:)`` saves machines and rows of your own in one transaction.
public final class PostgresStore: ArchiveStore {
    let pool: ConnectionPool

    /// Rings when this store has saved a change that may concern a worker.
    public let bell: StoreBell? = StoreBell()

    /// The threads of the connections, on which units of work run.
    public var executor: (any TaskExecutor)? { pool.executor }

    /// Connects to a database, and makes or upgrades the tables.
    ///
    /// Indexes in large tables of an earlier release may take longer than the time-out of statements. Pass a longer one then.
    /// - Parameters:
    ///   - database: A URI, or `key=value`, as libpq takes it. Missing parts come from the environment, such as `PGPASSWORD`, and from the password
    ///     file.
    ///   - connections: The maximum number of connections.
    ///   - connectTimeout: The time-out for a connection, at least two seconds.
    ///   - statementTimeout: The time-out of the server for a statement, including waits for locks.
    ///   - networkTimeout: The time-out for the round trip to the server, after which the store drops the connection.
    /// - Throws: `DatabaseError`: the database is unreachable or denies access, or its tables are newer than this store.
    public init(
        _ database: String,
        connections: Int = 4,
        connectTimeout: Duration = .seconds(5),
        statementTimeout: Duration = .seconds(10),
        networkTimeout: Duration = .seconds(5)
    ) async throws {
        guard let place = PostgresConnection.place(of: database) else {
            throw DatabaseError(store: "PostgreSQL", .inaccessible("Its description cannot be read."))
        }
        let limits = PostgresConnection.Limits(
            connect: connectTimeout,
            statement: statementTimeout,
            network: networkTimeout
        )
        pool = ConnectionPool(size: connections, store: place) { try PostgresConnection(database, limits) }
        try await pool.run(for: nil) { connection, _ in try PostgresTable.check(connection) }
    }

    /// Loads the archive that is stored for an id.
    /// - Parameter id: Any text.
    /// - Returns: The archive; `nil` if nothing is stored.
    /// - Throws: `DatabaseError`; `StoreError.damaged` for an unreadable row.
    public func load(_ id: String) async throws -> StoredArchive? {
        try await pool.run(for: id) { connection, _ in try connection.load(StoredID(id)) }
    }

    /// Loads several archives in one round trip.
    /// - Parameter ids: The ids.
    /// - Returns: The stored archives, in the order of the ids.
    /// - Throws: The errors of ``load(_:)-(String)``.
    public func load(_ ids: [String]) async throws -> [StoredArchive] {
        try await pool.run(for: nil) { connection, _ in try connection.load(ids.map(StoredID.init)).compactMap(\.self) }
    }

    /// Saves all changes in one transaction, or none.
    /// - Parameter changes: The changes, each with its own id.
    /// - Returns: The stored revision for each change.
    /// - Throws: `StoreError.conflict`; `StoreError.effectsChanged`; `DatabaseError`. Nothing was stored, unless the reason is
    ///   `DatabaseError.Reason.unclear`.
    @discardableResult
    public func save(_ changes: [StoreChange]) async throws -> [Int] {
        var saving = Saving(changes)
        let id = changes.count == 1 ? changes[0].id : nil
        try await pool.run(for: id, isChange: true) { connection, mayBeCommitted in
            try saving.make(in: connection, mayBeCommitted: mayBeCommitted)
        }
        if saving.changes.contains(where: \.concernsWorker) { bell?.ring() }
        return saving.revisions
    }

    /// Finds machines by indexes, without reading archives.
    /// - Parameter query: The query.
    /// - Returns: The ids, sorted by their UTF-8. The ids of a queue are sorted by their waiting time.
    /// - Throws: `DatabaseError`.
    public func ids(_ query: ArchiveQuery) async throws -> [String] {
        try await pool.run(for: nil) { connection, _ in try connection.ids(query) }
    }

    /// Counts machines by their states, without reading archives.
    /// - Parameter query: The query.
    /// - Returns: The number of machines in each state, by the name of the state.
    /// - Throws: `DatabaseError`.
    public func counts(_ query: ArchiveQuery) async throws -> [String: Int] {
        try await pool.run(for: nil) { connection, _ in try connection.counts(query) }
    }

    /// Finds the date at which the next machine waits for a worker, by an index.
    /// - Parameters:
    ///   - query: The query of a queue.
    ///   - date: The date after which to look.
    /// - Returns: The date; `nil` if none waits after `date`.
    /// - Throws: `DatabaseError`.
    public func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date? {
        try await pool.run(for: nil) { connection, _ in try connection.nextDate(query, after: date) }
    }

    /// Claims machines for a worker in one statement, which skips locked rows.
    /// - Parameter claim: The machines, and the end of the claim.
    /// - Returns: The archives of all readable rows.
    /// - Throws: `DatabaseError`.
    public func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
        // A retry after a lost connection claims other machines; the first ones wait until the claim ends.
        try await pool.run(for: nil) { connection, _ in try connection.claim(claim) }
    }
}
