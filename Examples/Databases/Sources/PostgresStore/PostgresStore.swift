public import Foundation
import Heraclitus
public import HeraclitusStores
import SQLStores

/// A store in tables of a PostgreSQL database, or of one that speaks its protocol and SQL.
///
/// ```swift
/// let store = try await PostgresStore("postgres://shop@db.example.com/shop?sslmode=verify-full")
/// try await store.workflow(Order.self).update("42") { order in try order.fire.pay(…) }
/// ```
///
/// Any number of processes may use the tables at once. A few connections, on threads of their own, carry the statements out, so a call
/// never holds a thread of Swift's tasks. Units of work run on these threads. A connection that was cut is made anew. If a save loses its connection, the store finds
/// out whether it was done; if nobody can know any more, it throws `DatabaseError.Reason.unclear`.
///
/// ``write(attempts:_:)`` saves machines and rows of your own in one transaction.
public final class PostgresStore: ArchiveStore {
    let pool: ConnectionPool

    /// Rings when this store has saved something that may be a worker's to do.
    public let bell: StoreBell? = StoreBell()

    /// The threads of the connections, on which units of work run.
    public var executor: (any TaskExecutor)? { pool.executor }

    /// Connects to a database, and makes the tables if there are none, or brings those of an earlier release up to date.
    ///
    /// To make indexes in large tables of an earlier release may take longer than the time-out of statements: then give a longer one.
    /// - Parameters:
    ///   - database: What libpq takes: a URI, or `key=value`. What it leaves out comes from the environment, such as `PGPASSWORD`,
    ///     and the password file.
    ///   - connections: The maximum number of connections.
    ///   - connectTimeout: How long to wait for a connection, at least two seconds.
    ///   - statementTimeout: How long the server may take for a statement, with waiting for others.
    ///   - networkTimeout: How long the way there and back may take, before the connection is given up.
    /// - Throws: `DatabaseError`: the database cannot be reached or lets nobody in, or has tables of a newer version of this store.
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
    /// - Throws: `DatabaseError`; `StoreError.damaged` for a row that is not one of a store.
    public func load(_ id: String) async throws -> StoredArchive? {
        try await pool.run(for: id) { connection, _ in try connection.load(StoredID(id)) }
    }

    /// Loads several archives, in one way to the server and back.
    /// - Parameter ids: The ids.
    /// - Returns: The archives that are stored for them, in the order of the ids.
    /// - Throws: What ``load(_:)-(String)`` throws.
    public func load(_ ids: [String]) async throws -> [StoredArchive] {
        try await pool.run(for: nil) { connection, _ in try connection.load(ids.map(StoredID.init)).compactMap(\.self) }
    }

    /// Saves changes in one transaction: all of them, or none.
    /// - Parameter changes: The changes, with an id each.
    /// - Returns: For each change the revision that is stored now.
    /// - Throws: `StoreError.conflict`; `StoreError.effectsChanged`; `DatabaseError`. Nothing was stored then, unless the reason is
    ///   `DatabaseError.Reason.unclear`.
    @discardableResult
    public func save(_ changes: [StoreChange]) async throws -> [Int] {
        var saving = Saving(changes)
        try await pool.run(for: changes.count == 1 ? changes[0].id : nil, isChange: true) { connection, mayBeDone in
            try saving.make(in: connection, mayBeDone: mayBeDone)
        }
        if saving.changes.contains(where: \.concernsWorker) { bell?.ring() }
        return saving.revisions
    }

    /// Finds machines by indexes; no archive is read.
    /// - Parameter query: Which machines.
    /// - Returns: The ids, sorted by their UTF-8; those that wait for a worker by how long they have waited.
    /// - Throws: `DatabaseError`.
    public func ids(_ query: ArchiveQuery) async throws -> [String] {
        try await pool.run(for: nil) { connection, _ in try connection.ids(query) }
    }

    /// Counts machines by their states; no archive is read.
    /// - Parameter query: Which machines.
    /// - Returns: The number of machines in each state, by the name of the state.
    /// - Throws: `DatabaseError`.
    public func counts(_ query: ArchiveQuery) async throws -> [String: Int] {
        try await pool.run(for: nil) { connection, _ in try connection.counts(query) }
    }

    /// When the next machine waits for a worker, by an index.
    /// - Parameters:
    ///   - query: Which machines, in a queue.
    ///   - date: After which date.
    /// - Returns: The date; `nil` if none waits after `date`.
    /// - Throws: `DatabaseError`.
    public func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date? {
        try await pool.run(for: nil) { connection, _ in try connection.nextDate(query, after: date) }
    }

    /// Claims machines for a worker in one statement, which skips those that others are changing.
    /// - Parameter claim: Which machines, and until when.
    /// - Returns: The archives. Rows that cannot be loaded are left out.
    /// - Throws: `DatabaseError`.
    public func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
        // If the connection is lost others are claimed, and the first wait until the claim ends.
        try await pool.run(for: nil) { connection, _ in try connection.claim(claim) }
    }
}
