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

    var isThereAlready: Bool { number == EEXIST }

    /// Whether nobody reads a pipe.
    var isUnread: Bool { number == ENXIO }

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
            case .readingPipe: O_RDONLY | O_NONBLOCK | O_NOFOLLOW
            case .writingPipe: O_WRONLY | O_NONBLOCK | O_NOFOLLOW
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

    /// Makes a folder.
    static func makeFolder(_ path: String) throws(SystemError) {
        if unsafe mkdir(path, 0o777) != 0 { throw .latest }
    }

    /// Removes a folder in which nothing is.
    static func removeFolder(_ path: String) throws(SystemError) {
        if unsafe rmdir(path) != 0 { throw .latest }
    }

    /// Makes a symbolic link.
    static func makeLink(_ path: String, to target: String) throws(SystemError) {
        if unsafe symlink(target, path) != 0 { throw .latest }
    }

    /// Makes a named pipe.
    static func makePipe(_ path: String) throws(SystemError) {
        if unsafe mkfifo(path, 0o600) != 0 { throw .latest }
    }

    /// Waits until something can be read.
    func waitForContent() throws(SystemError) {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        try Self.uninterrupted { Int(unsafe poll(&waiting, 1, -1)) }
    }

    /// The names of the regular files in a folder.
    static func names(in folder: String) throws(SystemError) -> [String] {
        var names: [String] = []
        // Some file systems do not tell what it is.
        try forEachEntry(in: folder) { name, kind in
            if [DT_REG, DT_UNKNOWN].contains(kind) { names.append(name.text) }
        }
        return names
    }

    /// The first names of what is in a folder, whatever it is, between two texts, as far as these go; sorted.
    static func names(
        in folder: String,
        from least: String,
        upTo most: String,
        limit: Int = .max
    ) throws(SystemError) -> [String] {
        var names: [String] = []
        var most = most
        try forEachEntry(in: folder) { name, _ in
            guard !name.comes(before: least), !name.comes(after: most) else { return }
            names.append(name.text)
            // The memory does not grow with the folder.
            if names.count / 2 >= limit {
                names.keepFirst(limit)
                most = names.last ?? most
            }
        }
        names.keepFirst(limit)
        return names
    }

    /// Calls a body for everything in a folder.
    private static func forEachEntry(
        in folder: String,
        _ body: (_ name: borrowing EntryName, _ kind: Int) -> Void
    ) throws(SystemError) {
        guard let directory = unsafe opendir(folder) else { throw .latest }
        defer { unsafe closedir(directory) }
        while true {
            // Both the end and an error are no entry.
            errno = 0
            guard let entry = unsafe readdir(directory) else { break }
            let kind = unsafe Int(entry.pointee.d_type)
            unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                let name = unsafe EntryName(bytes)
                if !name.isOfFolder { body(name, kind) }
            }
        }
        if errno != 0 { throw .latest }
    }
}

extension [String] {
    fileprivate mutating func keepFirst(_ count: Int) {
        sort()
        removeLast(Swift.max(0, self.count - count))
    }
}

/// The name of something in a folder, before it is a string: most names that are looked at become none.
///
/// Invariant: the bytes end with a zero, and are there as long as this.
@safe
private struct EntryName: ~Copyable {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    var text: String { unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

    /// Whether it is `.` or `..`.
    var isOfFolder: Bool {
        unsafe bytes[0] == UInt8(ascii: ".") && (bytes[1] == 0 || (bytes[1] == UInt8(ascii: ".") && bytes[2] == 0))
    }

    func comes(before other: String) -> Bool { comparison(with: other) < 0 }

    func comes(after other: String) -> Bool { comparison(with: other) > 0 }

    /// Compares as many bytes as the other text has.
    private func comparison(with other: String) -> Int {
        var place = 0
        for byte in other.utf8 {
            let own = unsafe bytes[place]
            if own != byte || own == 0 { return Int(own) - Int(byte) }
            place += 1
        }
        return 0
    }
}
