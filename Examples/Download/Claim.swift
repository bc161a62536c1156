import Foundation

/// The exclusive right of one process to write a file.
final class Claim {
    private let path: String
    private let descriptor: Int32

    private init(_ path: String, _ descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Claims the file of a download, or throws if another process has claimed it.
    static func make(_ origin: Origin) throws -> Claim {
        let path = origin.partPath
        while true {
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw Refusal("\(path): \(unsafe String(cString: strerror(errno)))") }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                throw Refusal("\(origin.target) is being loaded already")
            }
            // Another process may have moved the file to its target since.
            if isAt(path, descriptor) { return Claim(path, descriptor) }
            close(descriptor)
        }
    }

    deinit {
        // The file is empty, and was not moved to its target.
        var own = stat()
        if unsafe fstat(descriptor, &own) == 0, own.st_size == 0, Self.isAt(path, descriptor) { unsafe unlink(path) }
        close(descriptor)
    }

    private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
        var own = stat()
        var there = stat()
        return unsafe fstat(descriptor, &own) == 0 && stat(path, &there) == 0 && own.st_ino == there.st_ino
            && own.st_dev == there.st_dev
    }
}
