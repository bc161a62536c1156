package import Heraclitus
package import HeraclitusEssentials

/// A store with one file for each machine in a folder: see ``Archive/directory(at:limit:)``.
package final class DirectoryStore: ArchiveStore {
    let files: DirectoryFiles
    let index: DirectoryIndex
    let candidates = Lock<[Wanted: ArraySlice<Candidate>]>([:])
    let nextRepair = Lock<ContinuousClock.Instant?>(nil)
    private let bells: FolderBells

    package let bell: StoreBell?

    package init(at folder: URL, limit: Int = 64 << 20) throws(ArchiveError) {
        files = try DirectoryFiles(Folder(path: folder.path), limit: limit)
        index = DirectoryIndex(in: files.own)
        let bells = FolderBells(in: files.own)
        self.bells = bells
        bell = StoreBell { bells.listen(for: $0) }
    }

    package func load(_ id: String) async throws -> StoredArchive? {
        try files.transaction.complete()
        guard let row = try files.file(of: FileName.of(id), id)?.row, ExactID(row.id) == ExactID(id) else { return nil }
        return row
    }

    @discardableResult
    package func save(_ changes: [StoreChange]) async throws -> [Int] {
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

    package func ids(_ query: ArchiveQuery) async throws -> [String] {
        if query.queue != nil { return try waiting(query).map(\.id) }
        return try listed(query).map(\.id)
    }

    package func counts(_ query: ArchiveQuery) async throws -> [String: Int] {
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
