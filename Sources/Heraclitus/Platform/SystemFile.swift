// What can be asked of the system's files, in safe terms?

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
#elseif canImport(Android)
    import Android
#endif

/// What the system says is wrong with a file.
struct SystemError: Error {
    let number: Int32

    /// The error that the system has just reported.
    static var latest: SystemError { SystemError(number: errno) }

    var isMissing: Bool { number == ENOENT }

    var explanation: String { unsafe String(cString: strerror(number)) }
}

/// An open file or folder, which is closed when this goes.
///
/// Invariant: the descriptor is open and nobody else's until `deinit`. Locks, syncs and exclusive files are not to be had
/// from Foundation.
struct SystemFile: ~Copyable {
    /// What a file is opened for.
    enum Purpose {
        case reading

        /// To read a file of a folder: not following a link, and not waiting for a pipe that is named like a file.
        case readingInFolder

        /// To write a file that must not be there yet.
        case making

        /// To lock a file, which is made if it is not there, and to keep a few bytes in it.
        case locking

        /// To sync the names in a folder.
        case folder

        fileprivate var flags: Int32 {
            switch self {
            case .reading: O_RDONLY | O_CLOEXEC
            case .readingInFolder: O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW
            case .making: O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
            case .locking: O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
            case .folder: O_RDONLY | O_DIRECTORY | O_CLOEXEC
            }
        }
    }

    private let descriptor: Int32

    init(_ path: String, for purpose: Purpose) throws(SystemError) {
        descriptor = unsafe open(path, purpose.flags, 0o666)
        guard descriptor >= 0 else { throw .latest }
    }

    deinit { close(descriptor) }

    /// Reads on, at most so many bytes; none at the end.
    func read(_ count: Int) throws(SystemError) -> Data {
        var data = Data(count: count)
        while true {
            let found = unsafe data.withUnsafeMutableBytes { bytes in
                unsafe systemRead(descriptor, bytes.baseAddress, bytes.count)
            }
            if found >= 0 { return found == count ? data : data.prefix(found) }
            if errno != EINTR { throw .latest }
        }
    }

    /// Writes all of the bytes.
    func write(_ data: Data) throws(SystemError) {
        var rest = data[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                throw .latest
            }
        }
    }

    /// Reads the beginning of the file, at most so many bytes.
    func beginning(_ count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = unsafe pread(descriptor, &bytes, count, 0)
        guard found >= 0 else { throw .latest }
        return Array(bytes.prefix(found))
    }

    /// Overwrites the beginning of the file.
    func overwriteBeginning(_ bytes: [UInt8]) throws(SystemError) {
        guard unsafe pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { throw .latest }
    }

    /// Returns when everything that was written is on the disk, where the file system can be told to.
    func sync() throws(SystemError) {
        while fsync(descriptor) != 0 {
            switch errno {
            case EINTR: continue
            case EINVAL, ENOTSUP: return
            default: throw .latest
            }
        }
    }

    /// Locks the file among all processes, waiting for it.
    func lock() throws(SystemError) {
        while flock(descriptor, LOCK_EX) != 0 {
            if errno != EINTR { throw .latest }
        }
    }

    /// Locks the file unless somebody has it.
    func lockIfFree() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    var isRegular: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether it is still the file at a path.
    func isAt(_ path: String) -> Bool {
        var own = stat()
        var there = stat()
        return unsafe fstat(descriptor, &own) == 0 && lstat(path, &there) == 0 && own.st_ino == there.st_ino
            && own.st_dev == there.st_dev
    }

    /// Gives it the mode of another file, if there is one.
    func takeMode(of path: String) {
        var other = stat()
        if unsafe stat(path, &other) == 0 { _ = fchmod(descriptor, other.st_mode & 0o7777) }
    }
}

extension SystemFile {
    /// Removes a file.
    static func remove(_ path: String) throws(SystemError) {
        if unsafe unlink(path) != 0 { throw .latest }
    }

    /// Puts a file into the place of another one, whatever is there.
    static func rename(_ path: String, to other: String) throws(SystemError) {
        if unsafe systemRename(path, other) != 0 { throw .latest }
    }

    /// The names of the regular files in a folder.
    static func names(in folder: String) throws(SystemError) -> [String] {
        guard let directory = unsafe opendir(folder) else { throw .latest }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
                    unsafe String(cString: $0)
                }
            }
            // Some file systems do not tell what it is.
            if unsafe [DT_REG, DT_UNKNOWN].contains(Int(entry.pointee.d_type)), name != ".", name != ".." {
                names.append(name)
            }
        }
        return names
    }
}

// Where a method has the name of the system's function.
#if canImport(Darwin)
    private let (systemRead, systemWrite, systemRename) = unsafe (Darwin.read, Darwin.write, Darwin.rename)
#elseif canImport(Glibc)
    private let (systemRead, systemWrite, systemRename) = unsafe (Glibc.read, Glibc.write, Glibc.rename)
#elseif canImport(Musl)
    private let (systemRead, systemWrite, systemRename) = unsafe (Musl.read, Musl.write, Musl.rename)
#elseif canImport(Android)
    private let (systemRead, systemWrite, systemRename) = unsafe (Android.read, Android.write, Android.rename)
#endif
