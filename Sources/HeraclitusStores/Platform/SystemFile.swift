// What can be asked of the system's files, in safe terms?
import HeraclitusEssentials

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
    private let descriptor: Int32

    init(_ path: String, for purpose: FilePurpose) throws(SystemError) {
        let flags =
            switch purpose {
            case .reading: O_RDONLY
            case .readingInFolder: O_RDONLY | O_NONBLOCK | O_NOFOLLOW
            case .making: O_WRONLY | O_CREAT | O_EXCL
            case .locking: O_RDWR | O_CREAT | O_NOFOLLOW
            case .appending: O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK
            case .folder: O_RDONLY | O_DIRECTORY
            }
        descriptor = unsafe open(path, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .latest }
    }

    deinit { close(descriptor) }

    /// Makes a call until no signal interrupts it.
    @discardableResult
    private static func uninterrupted(_ call: () -> Int) throws(SystemError) -> Int {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { throw .latest }
        }
    }

    /// Reads on, at most so many bytes; none at the end.
    func next(_ count: Int) throws(SystemError) -> Data {
        var data = Data(count: count)
        let found = try Self.uninterrupted {
            unsafe data.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        }
        return found == count ? data : data.prefix(found)
    }

    /// Writes all of the bytes.
    func append(_ data: Data) throws(SystemError) {
        var rest = data[...]
        while !rest.isEmpty {
            let written = try Self.uninterrupted {
                unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(written)
        }
    }

    /// Reads and writes from the beginning on.
    func rewind() throws(SystemError) { try seek(to: 0) }

    /// Reads from a place on, and writes there unless the file is opened for appending.
    func seek(to place: Int) throws(SystemError) {
        if lseek(descriptor, off_t(place), SEEK_SET) != off_t(place) { throw .latest }
    }

    /// Returns when everything that was written is on the disk, where the file system can be told to.
    func sync() throws(SystemError) {
        #if canImport(Darwin)
            // There `fsync` leaves it in the cache of the disk. Not every file system knows this.
            if fcntl(descriptor, F_FULLFSYNC) != -1 { return }
        #endif
        do {
            try Self.uninterrupted { Int(fsync(descriptor)) }
        } catch {
            if error.number != EINVAL, error.number != ENOTSUP { throw error }
        }
    }

    /// Locks the file among all processes, waiting for it.
    func lock() throws(SystemError) {
        try Self.uninterrupted { Int(flock(descriptor, LOCK_EX)) }
    }

    /// Locks the file unless somebody has it.
    func lockIfFree() -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

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

    /// Removes a file.
    static func remove(_ path: String) throws(SystemError) {
        if unsafe unlink(path) != 0 { throw .latest }
    }

    /// Puts a file into the place of another one, whatever is there.
    static func move(_ path: String, to other: String) throws(SystemError) {
        if unsafe rename(path, other) != 0 { throw .latest }
    }

    /// The names of the regular files in a folder.
    static func names(in folder: String) throws(SystemError) -> [String] {
        guard let directory = unsafe opendir(folder) else { throw .latest }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while true {
            // Both the end and an error are no entry.
            errno = 0
            guard let entry = unsafe readdir(directory) else { break }
            // Some file systems do not tell what it is.
            guard unsafe [DT_REG, DT_UNKNOWN].contains(Int(entry.pointee.d_type)) else { continue }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { name in
                unsafe String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        if errno != 0 { throw .latest }
        return names
    }
}
