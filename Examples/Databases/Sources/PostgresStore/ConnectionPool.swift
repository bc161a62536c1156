import Foundation
import SQLStores

/// A few connections, and threads on which they are used.
///
/// So a database that lets wait never holds a thread of Swift's tasks, and a connection is never used by two at once. The system
/// starts a thread when it is needed.
final class ConnectionPool: Sendable {
    private let connections: Connections
    private let threads: ConnectionThreads
    private let open: @Sendable () throws -> PostgresConnection

    /// The database, for errors, without passwords.
    let store: String

    /// The threads: what a task does on this executor uses a connection without changing the thread.
    var executor: any TaskExecutor { threads }

    /// Makes a pool, which opens nothing yet.
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

    /// Does something with a connection, on a thread of the pool.
    ///
    /// It is done again when others were faster, and once more, with a new connection, when the connection was lost.
    /// A task that is cancelled waits for it nevertheless, because nobody can take back what a database does already.
    /// - Parameters:
    ///   - id: What it is about, for errors.
    ///   - isChange: Whether it changes anything, so that it matters whether it was done when the connection was lost.
    ///   - outruns: The number of repetitions when others were faster.
    ///   - body: What is to be done. It gets the connection, and whether an attempt before may have been successful. A transaction that it
    ///     leaves open is undone.
    /// - Returns: What `body` returns.
    /// - Throws: `DatabaseError`, or what `body` throws.
    func run<Result>(
        for id: String?,
        isChange: Bool = false,
        outruns: Int = 30,
        _ body: (_ connection: PostgresConnection, _ mayBeDone: Bool) throws -> Result
    ) async throws -> Result {
        try await withTaskExecutorPreference(threads) {
            var connection = connections.take()
            defer { connections.giveBack(connection) }
            let attempts = Attempts(store: store, id: id, isChange: isChange, limit: outruns, open: open)
            return try attempts.run(&connection, body)
        }
    }

    /// The attempts to do one thing.
    private struct Attempts {
        let store: String
        let id: String?
        let isChange: Bool

        /// The number of repetitions when others were faster.
        let limit: Int
        let open: @Sendable () throws -> PostgresConnection

        func run<Result>(
            _ connection: inout PostgresConnection?,
            _ body: (_ connection: PostgresConnection, _ mayBeDone: Bool) throws -> Result
        ) throws -> Result {
            var (outruns, stale) = (0, 0)
            /// Why the connection was lost while something was being done.
            var loss: String?
            while true {
                do {
                    return try attempt(&connection, body, loss != nil && isChange)
                } catch ConnectionFailure.lost(let explanation) where loss == nil {
                    connection = nil
                    loss = explanation
                } catch ConnectionFailure.stale where stale < 2 {
                    // Connections that nobody has used for a while are found lost when they are used.
                    connection = nil
                    stale += 1
                } catch ConnectionFailure.outrun where outruns < limit {
                    // At random, or those who have met would meet again.
                    Thread.sleep(forTimeInterval: Double.random(in: 0..<0.001 * Double(1 << min(outruns, 7))))
                    outruns += 1
                } catch let failure as ConnectionFailure {
                    switch failure {
                    case .lost, .stale: connection = nil
                    case .outrun, .refused: break
                    }
                    throw error(reason(failure, after: loss))
                } catch let error as DatabaseError where error.id == nil {
                    if let loss, isChange { throw self.error(.unclear(loss)) }
                    throw self.error(error.reason)
                }
            }
        }

        /// Does it once.
        private func attempt<Result>(
            _ connection: inout PostgresConnection?,
            _ body: (_ connection: PostgresConnection, _ mayBeDone: Bool) throws -> Result,
            _ mayBeDone: Bool
        ) throws -> Result {
            let current = try connection ?? opened()
            connection = current
            do {
                return try body(current, mayBeDone)
            } catch {
                // Whoever used the connection later would do so within a transaction that is still open, and lose what they save.
                if current.isInTransaction, (try? current.run(.rollback)) == nil { connection = nil }
                throw error
            }
        }

        private func opened() throws -> PostgresConnection {
            do {
                return try open()
            } catch ConnectionFailure.lost(let explanation), ConnectionFailure.stale(let explanation) {
                // Nothing was done through a connection that there never was.
                throw ConnectionFailure.refused(.inaccessible(explanation))
            }
        }

        private func reason(_ failure: ConnectionFailure, after loss: String?) -> DatabaseError.Reason {
            if let loss, isChange { return .unclear(loss) }
            return switch failure {
            case .lost(let explanation): isChange ? .unclear(explanation) : .inaccessible(explanation)
            case .outrun(let explanation): .failed(code: "40001", explanation)
            case .stale(let explanation): .inaccessible(explanation)
            case .refused(let reason): reason
            }
        }

        private func error(_ reason: DatabaseError.Reason) -> DatabaseError {
            DatabaseError(store: store, id: id, reason)
        }
    }
}
