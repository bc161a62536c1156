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

    /// A file that the transaction replaces or deletes.
    struct File: Codable {
        /// The synced draft that replaces the file; `nil` for a deletion.
        let draft: String?
        let name: String
    }

    /// The content of the record.
    private struct Record: Codable {
        let files: [File]
    }

    /// Whether a record exists.
    var isUnderWay: Bool {
        get throws(ArchiveError) { try own.content(of: Self.record, firstLineOnly: true, limit: .max) != nil }
    }

    /// Waits for the transaction under way, and completes it if its process has died.
    func complete() throws(ArchiveError) {
        if try isUnderWay { _ = try begin() }
    }

    /// Takes the lock of a writer after completing the transaction under way.
    func begin() throws(ArchiveError) -> FileLock {
        let lock = try FileLock.take(lockPath)
        try move()
        return lock
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

    /// Commits files and moves them into place.
    ///
    /// The caller holds the lock.
    func commit(_ files: [File]) throws {
        if files.isEmpty { return }
        let path = own.file(Self.record)
        var file = try ReplacingFile(at: path, draft: path)
        try file.write(try ArchiveEncoder.data(of: Record(files: files)))
        try file.finish()
        // The files are committed. If the move fails, the next process repeats it.
        try? move()
    }

    /// Removes the drafts of files, unless they are committed.
    func giveUp(_ files: [File]) {
        guard (try? isUnderWay) == false else { return }
        for case let draft? in files.map(\.draft) { try? own.remove(draft) }
    }
}
