#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock that holds among threads and among processes, and that the system lets go when a process dies.
///
/// Its file keeps a number for whoever takes it next.
struct FileLock: ~Copyable {
    private let descriptor: Int32
    private let path: String

    private init(_ path: String) throws(ArchiveError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw .file(path) }
    }

    deinit { close(descriptor) }

    /// Takes the lock, waiting for it.
    static func take(_ path: String) throws(ArchiveError) -> FileLock {
        while true {
            let lock = try FileLock(path)
            while flock(lock.descriptor, LOCK_EX) != 0 {
                if errno != EINTR { throw .file(path) }
            }
            // Whoever comes next would lock another file, if somebody has removed this one meanwhile.
            if lock.isInPlace { return lock }
        }
    }

    /// Takes the lock unless somebody has it.
    static func takeIfFree(_ path: String) throws(ArchiveError) -> FileLock? {
        let lock = try FileLock(path)
        guard flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0, lock.isInPlace else { return nil }
        return consume lock
    }

    /// The number that was kept last; 0 if none was, or if what is there is none.
    func number() throws(ArchiveError) -> Int {
        var digits = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &digits, digits.count, 0)
        guard count >= 0 else { throw .file(path) }
        return max(0, Int(String(decoding: digits.prefix(count), as: UTF8.self).prefix { $0 != "\n" }) ?? 0)
    }

    /// Keeps a number, which is on the disk when this returns.
    func keep(_ number: Int) throws(ArchiveError) {
        // As long as the one before, or a part of that would stay behind it.
        let digits = Array(String(number).utf8)
        let text = [UInt8](repeating: UInt8(ascii: "0"), count: 19 - digits.count) + digits + [UInt8(ascii: "\n")]
        guard pwrite(descriptor, text, text.count, 0) == text.count, fsync(descriptor) == 0 else { throw .file(path) }
    }

    private var isInPlace: Bool {
        var own = stat()
        var there = stat()
        return fstat(descriptor, &own) == 0 && lstat(path, &there) == 0 && own.st_ino == there.st_ino
            && own.st_dev == there.st_dev
    }
}
