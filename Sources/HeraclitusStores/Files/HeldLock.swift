import Heraclitus

/// An object that holds a ``FileLock`` for its lifetime, for holders of several locks.
final class HeldLock {
    private let lock: FileLock

    /// Waits for the lock and takes it.
    init(_ path: String) throws(ArchiveError) { lock = try FileLock.take(path) }

    /// The number that was kept last.
    func number() throws(ArchiveError) -> Int { try lock.number() }

    /// Keeps a number and syncs it.
    func keep(_ number: Int) throws(ArchiveError) { try lock.keep(number) }
}
