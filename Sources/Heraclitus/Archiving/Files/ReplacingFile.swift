#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that takes another one's place when it is complete.
///
/// It is written elsewhere, synced and renamed: whoever looks, and whatever happens to the process, finds the old file or the new
/// one, which has the old one's mode, and never a part of one. What is not finished is removed.
struct ReplacingFile: ~Copyable {
    private static let bufferSize = 1 << 16

    private let path: String
    private let temporaryPath: String
    private let descriptor: Int32
    private var buffer = Data()
    private var isInPlace = false

    /// Begins a file that will be at `path`, and until then is beside it, or at what begins with `draft`, on the same file
    /// system.
    init(at path: String, draft: String? = nil) throws(ArchiveError) {
        // With a name that nobody else takes, and the mode that any new file has.
        let temporaryPath = "\(draft ?? path).\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).tmp"
        let descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .file(path) }
        var old = stat()
        if stat(path, &old) == 0 { _ = fchmod(descriptor, old.st_mode & 0o7777) }
        self.path = path
        self.temporaryPath = temporaryPath
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
        if !isInPlace { unlink(temporaryPath) }
    }

    mutating func write(_ data: Data) throws(ArchiveError) {
        buffer.append(data)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Puts the file into its place.
    consuming func finish() throws(ArchiveError) {
        try flush()
        guard fsync(descriptor) == 0, rename(temporaryPath, path) == 0 else {
            throw .file(path)
        }
        isInPlace = true
        Self.syncFolder(of: path)
    }

    private mutating func flush() throws(ArchiveError) {
        var written = 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                    Darwin.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                #elseif canImport(Glibc)
                    Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                #else
                    Musl.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                #endif
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw .file(path)
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Makes the new name last, where the file system can be told to.
    private static func syncFolder(of path: String) {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let descriptor = open(folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
