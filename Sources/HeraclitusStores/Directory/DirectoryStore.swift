public import Heraclitus
public import HeraclitusEssentials

/// A store that writes one file for each machine into a folder.
///
/// The first line of a file is a header, the second one the archive. Waiting effects and handled messages follow.
///
/// ```
/// $ cat orders/42.json
/// {"entered":"2026-01-01T12:00:00Z","id":"42","revision":3,"state":"PlacedState","version":1,"workflow":"Order"}
/// {"activated":true,"data":{…},"format":1,"revision":2,"state":"PlacedState","version":1,"workflow":"Order"}
/// ```
///
/// Any number of processes may use the folder at once. A save writes a draft, syncs it and renames it, under a lock
/// that the system releases when a process ends. A killed process therefore leaves either the old file or the new one,
/// complete. Making the next store for the folder removes unfinished drafts.
///
/// The subfolder `.store` contains locks, drafts and the last revisions of deleted machines. Do not delete it. A
/// transaction writes its files there, too, with a record of them. The complete record commits all files. If the
/// process dies, the next user of the folder moves them into place.
///
/// `.store` also has an index: links to files of machines with a deadline or effects, in the order of dates. Workers
/// read only the linked files. From time to time, a store compares the index with the first lines of all files: earlier
/// releases write no index, and a loss of power may lose links.
///
/// The methods read and write on the calling thread. A save waits until the disk has synced. Errors of the file system
/// are `ArchiveError.inaccessibleFile(_:explanation:)`.
public final class DirectoryStore: ArchiveStore {
    let files: DirectoryFiles
    let index: DirectoryIndex
    let candidates = Lock<[Wanted: ArraySlice<Candidate>]>([:])
    let nextRepair = Lock<ContinuousClock.Instant?>(nil)
    private let bells: FolderBells

    /// Rings after a save that may bring work, also by another process of the same computer.
    public let bell: StoreBell?

    /// Opens a folder, or makes it.
    ///
    /// Opening reads only the names of the files.
    /// - Parameters:
    ///   - folder: The folder.
    ///   - limit: The maximum size of a file in bytes, 64 MiB by default.
    /// - Throws: `ArchiveError.inaccessibleFile(_:explanation:)`.
    public init(at folder: URL, limit: Int = 64 << 20) throws(ArchiveError) {
        files = try DirectoryFiles(Folder(path: folder.path), limit: limit)
        index = DirectoryIndex(in: files.own)
        let bells = FolderBells(in: files.own)
        self.bells = bells
        bell = StoreBell { bells.listen(for: $0) }
    }

    /// Loads the archive of an id.
    /// - Parameter id: Any text.
    /// - Returns: The archive with its effects; `nil` if the id is unknown.
    /// - Throws: `ArchiveError`; ``StoreError/damaged(id:explanation:)`` for a file that belongs to no store.
    public func load(_ id: String) async throws -> StoredArchive? {
        try files.transaction.complete()
        guard let row = try files.file(of: FileName.of(id), id)?.row, ExactID(row.id) == ExactID(id) else { return nil }
        return row
    }

    /// Saves all changes in one transaction.
    /// - Parameter changes: The changes, each with its own id.
    /// - Returns: The stored revision of each change; for a deletion the deleted revision, or 0 if the id was unknown.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` and ``StoreError/effectsChanged(id:)`` if another save was
    ///   faster; ``StoreError/damaged(id:explanation:)``; `ArchiveError`. All files are unchanged then, unless the
    ///   folder could not be synced after the change.
    @discardableResult
    public func save(_ changes: [StoreChange]) async throws -> [Int] {
        let saved: [DirectoryChange]
        switch changes.count {
        case 0: saved = []
        case 1: saved = [try save(changes[0])]
        default: saved = try save(together: changes)
        }
        if saved.contains(where: \.concernsWorkers) {
            bell?.ring()
            bells.ringOthers()
        }
        return saved.map(\.revision)
    }

    private func save(_ change: StoreChange) throws -> DirectoryChange {
        let name = FileName.of(change.id)
        let lock = try files.lock(name)
        let planned = try files.plan(change, in: name, lock)
        if planned.new == nil, planned.revision > 0 {
            // Opening can fail for lack of a descriptor, so it comes before any change.
            let names = try files.folder.opened()
            try files.keep(planned.revision, in: lock)
            try files.folder.remove(name)
            try names.sync()
            index.finish(nil, replacing: planned.old, in: name)
        } else {
            try replace(planned, in: name)
        }
        _ = consume lock
        return planned
    }

    /// Replaces a locked file, unless the change deletes it.
    ///
    /// A loss of power may undo a change with `isLasting` false.
    func replace(_ planned: DirectoryChange, in name: String, isLasting: Bool = true) throws {
        guard let new = planned.new else { return }
        let draft = try files.draft(of: new, for: name)
        try index.prepare(new, replacing: planned.old, in: name)
        try draft.finish(isLasting: isLasting)
        index.finish(new, replacing: planned.old, in: name)
    }

    private func save(together changes: [StoreChange]) throws -> [DirectoryChange] {
        let names = changes.map { FileName.of($0.id) }
        let writing = try files.transaction.begin()
        // All saves take locks in one order, which prevents deadlocks.
        let stripes = Set(names.map(FileName.stripe)).sorted()
        let held = try stripes.map { Box(try FileLock.take(files.lockFile($0))) }
        var saved: [DirectoryChange] = []
        var record: [DirectoryTransaction.File] = []
        do {
            for (change, name) in zip(changes, names) {
                if let earlier = names.prefix(saved.count).lastIndex(of: name) {
                    throw change.conflict(with: saved[earlier].revision)
                }
                let lock = held[stripes.firstIndex(of: FileName.stripe(of: name)) ?? 0]
                let planned = try files.plan(change, in: name, lock.value)
                if let new = planned.new {
                    let draft = try files.draft(of: new, for: name)
                    record.append(.init(draft: try draft.leave(), name: name))
                    try index.prepare(new, replacing: planned.old, in: name)
                } else if planned.revision > 0 {
                    try files.keep(planned.revision, in: lock.value)
                    record.append(.init(draft: nil, name: name))
                }
                saved.append(planned)
            }
            try files.transaction.commit(record)
        } catch {
            files.transaction.giveUp(record)
            throw error
        }
        for (change, name) in zip(saved, names) { index.finish(change.new, replacing: change.old, in: name) }
        withExtendedLifetime(held) {}
        _ = consume writing
        return saved
    }

    /// Finds machines.
    ///
    /// The index finds machines that wait for a worker. Listing all ids reads file names, and first lines only for ids
    /// too long for a name. Any other query reads the first line of each file after ``ArchiveQuery/after`` up to the
    /// limit. Damaged files and foreign files are skipped.
    /// - Parameter query: The machines to find.
    /// - Returns: The ids, sorted by their UTF-8; waiting machines are sorted by their dates.
    /// - Throws: `ArchiveError.inaccessibleFile(_:explanation:)`.
    public func ids(_ query: ArchiveQuery) async throws -> [String] {
        if query.queue != nil { return try waiting(query).map(\.id) }
        return try listed(query).map(\.id)
    }

    /// Counts machines by state, reading the first line of each file.
    /// - Parameter query: The machines to count.
    /// - Returns: The number of machines in each state, by the name of the state.
    /// - Throws: `ArchiveError.inaccessibleFile(_:explanation:)`.
    public func counts(_ query: ArchiveQuery) async throws -> [String: Int] {
        let rows =
            try query.queue != nil ? waiting(query) : listed(query).compactMap { try $0.row ?? files.row(of: $0.id) }
        return rows.reduce(into: [:]) { $0[$1.state, default: 0] += 1 }
    }

    /// The requested machines, sorted by id, with the rows that had to be read.
    private func listed(_ query: ArchiveQuery) throws -> [(id: String, row: StoredArchive?)] {
        try files.transaction.complete()
        var ids: [ExactID] = []
        for name in try files.folder.names() where FileName.isOne(name) {
            guard let id = try FileName.id(of: name) ?? files.header(of: name)?.row.id else { continue }
            ids.append(ExactID(id))
        }
        if let after = query.after.map(ExactID.init) { ids.removeAll { $0 <= after } }
        ids.sort()
        if query.asksForAll { return ids.prefix(max(0, query.limit)).map { ($0.text, nil) } }
        var found: [(id: String, row: StoredArchive?)] = []
        for id in ids {
            if found.count >= query.limit { break }
            if let row = try files.row(of: id.text), query.includes(row) { found.append((id.text, row)) }
        }
        return found
    }
}

extension ArchiveQuery {
    /// Whether the query matches every file.
    fileprivate var asksForAll: Bool {
        var all = ArchiveQuery()
        (all.after, all.limit) = (after, limit)
        return self == all
    }
}

extension StoreChange {
    /// The error of a second change of the same file in one transaction.
    fileprivate func conflict(with revision: Int) -> StoreError {
        switch self {
        case .save(let archive, _): .conflict(id: id, expected: archive.revision, found: revision)
        case .delete(_, let expected): .conflict(id: id, expected: expected ?? 0, found: revision)
        case .effects: .effectsChanged(id: id)
        }
    }
}
