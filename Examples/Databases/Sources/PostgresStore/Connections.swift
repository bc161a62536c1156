import Dispatch
import Synchronization

/// The connections of a pool: each is either here or with the one who has taken it, so no two ever use it at once.
final class Connections: @unchecked Sendable {
    /// How many may be taken.
    private let free: DispatchSemaphore

    /// Those that nobody has taken, under the lock.
    private var idle: [PostgresConnection] = []
    private let lock = Mutex(())

    /// Opens nothing; `limit` may be in use at once.
    init(limit: Int) { free = DispatchSemaphore(value: limit) }

    /// Takes the one that was used last, waiting for one if all are in use; `nil` if it is still to be opened.
    func take() -> PostgresConnection? {
        free.wait()
        return lock.withLock { _ in idle.popLast() }
    }

    /// Gives back what was taken, `nil` if there is no connection any more.
    func giveBack(_ connection: PostgresConnection?) {
        if let connection { lock.withLock { _ in idle.append(connection) } }
        free.signal()
    }
}
