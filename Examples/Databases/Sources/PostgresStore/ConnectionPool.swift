import Foundation
import SQLStores

/// A few connections, and threads on which they are used.
///
/// A slow database blocks a thread of the pool, and Swift's own threads stay free. One thread at a time uses a connection. The system starts a thread
/// when needed.
final class ConnectionPool: Sendable {
    private let connections: Connections
    private let threads: ConnectionThreads
    private let open: @Sendable () throws -> PostgresConnection

    /// The database, for errors, without passwords.
    let store: String

    /// The threads.
    ///
    /// A task on this executor uses a connection without a change of thread.
    var executor: any TaskExecutor { threads }

    /// Makes a pool; the first call opens a connection.
    /// - Parameters:
    ///   - size: The maximum number of connections.
    ///   - store: The database, for errors, without passwords.
    ///   - open: Opens a connection; it throws ``ConnectionFailure``, or `DatabaseError`.
    init(size: Int, store: String, open: @escaping @Sendable () throws -> PostgresConnection) {
        connections = Connections(limit: max(1, size))
        threads = ConnectionThreads(limit: max(1, size), name: "connection to \(store)")
        self.store = store
        self.open = open
    }

    /// Runs a closure with a connection, on a thread of the pool.
    ///
    /// The pool retries after a conflict, and once more on a new connection after a lost connection. A cancelled task still waits for the result,
    /// because the database may already be at work.
    /// - Parameters:
    ///   - id: The id for errors.
    ///   - isChange: Whether the closure changes the database, so that a lost connection can leave the outcome unclear.
    ///   - retries: The maximum number of retries after conflicts.
    ///   - body: The work. It gets the connection, and whether an earlier attempt may have been committed. The pool rolls back a transaction that the
    ///     closure leaves open.
    /// - Returns: The result of `body`.
    /// - Throws: `DatabaseError`, or errors of `body`.
    func run<Result>(
        for id: String?,
        isChange: Bool = false,
        retries: Int = 30,
        _ body: (_ connection: PostgresConnection, _ mayBeCommitted: Bool) throws -> Result
    ) async throws -> Result {
        try await withTaskExecutorPreference(threads) {
            var connection = connections.take()
            defer { connections.giveBack(connection) }
            let attempts = Attempts(store: store, id: id, isChange: isChange, limit: retries, open: open)
            return try attempts.run(&connection, body)
        }
    }

    /// The attempts at one call.
    private struct Attempts {
        let store: String
        let id: String?
        let isChange: Bool

        /// The maximum number of retries after conflicts.
        let limit: Int
        let open: @Sendable () throws -> PostgresConnection

        func run<Result>(
            _ connection: inout PostgresConnection?,
            _ body: (_ connection: PostgresConnection, _ mayBeCommitted: Bool) throws -> Result
        ) throws -> Result {
            var (retries, stale) = (0, 0)
            /// The reason why a connection was lost during an attempt.
            var loss: String?
            while true {
                do {
                    return try attempt(&connection, body, loss != nil && isChange)
                } catch ConnectionFailure.lost(let explanation) where loss == nil {
                    connection = nil
                    loss = explanation
                } catch ConnectionFailure.stale where stale < 2 {
                    // An idle connection may have been closed; its next use shows that.
                    connection = nil
                    stale += 1
                } catch ConnectionFailure.retryable where retries < limit {
                    // A random delay, so that two transactions in conflict do not meet again.
                    Thread.sleep(forTimeInterval: Double.random(in: 0..<0.001 * Double(1 << min(retries, 7))))
                    retries += 1
                } catch let failure as ConnectionFailure {
                    switch failure {
                    case .lost, .stale: connection = nil
                    case .retryable, .refused: break
                    }
                    throw error(reason(failure, after: loss))
                } catch let error as DatabaseError where error.id == nil {
                    if let loss, isChange { throw self.error(.unclear(loss)) }
                    throw self.error(error.reason)
                }
            }
        }

        /// Makes one attempt.
        private func attempt<Result>(
            _ connection: inout PostgresConnection?,
            _ body: (_ connection: PostgresConnection, _ mayBeCommitted: Bool) throws -> Result,
            _ mayBeCommitted: Bool
        ) throws -> Result {
            let current = try connection ?? opened()
            connection = current
            do {
                return try body(current, mayBeCommitted)
            } catch {
                // The next user of the connection would continue in the open transaction, and lose its changes.
                if current.isInTransaction, (try? current.run(.rollback)) == nil { connection = nil }
                throw error
            }
        }

        private func opened() throws -> PostgresConnection {
            do {
                return try open()
            } catch ConnectionFailure.lost(let explanation), ConnectionFailure.stale(let explanation) {
                // A failed connection attempt changes nothing.
                throw ConnectionFailure.refused(.inaccessible(explanation))
            }
        }

        private func reason(_ failure: ConnectionFailure, after loss: String?) -> DatabaseError.Reason {
            if let loss, isChange { return .unclear(loss) }
            return switch failure {
            case .lost(let explanation): isChange ? .unclear(explanation) : .inaccessible(explanation)
            case .retryable(let explanation): .failed(code: "40001", explanation)
            case .stale(let explanation): .inaccessible(explanation)
            case .refused(let reason): reason
            }
        }

        private func error(_ reason: DatabaseError.Reason) -> DatabaseError {
            DatabaseError(store: store, id: id, reason)
        }
    }
}
