import Heraclitus
import HeraclitusEssentials

/// A lock among threads and processes that the system releases when a process dies.
///
/// The lock's file keeps a number for the next holder.
struct FileLock: ~Copyable {
    private let file: SystemFile

    private init(_ path: String) throws(ArchiveError) {
        file = try ArchiveError.of(path) { () throws(SystemError) in try SystemFile(path, for: .locking) }
    }

    /// Waits for the lock and takes it.
    static func take(_ path: String) throws(ArchiveError) -> FileLock {
        while true {
            let lock = try FileLock(path)
            try lock.file.lock()
            // If another process has removed the file, the next holder would lock a new file.
            if lock.file.isAt(path) { return lock }
        }
    }

    /// Takes the lock; `nil` if it is held.
    static func takeIfFree(_ path: String) throws(ArchiveError) -> FileLock? {
        let lock = try FileLock(path)
        guard lock.file.lockIfFree(), lock.file.isAt(path) else { return nil }
        return consume lock
    }

    /// The number that was kept last; 0 if there is none.
    func number() throws(ArchiveError) -> Int {
        try file.seek(to: 0)
        let digits = try file.next(20)
        return max(0, Int(String(decoding: digits, as: UTF8.self).prefix { $0 != "\n" }) ?? 0)
    }

    /// Keeps a number and syncs it.
    func keep(_ number: Int) throws(ArchiveError) {
        // All numbers have the same length, so a new one replaces the old one completely.
        let digits = String(number)
        let text = String(repeating: "0", count: 19 - digits.utf8.count) + digits + "\n"
        try file.seek(to: 0)
        try file.append(Data(text.utf8))
        try file.sync()
    }
}
