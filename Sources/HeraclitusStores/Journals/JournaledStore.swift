import HeraclitusEssentials

extension ArchiveStore {
    /// A store that also appends the journals of its machines to a file, which keeps all lines.
    ///
    /// ```swift
    /// let store = try Archive.directory(at: folder).journaled(in: JournalFile(at: log))
    /// let orders = store.workflow(Order.self)
    /// try await orders.update("42") { order in try order.fire.pay(…) }
    /// ```
    ///
    /// An archive contains the last lines of its machine's journal. After a save, the store appends the lines that the
    /// file lacks. If the process dies before that, the next save of the machine appends them, in any process. The file
    /// therefore has each line once, unless more lines are saved between two appends than the journal keeps, in one save
    /// or in several at the same time. The line numbers show such gaps.
    ///
    /// The lines in the file are readable. Seal a store first, because the journal of a sealed archive is hidden:
    /// `store.sealed(…).journaled(in: log)`.
    ///
    /// Only machines with a journal write to the file. The journals of machines within a state stay in the archive.
    ///
    /// A save throws errors of this store, after which the archives are unchanged. If it throws an `ArchiveError` of the
    /// file, the changes are saved, and the next save of each machine appends its lines.
    /// - Parameter journal: The file of the journals.
    /// - Returns: The store.
    public func journaled(in journal: JournalFile) -> some ArchiveStore { JournaledStore(base: self, journal: journal) }
}

private struct JournaledStore<Base: ArchiveStore>: ArchiveStore {
    let base: Base
    let journal: JournalFile

    func save(_ changes: [StoreChange]) async throws -> [Int] {
        let revisions = try await base.save(changes)
        let saved = changes.compactMap { change -> StoredArchive? in
            if case .save(let archive, _) = change { archive } else { nil }
        }
        try await journal.append(saved)
        return revisions
    }

    func load(_ id: String) async throws -> StoredArchive? { try await base.load(id) }

    func load(_ ids: [String]) async throws -> [StoredArchive] { try await base.load(ids) }

    func ids(_ query: ArchiveQuery) async throws -> [String] { try await base.ids(query) }

    func counts(_ query: ArchiveQuery) async throws -> [String: Int] { try await base.counts(query) }

    func claim(_ claim: StoreClaim) async throws -> [StoredArchive] { try await base.claim(claim) }

    func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date? {
        try await base.nextDate(query, after: date)
    }

    var bell: StoreBell? { base.bell }

    var executor: (any TaskExecutor)? { base.executor }
}
