import Heraclitus
import HeraclitusEssentials

/// A planned change of one file.
struct DirectoryChange {
    let old: DirectoryFile?

    /// The new file; `nil` for a deletion.
    let new: DirectoryFile?

    /// The revision after the change, or the deleted revision.
    let revision: Int

    /// Whether the change may bring work: a new deadline, a new revision of a due machine, or changed effects.
    var concernsWorkers: Bool {
        guard let row = new?.row else { return false }
        return (row.due != nil && row.revision != old?.row.revision)
            || (row.effects != nil && row.effects != old?.row.effects)
    }
}

/// The files of a folder with their locks.
///
/// Plans the change of a file.
struct DirectoryFiles: Sendable {
    let folder: Folder
    let own: Folder
    let transaction: DirectoryTransaction
    private let limit: Int

    /// Makes the folder, and removes drafts of killed processes.
    init(_ folder: Folder, limit: Int) throws(ArchiveError) {
        self.folder = folder
        own = Folder(path: folder.file(".store"))
        self.limit = limit
        transaction = DirectoryTransaction(folder: folder, own: own)
        try own.make()
        try transaction.complete()
        try sweep()
    }

    // MARK: Reading

    /// Reads a file, or its first line; `nil` if it is missing.
    func file(of name: String, _ id: String, firstLineOnly: Bool = false) throws -> DirectoryFile? {
        guard let content = try folder.content(of: name, firstLineOnly: firstLineOnly, limit: limit) else { return nil }
        return firstLineOnly ? try DirectoryFile(firstLineOf: content, id) : try DirectoryFile(content, id)
    }

    /// Reads the first line of a file; `nil` if the file is missing or belongs to no store.
    func header(of name: String) throws(ArchiveError) -> DirectoryFile? {
        do {
            guard let content = try folder.content(of: name, firstLineOnly: true, limit: limit),
                let file = try? DirectoryFile(firstLineOf: content, name), FileName.of(file.row.id) == name
            else { return nil }
            return file
        } catch .tooLarge {
            return nil
        }
    }

    func isMissing(_ name: String) throws(ArchiveError) -> Bool {
        try folder.content(of: name, firstLineOnly: true, limit: .max) == nil
    }

    /// The row of an id from the first line of its file.
    func row(of id: String) throws(ArchiveError) -> StoredArchive? {
        guard let row = try header(of: FileName.of(id))?.row, ExactID(row.id) == ExactID(id) else { return nil }
        return row
    }

    // MARK: Changing

    /// Plans a change of a locked file.
    func plan(_ change: StoreChange, in name: String, _ lock: borrowing FileLock) throws -> DirectoryChange {
        let old: DirectoryFile?
        do {
            old = try file(of: name, change.id, firstLineOnly: change.effects == nil)
        } catch  where change.deletesAnyRevision && Self.isDamage(error) {
            // The revision of a damaged file is unknown, so a larger one is assumed.
            let revision = try min(lock.number(), DirectoryFile.revisions.upperBound / 2) + 1_000_000_000
            return DirectoryChange(old: nil, new: nil, revision: revision)
        }
        if let old, ExactID(old.row.id) != ExactID(change.id) {
            throw StoreError.ambiguousID(change.id, taken: old.row.id)
        }
        var row = try change.applied(to: old?.row, after: old == nil ? try lock.number() : 0)
        // Effects that stay have to be read. Most files have none.
        if change.effects == nil, old?.row.effects != nil { row?.effects = try file(of: name, change.id)?.row.effects }
        return DirectoryChange(
            old: old,
            new: row.map { DirectoryFile($0) },
            revision: row?.revision ?? old?.row.revision ?? 0
        )
    }

    /// Writes the draft of a new file.
    func draft(of file: DirectoryFile, for name: String) throws -> ReplacingFile {
        let content = try DirectoryFile.content(of: file.row, limit: limit)
        var draft = try ReplacingFile(at: folder.file(name), draft: own.file(name))
        try draft.write(content)
        return draft
    }

    /// Keeps the revision of a file before its deletion.
    ///
    /// A process killed in between leaves the file, and revisions stay unique.
    func keep(_ revision: Int, in lock: borrowing FileLock) throws {
        guard try revision > lock.number() else { return }
        // Opening can fail for lack of a descriptor, so it comes before any change.
        let locks = try own.opened()
        // The number is limited, because a damaged file may claim the largest revision, which would leave none for a
        // new machine.
        try lock.keep(min(revision, DirectoryFile.revisions.upperBound / 2))
        try locks.sync()
    }

    private static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case StoreError.damaged, ArchiveError.tooLarge: true
        default: false
        }
    }

    // MARK: Locks

    func lockFile(_ stripe: Int) -> String { own.file("\(stripe)") }

    /// Takes the lock of a file after any transaction that may replace the file.
    func lock(_ name: String) throws(ArchiveError) -> FileLock {
        while true {
            try transaction.complete()
            let lock = try FileLock.take(lockFile(FileName.stripe(of: name)))
            if try !transaction.isUnderWay { return lock }
            _ = consume lock
        }
    }

    /// Takes the lock of a file; `nil` if the lock is held, or a transaction is under way.
    func lockIfFree(_ name: String) throws(ArchiveError) -> FileLock? {
        guard let lock = try FileLock.takeIfFree(lockFile(FileName.stripe(of: name))), try !transaction.isUnderWay
        else {
            return nil
        }
        return lock
    }

    /// Removes drafts of processes that were killed while writing.
    private func sweep() throws(ArchiveError) {
        for draft in try own.names() where draft.hasSuffix(".tmp") {
            // NAME.json.RANDOM.tmp
            let name = draft.split(separator: ".").dropLast(2).joined(separator: ".")
            // A writer of the draft would hold its lock.
            let path =
                name == DirectoryTransaction.record ? transaction.lockPath : lockFile(FileName.stripe(of: name))
            guard let lock = try FileLock.takeIfFree(path) else { continue }
            // The draft may belong to a transaction whose process has just died.
            if try !transaction.isUnderWay { try own.remove(draft) }
            _ = consume lock
        }
    }
}

extension StoreChange {
    fileprivate var deletesAnyRevision: Bool { if case .delete(_, nil) = self { true } else { false } }
}
