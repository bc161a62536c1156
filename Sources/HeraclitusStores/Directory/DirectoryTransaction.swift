import Heraclitus
import HeraclitusEssentials

/// Replaces or deletes several files of a folder at once.
///
/// The transaction writes drafts, syncs them, and then puts a record of all drafts in place, which commits them. A
/// process that finds the record waits for its writer, or moves the files itself if the writer has died. A killed
/// process or a loss of power therefore leaves either all old files or all new ones.
struct DirectoryTransaction: Sendable {
    /// The name of the record.
    static let record = "transaction"

    let folder: Folder
    let own: Folder

    /// The lock of the transaction's writer, taken before the locks of the files.
    var lockPath: String { own.file("transaction.lock") }

    /// The content of the record.
    fileprivate struct Record: Codable {
        struct File: Codable {
            /// The draft that replaces the file; `nil` for a deletion.
            let draft: String?
            let name: String
        }

        var files: [File] = []
    }

    /// Whether a record exists.
    var isUnderWay: Bool {
        get throws(ArchiveError) { try own.content(of: Self.record, firstLineOnly: true, limit: .max) != nil }
    }

    /// Waits for the transaction under way, and completes it if its process has died.
    func complete() throws(ArchiveError) {
        guard try isUnderWay else { return }
        let lock = try FileLock.take(lockPath)
        try move()
        _ = consume lock
    }

    /// Begins a transaction after completing the one under way.
    func begin() throws(ArchiveError) -> Pending {
        let lock = try FileLock.take(lockPath)
        try move()
        return Pending(self, lock)
    }

    /// Moves the files of the record into place.
    ///
    /// The caller holds the lock.
    private func move() throws(ArchiveError) {
        guard let content = try own.content(of: Self.record, limit: .max) else { return }
        guard let record = try? ArchiveDecoder(text: content).decode(Record.self),
            record.files.allSatisfy({ $0.draft?.contains("/") != true && !$0.name.contains("/") })
        else {
            throw .inaccessibleFile(own.file(Self.record), explanation: "It is not the record of a transaction.")
        }
        let names = try folder.opened()
        let drafts = try own.opened()
        for file in record.files {
            guard let draft = file.draft else {
                try folder.remove(file.name)
                continue
            }
            do throws(SystemError) {
                try SystemFile.move(own.file(draft), to: folder.file(file.name))
            } catch {
                // The file was moved earlier.
                if !error.isMissing { throw .file(folder.file(file.name), error) }
            }
        }
        try names.sync()
        try own.remove(Self.record)
        try drafts.sync()
    }

    /// A transaction in preparation, with its lock.
    final class Pending {
        private let transaction: DirectoryTransaction
        private let lock: FileLock
        private var record = Record()

        fileprivate init(_ transaction: DirectoryTransaction, _ lock: consuming FileLock) {
            self.transaction = transaction
            self.lock = lock
        }

        /// Adds a synced draft.
        func add(_ draft: String, for name: String) {
            let draft = draft.split(separator: "/").last.map(String.init) ?? draft
            record.files.append(Record.File(draft: draft, name: name))
        }

        /// Adds a file to delete.
        func remove(_ name: String) { record.files.append(Record.File(draft: nil, name: name)) }

        /// Commits the files and moves them into place.
        func commit() throws {
            if record.files.isEmpty { return }
            let path = transaction.own.file(DirectoryTransaction.record)
            var file = try ReplacingFile(at: path, draft: path)
            try file.write(try ArchiveEncoder.data(of: record))
            try file.finish()
            // The files are committed. If the move fails, the next process repeats it.
            try? transaction.move()
        }

        /// Removes the drafts, unless they are committed.
        func giveUp() {
            guard (try? transaction.isUnderWay) == false else { return }
            for case let draft? in record.files.map(\.draft) { try? transaction.own.remove(draft) }
        }
    }
}
