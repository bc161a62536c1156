import Heraclitus

/// A ``FileLock`` that is held as long as the object lives, for those who hold a number of them.
final class HeldLock {
    private let lock: FileLock

    /// Takes the lock, waiting for it.
    init(_ path: String) throws(ArchiveError) { lock = try FileLock.take(path) }

    /// The number that was kept last.
    func number() throws(ArchiveError) -> Int { try lock.number() }

    /// Keeps a number, which is on the disk when this returns.
    func keep(_ number: Int) throws(ArchiveError) { try lock.keep(number) }
}
