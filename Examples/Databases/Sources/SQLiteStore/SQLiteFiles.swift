import Foundation
import SQLStores

/// The file of a database, with the two files that SQLite keeps beside it: their names, and their file numbers.
///
/// A write to a moved or deleted file is lost when the last connection closes, and other programs never see it.
struct SQLiteFiles: Sendable {
    private struct Number: Equatable {
        let device: UInt64
        let file: UInt64

        init?(_ path: String) {
            var found = stat()
            guard unsafe stat(path, &found) == 0 else { return nil }
            (device, file) = (UInt64(truncatingIfNeeded: found.st_dev), UInt64(truncatingIfNeeded: found.st_ino))
        }
    }

    private let files: [(path: String, number: Number)]

    /// Records the files of an open database; a database in memory has none.
    init(path: String, needsLog: Bool) throws {
        files = ["", "-wal", "-shm"].compactMap { end in Number(path + end).map { (path + end, $0) } }
        if needsLog, files.count < 3 { throw Self.gone }
    }

    private static let explanation = "Its file, or the log beside it, was moved, deleted or replaced while it was open."
    private static var gone: SQLiteFailure { SQLiteFailure(.inaccessible(explanation)) }

    private var isGone: Bool { !files.allSatisfy { Number($0.path) == $0.number } }

    /// Throws if a file was moved, deleted or replaced.
    func check() throws {
        if isGone { throw Self.gone }
    }

    /// Throws after a commit if a file was moved, deleted or replaced during it.
    func checkAfterCommit() throws {
        if isGone { throw SQLiteFailure(.unclear(Self.explanation)) }
    }
}
