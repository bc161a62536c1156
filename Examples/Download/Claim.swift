import Foundation

/// The right to write a file, which one process has at a time.
final class Claim {
    private let path: String
    private let descriptor: Int32

    /// Claims what a download writes, or throws if another process is at it.
    init(_ origin: Origin) throws {
        path = origin.partPath
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Refusal("\(path): \(String(cString: strerror(errno)))") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw Refusal("\(origin.target) is being loaded already")
        }
    }

    deinit {
        // Nothing has come; and it has not gone to its place either, empty as it may be.
        var own = stat()
        var there = stat()
        if fstat(descriptor, &own) == 0, own.st_size == 0, stat(path, &there) == 0, own.st_ino == there.st_ino {
            unlink(path)
        }
        close(descriptor)
    }
}
