import Foundation
import SQLStores

/// The file of a database, and the two that SQLite keeps beside it: by their names, and by the numbers that the system has for them.
///
/// What is written into a file that is not at its place any more is gone with the last connection, and nobody else sees it.
struct SQLitePlace: Sendable {
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

    /// Looks at the files of a database that is open; a database in memory has none.
    init(path: String, needsLog: Bool) throws {
        files = ["", "-wal", "-shm"].compactMap { end in Number(path + end).map { (path + end, $0) } }
        if needsLog, files.count < 3 { throw Self.gone }
    }

    private static let explanation = "Its file, or the log beside it, was moved, deleted or replaced while it was open."
    private static var gone: SQLiteFailure { SQLiteFailure(.inaccessible(explanation)) }

    private var isGone: Bool { !files.allSatisfy { Number($0.path) == $0.number } }

    /// Refuses to go on without the files.
    func check() throws {
        if isGone { throw Self.gone }
    }

    /// Does not acknowledge a commit without the files.
    func checkAfterCommit() throws {
        if isGone { throw SQLiteFailure(.unclear(Self.explanation)) }
    }
}
