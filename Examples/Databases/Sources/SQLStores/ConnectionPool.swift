import Foundation

/// A few connections, each with a thread of its own.
///
/// So a database that lets wait never holds a thread of Swift's tasks, and a connection is never used by two at once. Threads are
/// started when they are needed, and end when the pool goes.
public final class ConnectionPool<Connection: SQLConnection>: Sendable {
    /// What is to be done, with the connection of the thread that does it: `nil` until there is one.
    private typealias Job = @Sendable (inout Connection?) -> Void

    private let jobs = JobQueue<Job>()
    private let size: Int
    private let store: String
    private let open: @Sendable () throws -> Connection

    /// Makes a pool, which opens nothing yet.
    /// - Parameters:
    ///   - size: The maximum number of connections.
    ///   - store: The database, for errors, without passwords.
    ///   - open: Opens a connection; it throws ``ConnectionFailure``, or ``DatabaseError``.
    public init(size: Int, store: String, open: @escaping @Sendable () throws -> Connection) {
        self.size = max(1, size)
        self.store = store
        self.open = open
    }

    deinit { jobs.close() }

    /// Does something with a connection, on its thread.
    ///
    /// It is done again when others were faster, and once more, with a new connection, when the connection was lost.
    /// A task that is cancelled waits for it nevertheless, because nobody can take back what a database does already.
    /// - Parameters:
    ///   - id: What it is about, for errors.
    ///   - isChange: Whether it changes anything, so that it matters whether it was done when the connection was lost.
    ///   - body: What is to be done. It gets the connection, and whether an attempt before may have been successful.
    /// - Returns: What `body` returns.
    /// - Throws: ``DatabaseError``, or what `body` throws.
    public func run<Result: Sendable>(
        for id: String?,
        isChange: Bool = false,
        _ body: @escaping @Sendable (_ connection: Connection, _ mayBeDone: Bool) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let needsThread = jobs.add(
                { [store, open] connection in
                    let attempts = Attempts(store: store, id: id, isChange: isChange, open: open)
                    continuation.resume(with: Swift.Result { try attempts.run(&connection, body) })
                },
                atMost: size
            )
            if needsThread { startThread() }
        }
    }

    private func startThread() {
        // It must not keep the pool.
        let thread = Thread { [jobs] in
            var connection: Connection?
            while let job = jobs.next() { job(&connection) }
        }
        thread.name = "connection to \(store)"
        thread.start()
    }

    /// The attempts to do one thing.
    private struct Attempts {
        /// How often it is done again when others were faster.
        private static var outruns: Int { 30 }

        let store: String
        let id: String?
        let isChange: Bool
        let open: @Sendable () throws -> Connection

        func run<Result>(
            _ connection: inout Connection?,
            _ body: (_ connection: Connection, _ mayBeDone: Bool) throws -> Result
        ) throws -> Result {
            var (outruns, stale) = (0, 0)
            /// Why the connection was lost while something was being done.
            var loss: String?
            while true {
                do {
                    let current = try connection ?? opened()
                    connection = current
                    return try body(current, loss != nil && isChange)
                } catch ConnectionFailure.lost(let explanation) where connection != nil && loss == nil {
                    connection = nil
                    loss = explanation
                } catch ConnectionFailure.stale where stale < 2 {
                    // Connections that nobody has used for a while are found lost when they are used.
                    connection = nil
                    stale += 1
                } catch ConnectionFailure.outrun(let explanation) {
                    guard outruns < Self.outruns else { throw error(.failed(code: "40001", explanation)) }
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

        private func opened() throws -> Connection {
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
            case .lost(let explanation), .outrun(let explanation):
                isChange ? .unclear(explanation) : .inaccessible(explanation)
            case .stale(let explanation): .inaccessible(explanation)
            case .refused(let reason): reason
            }
        }

        private func error(_ reason: DatabaseError.Reason) -> DatabaseError {
            DatabaseError(store: store, id: id, reason)
        }
    }
}
