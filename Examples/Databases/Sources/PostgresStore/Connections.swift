import Dispatch
import Synchronization

/// The connections of a pool.
///
/// A connection is either idle here or taken by one user.
final class Connections: @unchecked Sendable {
    /// Counts the connections that may still be taken.
    private let free: DispatchSemaphore

    /// The idle connections, guarded by the lock.
    private var idle: [PostgresConnection] = []
    private let lock = Mutex(())

    /// Makes an empty set of connections, of which `limit` may be in use at once.
    init(limit: Int) { free = DispatchSemaphore(value: limit) }

    /// Takes the most recently used connection, and waits while all are in use; `nil` if the caller must open a
    /// connection.
    func take() -> PostgresConnection? {
        free.wait()
        return lock.withLock { _ in idle.popLast() }
    }

    /// Gives a connection back; `nil` if the connection was lost.
    func giveBack(_ connection: PostgresConnection?) {
        if let connection { lock.withLock { _ in idle.append(connection) } }
        free.signal()
    }
}
