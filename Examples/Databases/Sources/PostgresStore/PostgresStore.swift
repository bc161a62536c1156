public import Foundation
import Heraclitus
public import HeraclitusStores
public import SQLStores

/// A store in a table of a PostgreSQL database, or of one that speaks its protocol and SQL.
///
/// ```swift
/// let store = try await PostgresStore("postgres://shop@db.example.com/shop?sslmode=verify-full")
/// try await store.update("42", of: Order.self) { order in try order.fire.pay(…) }
/// ```
///
/// Any number of processes may use the table at once. A few connections, on threads of their own, carry the statements out, so a call
/// never holds a thread of Swift's tasks. Units of work run on these threads. A connection that was cut is made anew. If a save loses its connection, the store finds
/// out whether it was done; if nobody can know any more, it throws `DatabaseError.Reason.unclear`.
public final class PostgresStore: SQLStore {
    /// The connections.
    public let readers: ConnectionPool<PostgresConnection>

    /// The same connections.
    public var writers: ConnectionPool<PostgresConnection> { readers }

    /// Connects to a database, and makes the table if there is none.
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
        readers = ConnectionPool(size: connections, store: place) { try PostgresConnection(database, limits) }
        try await readers.run(for: nil) { connection, _ in try PostgresTable.check(connection) }
    }

    /// Changes and saves archives with effects that may be carried out, and skips those that others are changing: `for update skip locked`.
    /// - Parameters:
    ///   - date: By when they may be carried out.
    ///   - workflow: The name of the workflow.
    ///   - limit: The maximum number of archives.
    ///   - change: Changes an archive; `nil` for one that is to stay as it is.
    /// - Returns: The archives that were changed, with their new revisions.
    /// - Throws: `DatabaseError`, and what `change` throws.
    public func claim(
        effectsBy date: Date,
        of workflow: String,
        limit: Int,
        _ change: @escaping @Sendable (_ archive: StoredArchive) throws -> StoredArchive?
    ) async throws -> [StoredArchive] {
        try await claimSkippingLocked(effectsBy: date, of: workflow, limit: limit, change)
    }
}
