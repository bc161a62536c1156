// Safe wrappers of the system's file functions.
import Dispatch
import Heraclitus
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

/// An error of the system.
struct SystemError: Error {
    let number: Int32

    /// The error of the latest system call.
    static var latest: SystemError { SystemError(number: errno) }

    var isMissing: Bool { number == ENOENT }

    var isThereAlready: Bool { number == EEXIST }

    /// Whether a pipe lacks a reader.
    var isUnread: Bool { number == ENXIO }

    var explanation: String { unsafe String(cString: strerror(number)) }
}

/// The purpose of opening a file.
struct FilePurpose {
    fileprivate let flags: Int32

    static let reading = FilePurpose(flags: O_RDONLY)

    /// Reads a regular file of a folder.
    ///
    /// Opening fails for a symbolic link, and returns at once for a pipe.
    static let readingInFolder = FilePurpose(flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW)

    /// Writes a new file.
    static let making = FilePurpose(flags: O_WRONLY | O_CREAT | O_EXCL)

    /// Locks a file and keeps a few bytes in it.
    ///
    /// A missing file is made.
    static let locking = FilePurpose(flags: O_RDWR | O_CREAT | O_NOFOLLOW)

    /// Reads a file and appends to it.
    ///
    /// A missing file is made.
    static let appending = FilePurpose(flags: O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK)

    /// Syncs the names in a folder.
    static let folder = FilePurpose(flags: O_RDONLY | O_DIRECTORY)

    /// Reads bytes from a pipe.
    static let readingPipe = readingInFolder

    /// Writes into a pipe.
    ///
    /// Opening fails if the pipe has no reader.
    static let writingPipe = FilePurpose(flags: O_WRONLY | O_NONBLOCK | O_NOFOLLOW)
}

/// An open file or folder, closed at the end of its lifetime.
///
/// Invariant: the descriptor is open and has one owner until `deinit`. Foundation lacks locks, syncs and exclusive
/// creation of files.
struct SystemFile: ~Copyable {
    private let descriptor: Int32

    /// The path in errors.
    private let path: String

    /// Opens a file, or makes it.
    /// - Parameters:
    ///   - path: The path.
    ///   - purpose: The purpose.
    ///   - shownPath: The path in errors of the open file; `nil` for its own.
    /// - Throws: The error of the system.
    init(_ path: String, for purpose: FilePurpose, shownAs shownPath: String? = nil) throws(SystemError) {
        self.path = shownPath ?? path
        descriptor = unsafe open(path, purpose.flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .latest }
    }

    deinit { close(descriptor) }

    /// Repeats a call that a signal interrupts.
    @discardableResult
    private func uninterrupted(ignoring ignored: [Int32] = [], _ call: () -> Int) throws(ArchiveError) -> Int {
        while true {
            let result = call()
            if result >= 0 || ignored.contains(errno) { return result }
            if errno != EINTR { throw .file(path, .latest) }
        }
    }

    /// Reads up to a number of bytes.
    ///
    /// The result is empty at the end.
    func next(_ count: Int) throws(ArchiveError) -> Data {
        var data = Data(count: count)
        let found = try uninterrupted {
            unsafe data.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        }
        return found == count ? data : data.prefix(found)
    }

    /// Writes all bytes.
    func append(_ data: Data) throws(ArchiveError) {
        var rest = data[...]
        while !rest.isEmpty {
            let written = try uninterrupted {
                unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(written)
        }
    }

    /// Moves the position.
    ///
    /// A file opened for appending still writes at its end.
    func seek(to place: Int) throws(ArchiveError) {
        if lseek(descriptor, off_t(place), SEEK_SET) != off_t(place) { throw .file(path, .latest) }
    }

    /// Returns when all written bytes are on the disk, where the file system supports it.
    func sync() throws(ArchiveError) {
        #if canImport(Darwin)
            // On Darwin, `fsync` leaves bytes in the disk's cache. Some file systems lack `F_FULLFSYNC`.
            if fcntl(descriptor, F_FULLFSYNC) != -1 { return }
        #endif
        try uninterrupted(ignoring: [EINVAL, ENOTSUP]) { Int(fsync(descriptor)) }
    }

    /// Waits for the lock among all processes and takes it.
    func lock() throws(ArchiveError) {
        try uninterrupted { Int(flock(descriptor, LOCK_EX)) }
    }

    /// Takes the lock; `false` if it is held.
    func lockIfFree() -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    var isRegular: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The number of bytes; 0 if it is unknown.
    var size: Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Whether the path still leads to this file.
    func isAt(_ path: String) -> Bool {
        var own = stat()
        var there = stat()
        return unsafe fstat(descriptor, &own) == 0 && lstat(path, &there) == 0 && own.st_ino == there.st_ino
            && own.st_dev == there.st_dev
    }

    /// Copies the mode of another file, if that file exists.
    func takeMode(of path: String) {
        var other = stat()
        if unsafe stat(path, &other) == 0 { _ = fchmod(descriptor, other.st_mode & 0o7777) }
    }

    /// Removes a file.
    static func remove(_ path: String) throws(SystemError) {
        if unsafe unlink(path) != 0 { throw .latest }
    }

    /// Moves a file, and replaces any file at the destination.
    static func move(_ path: String, to other: String) throws(SystemError) {
        if unsafe rename(path, other) != 0 { throw .latest }
    }

    /// Makes a folder.
    static func makeFolder(_ path: String) throws(SystemError) {
        if unsafe mkdir(path, 0o777) != 0 { throw .latest }
    }

    /// Removes an empty folder.
    static func removeFolder(_ path: String) throws(SystemError) {
        if unsafe rmdir(path) != 0 { throw .latest }
    }

    /// Makes a symbolic link.
    static func makeLink(_ path: String, to target: String) throws(SystemError) {
        if unsafe symlink(target, path) != 0 { throw .latest }
    }

    /// Makes a named pipe with the default mode of new files, as whoever may save may also ring.
    static func makePipe(_ path: String) throws(SystemError) {
        if unsafe mkfifo(path, 0o666) != 0 { throw .latest }
    }

    /// A source of events for bytes to read.
    ///
    /// Cancel the source before the file is closed.
    func content() -> sending any DispatchSourceRead { DispatchSource.makeReadSource(fileDescriptor: descriptor) }

    /// The names of the regular files in a folder.
    static func names(in folder: String) throws(SystemError) -> [String] {
        var names: [String] = []
        // Some file systems leave the kind of an entry open.
        try forEachEntry(in: folder) { name, kind in
            if [DT_REG, DT_UNKNOWN].contains(kind) { names.append(name) }
        }
        return names
    }

    /// The first sorted names in a folder between two texts; each bound is compared up to its own length.
    static func names(
        in folder: String,
        from least: String,
        upTo most: String,
        limit: Int = .max
    ) throws(SystemError) -> [String] {
        var names: [String] = []
        var most = most
        try forEachEntry(in: folder) { name, _ in
            let (start, end) = (name.utf8.prefix(least.utf8.count), name.utf8.prefix(most.utf8.count))
            guard !start.lexicographicallyPrecedes(least.utf8), !most.utf8.lexicographicallyPrecedes(end) else {
                return
            }
            names.append(name)
            // Memory use is independent of the size of the folder.
            if names.count / 2 >= limit {
                names.keepFirst(limit)
                most = names.last ?? most
            }
        }
        names.keepFirst(limit)
        return names
    }

    /// Calls a body for each entry of a folder.
    private static func forEachEntry(
        in folder: String,
        _ body: (_ name: String, _ kind: Int) -> Void
    ) throws(SystemError) {
        guard let directory = unsafe opendir(folder) else { throw .latest }
        defer { unsafe closedir(directory) }
        while true {
            // `readdir` returns null both at the end and on an error; `errno` tells them apart.
            errno = 0
            guard let entry = unsafe readdir(directory) else { break }
            let kind = unsafe Int(entry.pointee.d_type)
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { body(name, kind) }
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
