import Heraclitus
import HeraclitusEssentials

/// A lock that holds among threads and among processes, and that the system lets go when a process dies.
///
/// Its file keeps a number for whoever takes it next.
struct FileLock: ~Copyable {
    private let file: SystemFile
    private let path: String

    private init(_ path: String) throws(ArchiveError) {
        self.path = path
        file = try ArchiveError.of(path) { () throws(SystemError) in try SystemFile(path, for: .locking) }
    }

    /// Takes the lock, waiting for it.
    static func take(_ path: String) throws(ArchiveError) -> FileLock {
        while true {
            let lock = try FileLock(path)
            try ArchiveError.of(path) { () throws(SystemError) in try lock.file.lock() }
            // Whoever comes next would lock another file, if somebody has removed this one meanwhile.
            if lock.file.isAt(path) { return lock }
        }
    }

    /// Takes the lock unless somebody has it.
    static func takeIfFree(_ path: String) throws(ArchiveError) -> FileLock? {
        let lock = try FileLock(path)
        guard lock.file.lockIfFree(), lock.file.isAt(path) else { return nil }
        return consume lock
    }

    /// The number that was kept last; 0 if none was, or if what is there is none.
    func number() throws(ArchiveError) -> Int {
        let digits = try ArchiveError.of(path) { () throws(SystemError) in
            try file.rewind()
            return try file.next(20)
        }
        return max(0, Int(String(decoding: digits, as: UTF8.self).prefix { $0 != "\n" }) ?? 0)
    }

    /// Keeps a number, which is on the disk when this returns.
    func keep(_ number: Int) throws(ArchiveError) {
        // As long as the one before, or a part of that would stay behind it.
        let digits = String(number)
        let text = String(repeating: "0", count: 19 - digits.utf8.count) + digits + "\n"
        try ArchiveError.of(path) { () throws(SystemError) in
            try file.rewind()
            try file.append(Data(text.utf8))
            try file.sync()
        }
    }
}
