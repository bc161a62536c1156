import Heraclitus

/// How far an upgrade of a store has come.
public struct StoreUpgrade: Sendable, Hashable {
    /// The number of archives that were looked at.
    public internal(set) var examined = 0

    /// The number of archives that were replaced.
    public internal(set) var upgraded = 0

    /// The number of archives of newer versions, which stay as they are.
    public internal(set) var newer = 0

    /// The last id that was looked at, after which an upgrade that was interrupted can go on; `nil` before the first.
    public internal(set) var lastID: String?
}

extension StoredWorkflow {
    /// Brings the stored machines up to date with today's definition: archives of older versions, deadlines, and the values by which machines are found.
    ///
    /// Machines that are loaded are always migrated; this is for those that nobody loads. Run it when a migration is to be removed, when an event was
    /// given a deadline, or when a ``Findable`` state names other values. A deadline that was added counts from the upgrade, by the scheduler's date.
    /// Programs may use the store meanwhile, also others that upgrade it. An upgrade that was interrupted goes on after ``StoreUpgrade/lastID``.
    ///
    /// ```swift
    /// try await orders.upgrade { print("\($0.examined) orders, \($0.upgraded) upgraded") }
    /// ```
    ///
    /// An archive that is up to date is left as it is, also if a machine within its state has an older version.
    /// - Parameters:
    ///   - id: The id after which to begin; `nil` for the first.
    ///   - batch: The number of archives that are loaded and saved at once.
    ///   - progress: Is called after each batch. If it throws, what was upgraded stays.
    ///   - failed: Gets the id and the error of an archive that cannot be loaded, upgraded or saved, and may throw to leave out
    ///     the rest. By default it throws the error.
    /// - Returns: How far it has come: to the end.
    /// - Throws: What `failed` and `progress` throw; errors of the store's medium.
    @discardableResult
    public nonisolated(nonsending) func upgrade(
        after id: String? = nil,
        batch: Int = 500,
        progress: (_ upgrade: StoreUpgrade) async throws -> Void = { _ in },
        failed: (_ id: String, _ error: any Error) throws -> Void = { throw $1 }
    ) async throws -> StoreUpgrade {
        var reached = StoreUpgrade()
        reached.lastID = id
        var query = ArchiveQuery()
        query.workflows = workflowNames
        query.limit = max(1, batch)
        while true {
            try Task.checkCancellation()
            query.after = reached.lastID
            let ids = try await store.ids(query)
            guard let last = ids.last else { return reached }
            try await upgrade(ids, &reached, failed)
            reached.examined += ids.count
            reached.lastID = last
            try await progress(reached)
        }
    }

    /// Upgrades the archives of some ids.
    private nonisolated(nonsending) func upgrade(
        _ ids: [String],
        _ reached: inout StoreUpgrade,
        _ failed: (_ id: String, _ error: any Error) throws -> Void
    ) async throws {
        var changed: [StoredArchive] = []
        for archive in try await loaded(ids, failed) {
            do {
                if let upgraded = try upgraded(archive, &reached) { changed.append(upgraded) }
            } catch {
                try failed(archive.id, error)
            }
        }
        if changed.isEmpty { return }
        do {
            try await store.save(changed.map { .save($0) })
            reached.upgraded += changed.count
            return
        } catch  where !error.isOfOneArchive { throw error } catch {}
        for archive in changed {
            do {
                if try await upgradeAlone(archive) { reached.upgraded += 1 }
            } catch  where error.isOfOneArchive {
                try failed(archive.id, error)
            }
        }
    }

    /// Saves an archive that could not be saved with others.
    private nonisolated(nonsending) func upgradeAlone(_ archive: StoredArchive) async throws -> Bool {
        var upgrade: StoredArchive? = archive
        for attempt in 0..<unitAttempts {
            try await Conflict.pause(before: attempt)
            guard let next = upgrade else { return false }
            do {
                try await store.save(next)
                return true
            } catch StoreError.conflict {
                // Somebody else has saved it meanwhile, perhaps a program of the older version.
                var unused = StoreUpgrade()
                upgrade = try await store.load(archive.id).flatMap { try upgraded($0, &unused) }
            }
        }
        throw StoreError.tooManyConflicts(id: archive.id, attempts: unitAttempts)
    }

    /// What is to be stored in place of an archive; `nil` if it is up to date.
    private func upgraded(_ stored: StoredArchive, _ reached: inout StoreUpgrade) throws -> StoredArchive? {
        let version = stored.writtenVersion
        if let version, version > workflowVersion {
            reached.newer += 1
            return nil
        }
        let machine = try machine(of: stored)
        let row = try row(of: machine, stored.id, replacing: stored.revision, stored, hasEntered: false)
        guard version != workflowVersion || row.due != stored.due || row.values != stored.values else { return nil }
        return row
    }

    /// Loads archives at once, or those that can be loaded if there is one that cannot.
    private nonisolated(nonsending) func loaded(
        _ ids: [String],
        _ failed: (_ id: String, _ error: any Error) throws -> Void
    ) async throws -> [StoredArchive] {
        if let archives = try? await store.load(ids) { return archives }
        var archives: [StoredArchive] = []
        for id in ids {
            do {
                if let archive = try await store.load(id) { archives.append(archive) }
            } catch let error as CancellationError where Task.isCancelled {
                throw error
            } catch {
                try failed(id, error)
            }
        }
        return archives
    }
}

extension Error {
    /// Whether it is the fault of an archive that a store cannot save, and not one of the store's medium.
    fileprivate var isOfOneArchive: Bool {
        switch self as any Error {
        case is StoreError, ArchiveError.tooLarge: true
        default: false
        }
    }
}

extension StoredArchive {
    /// The version of the workflow that has written the archive; `nil` if that cannot be read.
    var writtenVersion: Int? {
        version ?? (try? JSONValue(text: [UInt8](archive)))?[EnvelopeKey.version.rawValue]?.intValue
    }
}
