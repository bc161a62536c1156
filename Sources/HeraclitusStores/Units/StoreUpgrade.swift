import Heraclitus

/// The progress of an upgrade of a store.
public struct StoreUpgrade: Sendable, Hashable {
    /// The number of examined archives.
    public internal(set) var examined = 0

    /// The number of replaced archives.
    public internal(set) var upgraded = 0

    /// The number of skipped archives of newer versions.
    public internal(set) var newer = 0

    /// The last examined id, where an interrupted upgrade can resume; `nil` at the beginning.
    public internal(set) var lastID: String?
}

extension StoredWorkflow {
    /// Updates stored machines to the current definition: archives and waiting effects of older versions, deadlines,
    /// and values of ``Findable`` states.
    ///
    /// Loading a machine always migrates it; `upgrade` is for machines that stay unloaded. Run it before you remove a
    /// migration, after you add a deadline to an event, and after you change the values of a ``Findable`` state. An
    /// added deadline counts from the upgrade, by the scheduler's date.
    ///
    /// Other programs may use or upgrade the store at the same time. To resume an interrupted upgrade, pass
    /// ``StoreUpgrade/lastID``.
    ///
    /// ```swift
    /// try await orders.upgrade { print("\($0.examined) orders, \($0.upgraded) upgraded") }
    /// ```
    ///
    /// An up-to-date archive stays unchanged, even if a machine within its state has an older version.
    /// - Parameters:
    ///   - id: The id after which to begin; `nil` for the first.
    ///   - batch: The number of archives to load and save at once.
    ///   - progress: Called after each batch. If it throws, upgraded archives stay upgraded.
    ///   - failed: Gets the id and the error of an archive that cannot be loaded, upgraded or saved. Throw from it to
    ///     stop. By default it throws the error.
    /// - Returns: The final progress.
    /// - Throws: Errors of `failed` and `progress`; errors of the store's medium.
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

    /// Upgrades the archives of a batch of ids.
    private nonisolated(nonsending) func upgrade(
        _ ids: [String],
        _ reached: inout StoreUpgrade,
        _ failed: (_ id: String, _ error: any Error) throws -> Void
    ) async throws {
        var changed: [StoreChange] = []
        for archive in try await loaded(ids, failed) {
            do {
                guard let upgraded = try upgraded(archive, &reached) else { continue }
                changed.append(upgraded)
            } catch {
                try failed(archive.id, error)
            }
        }
        if changed.isEmpty { return }
        do {
            try await store.save(changed)
            reached.upgraded += changed.count
            return
        } catch  where !error.isOfOneArchive { throw error } catch {}
        for change in changed {
            do {
                if try await upgradeAlone(change) { reached.upgraded += 1 }
            } catch  where error.isOfOneArchive {
                try failed(change.id, error)
            }
        }
    }

    /// Saves a single archive after the save of its batch has failed.
    private nonisolated(nonsending) func upgradeAlone(_ change: StoreChange) async throws -> Bool {
        var upgrade: StoreChange? = change
        let attempts = 100
        for attempt in 0..<attempts {
            try await Conflict.pause(before: attempt)
            guard let next = upgrade else { return false }
            do {
                try await store.save([next])
                return true
            } catch StoreError.conflict, StoreError.effectsChanged {
                // Another save was faster, perhaps by a program of the older version.
                var unused = StoreUpgrade()
                upgrade = try await store.load(change.id).flatMap { try upgraded($0, &unused) }
            }
        }
        throw StoreError.tooManyConflicts(id: change.id, attempts: attempts)
    }

    /// The replacement of an archive; `nil` if the archive is up to date.
    private func upgraded(_ stored: StoredArchive, _ reached: inout StoreUpgrade) throws -> StoreChange? {
        let version = stored.writtenVersion
        if let version, version > workflowVersion {
            reached.newer += 1
            return nil
        }
        let machine = try machine(of: stored)
        let row = try row(of: machine, stored.id, replacing: stored.revision, stored, hasEntered: false)
        let effects = try upgradedEffects(of: stored)
        let isUpToDate = version == workflowVersion && row.due == stored.due && row.values == stored.values
        return isUpToDate && effects == nil ? nil : .save(row, effects: effects)
    }

    /// The replacement of the waiting effects; `nil` if they are up to date.
    private func upgradedEffects(of stored: StoredArchive) throws -> (old: WaitingEffects?, new: WaitingEffects?)? {
        guard let old = stored.effects else { return nil }
        var outbox = try Outbox(old, of: stored.id)
        guard try outbox.migrate(to: knownEffects) else { return nil }
        return (old, try outbox.waiting(of: stored.id))
    }

    /// Loads the archives of a batch; after an error it loads them one by one.
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
    /// Whether the error concerns one archive rather than the store's medium.
    fileprivate var isOfOneArchive: Bool {
        switch self as any Error {
        case ArchiveError.inaccessibleFile: false
        default: self is StoreError || self is ArchiveError
        }
    }
}

extension StoredArchive {
    /// The version of the workflow that wrote the archive; `nil` if it is unreadable.
    var writtenVersion: Int? {
        version ?? (try? JSONValue(text: archive))?[EnvelopeKey.version.stringValue]?.intValue
    }
}
