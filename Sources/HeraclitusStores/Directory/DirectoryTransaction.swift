import Heraclitus
import HeraclitusEssentials

/// Several files of a folder that take the places of others, or are deleted, as one.
///
/// They are written elsewhere and synced, then a record that names all of them: when that is in its place, all of them count. Whoever sees the
/// record waits for its writer, and if that has died moves the files itself. So a process that is killed at any moment, or a computer without
/// power, leaves all of the old files or all of the new ones.
struct DirectoryTransaction: Sendable {
    /// The name of the record.
    static let record = "transaction"

    let folder: Folder
    let own: Folder

    /// What is locked by whoever makes a transaction, before the files' own locks.
    var lockPath: String { own.file("transaction.lock") }

    /// What the record says.
    fileprivate struct Record: Codable {
        struct File: Codable {
            /// What takes its place; `nil` to delete it.
            let draft: String?
            let name: String
        }

        var files: [File] = []
    }

    /// Whether a record is there.
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

    /// Begins a transaction, when the one under way is complete.
    func begin() throws(ArchiveError) -> Pending {
        let lock = try HeldLock(lockPath)
        try move()
        return Pending(self, lock)
    }

    /// Moves the files of the record into their places; by whoever has the lock.
    private func move() throws(ArchiveError) {
        guard let content = try own.content(of: Self.record, limit: .max) else { return }
        guard let record = try? JSONValue(text: [UInt8](content)).decoded(as: Record.self),
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
                // It was moved before.
                if !error.isMissing { throw .file(folder.file(file.name), error) }
            }
        }
        try names.sync()
        try own.remove(Self.record)
        try drafts.sync()
    }

    /// A transaction that is being made, with the lock.
    final class Pending {
        private let transaction: DirectoryTransaction
        private let lock: HeldLock
        private var record = Record()

        fileprivate init(_ transaction: DirectoryTransaction, _ lock: HeldLock) {
            (self.transaction, self.lock) = (transaction, lock)
        }

        /// Adds a file that was written and synced.
        func add(_ draft: String, for name: String) {
            let draft = draft.split(separator: "/").last.map(String.init) ?? draft
            record.files.append(Record.File(draft: draft, name: name))
        }

        /// Adds a file that is to be deleted.
        func remove(_ name: String) { record.files.append(Record.File(draft: nil, name: name)) }

        /// Lets all files take their places.
        func commit() throws {
            if record.files.isEmpty { return }
            let path = transaction.own.file(DirectoryTransaction.record)
            var file = try ReplacingFile(at: path, draft: path)
            try file.write(Data(try ArchiveEncoder.bytes(of: record)))
            try file.finish()
            // They count already; if that fails, whoever comes next does it.
            try? transaction.move()
        }

        /// Removes what was written, unless it counts already.
        func giveUp() {
            guard (try? transaction.isUnderWay) == false else { return }
            for case let draft? in record.files.map(\.draft) { try? transaction.own.remove(draft) }
        }
    }
}
