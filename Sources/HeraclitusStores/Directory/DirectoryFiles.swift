import Heraclitus
import HeraclitusEssentials

/// A change of a file that is decided.
struct DirectoryChange {
    let old: DirectoryFile?

    /// `nil` for a file that is deleted.
    let new: DirectoryFile?

    /// What is written.
    let content: Data

    /// The revision that is stored then, or that was deleted.
    let revision: Int

    /// The last revision to keep of a file that is deleted; `nil` if as large a one is kept already.
    var lastRevision: Int?

    /// Whether something may wait for a worker now that did not before, or that was claimed.
    var concernsWorkers: Bool {
        guard let row = new?.row else { return false }
        return (row.due != nil && row.revision != old?.row.revision)
            || (row.effects != nil && row.effects != old?.row.effects)
    }
}

/// The files of a folder, their locks, and what is decided of a change of one.
struct DirectoryFiles: Sendable {
    let folder: Folder
    let own: Folder
    let transaction: DirectoryTransaction
    private let limit: Int

    /// Makes the folder, and removes what processes have left behind that were killed.
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

    /// A whole file; `nil` if there is none.
    func file(of name: String, _ id: String) throws -> DirectoryFile? {
        guard let content = try folder.content(of: name, limit: limit) else { return nil }
        return try DirectoryFile(content, id)
    }

    /// What the first line of a file says; `nil` if there is none, or one that cannot be a store's.
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

    /// The row of an id by which it is found, without what its file says after the first line.
    func row(of id: String) throws(ArchiveError) -> StoredArchive? {
        guard let row = try header(of: FileName.of(id))?.row, ExactID(row.id) == ExactID(id) else { return nil }
        return row
    }

    // MARK: Changing

    /// Decides about a change that is no deletion, of a file that is locked.
    func change(_ change: StoreChange, in name: String, after last: () throws -> Int) throws -> DirectoryChange {
        var old: DirectoryFile?
        if let content = try folder.content(of: name, firstLineOnly: change.effects == nil, limit: limit) {
            old =
                try change.effects == nil
                ? DirectoryFile(firstLineOf: content, change.id) : DirectoryFile(content, change.id)
        }
        if let old, ExactID(old.row.id) != ExactID(change.id) {
            throw StoreError.ambiguousID(change.id, taken: old.row.id)
        }
        var row = try change.applied(to: old?.row, after: old == nil ? try last() : 0)
        // They stay, and so must be read; of most files there are none.
        if change.effects == nil, old?.hasEffects == true { row = try rowKeepingEffects(row, in: name) }
        return DirectoryChange(
            old: old,
            new: row.map { DirectoryFile($0) },
            content: try row.map { try DirectoryFile.content(of: $0, limit: limit) } ?? Data(),
            revision: row?.revision ?? 0
        )
    }

    private func rowKeepingEffects(_ row: StoredArchive?, in name: String) throws -> StoredArchive? {
        guard var row else { return nil }
        row.effects = try file(of: name, row.id)?.row.effects
        return row
    }

    /// Decides about a deletion of a file that is locked.
    func deletion(_ change: StoreChange, in name: String, last: Int) throws -> DirectoryChange {
        guard case .delete(let expected) = change.machine else { preconditionFailure("It is no deletion.") }
        var old: DirectoryFile?
        var found = 0
        do {
            if let content = try folder.content(of: name, firstLineOnly: true, limit: limit) {
                let file = try DirectoryFile(firstLineOf: content, change.id)
                guard ExactID(file.row.id) == ExactID(change.id) else {
                    throw StoreError.ambiguousID(change.id, taken: file.row.id)
                }
                (old, found) = (file, file.row.revision)
            }
        } catch  where expected == nil && Self.isDamage(error) {
            // Whatever it was, it was less.
            found = min(last, DirectoryFile.revisions.upperBound / 2) + 1_000_000_000
        }
        if let expected, expected != found {
            throw StoreError.conflict(id: change.id, expected: expected, found: found)
        }
        // Who dies in between leaves a file that is still there, and not a revision that comes again. One that nobody can have reached by saving
        // would leave none for what is made anew.
        let kept = found > last ? min(found, DirectoryFile.revisions.upperBound / 2) : nil
        return DirectoryChange(old: old, new: nil, content: Data(), revision: found, lastRevision: kept)
    }

    private static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case StoreError.damaged, ArchiveError.tooLarge: true
        default: false
        }
    }

    // MARK: Locks

    func lockFile(_ stripe: Int) -> String { own.file("\(stripe)") }

    /// Takes the lock of a file when no transaction is under way that may replace it.
    func lock(_ name: String) throws(ArchiveError) -> FileLock {
        while true {
            try transaction.complete()
            let lock = try FileLock.take(lockFile(FileName.stripe(of: name)))
            if try !transaction.isUnderWay { return lock }
            _ = consume lock
        }
    }

    /// Takes the lock of a file unless somebody has it, or a transaction is under way.
    func lockIfFree(_ name: String) throws(ArchiveError) -> FileLock? {
        guard let lock = try FileLock.takeIfFree(lockFile(FileName.stripe(of: name))), try !transaction.isUnderWay
        else {
            return nil
        }
        return lock
    }

    /// Removes what processes have left behind that were killed while they wrote.
    private func sweep() throws(ArchiveError) {
        for draft in try own.names() where draft.hasSuffix(".tmp") {
            // NAME.json.RANDOM.tmp
            let name = draft.split(separator: ".").dropLast(2).joined(separator: ".")
            // Whoever is still writing it has the lock.
            let path =
                name == DirectoryTransaction.record ? transaction.lockPath : lockFile(FileName.stripe(of: name))
            guard let lock = try FileLock.takeIfFree(path) else { continue }
            // Somebody may have died just now who had saved it together with others.
            if try !transaction.isUnderWay { try own.remove(draft) }
            _ = consume lock
        }
    }
}
