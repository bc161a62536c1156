#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock that holds among threads and among processes, and that the system lets go when a process dies.
struct FileLock: ~Copyable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Takes the lock, waiting for it.
    static func take(_ path: String) throws(ArchiveError) -> FileLock {
        let lock = FileLock(try opened(path))
        while flock(lock.descriptor, LOCK_EX) != 0 {
            if errno != EINTR { throw .file(path) }
        }
        return lock
    }

    /// Takes the lock unless somebody has it.
    static func takeIfFree(_ path: String) throws(ArchiveError) -> FileLock? {
        let lock = FileLock(try opened(path))
        guard flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
        return consume lock
    }

    private static func opened(_ path: String) throws(ArchiveError) -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .file(path) }
        return descriptor
    }
}
