import Heraclitus

extension StoredWorkflow {
    /// Updates stored machines to the current definition: archives and waiting effects of older versions, deadlines,
    /// and values of ``Findable`` states.
    ///
    /// Loading a machine always migrates it; `upgrade` is for machines that stay unloaded. Run it before you remove a
    /// migration, after you add a deadline to an event, and after you change the values of a ``Findable`` state. An
    /// added deadline counts from the upgrade, by the scheduler's date.
    ///
    /// Other programs may use or upgrade the store at the same time. To resume an interrupted upgrade, pass
    /// ``WorkReport/lastID``.
    ///
    /// ```swift
    /// let upgrade = try await orders.upgrade { print("\($0.count) upgraded, up to \($0.lastID ?? "")") }
    /// for failure in upgrade.failures { print(failure.id, failure.error) }
    /// ```
    ///
    /// An archive that cannot be loaded, upgraded or saved is a failure, and stays as it was. Keep the migrations until
    /// there are no failures.
    ///
    /// An up-to-date archive stays unchanged, even if a machine within its state has an older version. Archives of a
    /// version newer than `Workflow.version` are skipped and counted.
    /// - Parameters:
    ///   - id: The id after which to begin; `nil` for the first.
    ///   - batch: The number of archives to load and save at once.
    ///   - progress: Gets the report so far after each batch. Throw from it to stop, for example at the first failure;
    ///     upgraded archives stay upgraded.
    /// - Returns: The number of upgraded machines. The failures have an `ArchiveError` or a ``StoreError``.
    /// - Throws: Errors of `progress`; errors of the store's medium; `CancellationError`.
    public nonisolated(nonsending) func upgrade(
        after id: String? = nil,
        batch: Int = 500,
        progress: (_ report: WorkReport) async throws -> Void = { _ in }
    ) async throws -> WorkReport {
        var report = WorkReport()
        report.lastID = id
        var query = ArchiveQuery()
        query.workflows = workflowNames
        query.limit = max(1, batch)
        while true {
            try Task.checkCancellation()
            query.after = report.lastID
            let ids = try await store.ids(query)
            guard let last = ids.last else { return report }
            try await upgrade(ids, &report)
            report.lastID = last
            try await progress(report)
        }
    }

    /// Upgrades the archives of a batch of ids.
    private nonisolated(nonsending) func upgrade(_ ids: [String], _ report: inout WorkReport) async throws {
        var changes: [StoreChange] = []
        for archive in try await loaded(ids, &report) {
            do {
                if let change = try upgraded(archive, &report) { changes.append(change) }
            } catch {
                report.addFailure(of: archive.id, error)
            }
        }
        if changes.isEmpty { return }
        do {
            try await store.save(changes)
            report.count += changes.count
            return
        } catch  where !error.isOfOneArchive { throw error } catch {}
        for change in changes {
            do {
                try await upgradeAlone(change, &report)
            } catch  where error.isOfOneArchive {
                report.addFailure(of: change.id, error)
            }
        }
    }

    /// Saves a single archive after the save of its batch has failed.
    private nonisolated(nonsending) func upgradeAlone(_ change: StoreChange, _ report: inout WorkReport) async throws {
        var upgrade: StoreChange? = change
        let attempts = 100
        for attempt in 0..<attempts {
            try await Conflict.pause(before: attempt)
            guard let next = upgrade else { return }
            do {
                try await store.save([next])
                report.count += 1
                return
            } catch StoreError.conflict, StoreError.effectsChanged {
                // Another save was faster, perhaps by a program of the older version.
                upgrade = try await store.load(change.id).flatMap { try upgraded($0, &report) }
            }
        }
        throw StoreError.tooManyConflicts(id: change.id, attempts: attempts)
    }

    /// The replacement of an archive; `nil` if the archive is up to date, or newer.
    private func upgraded(_ stored: StoredArchive, _ report: inout WorkReport) throws -> StoreChange? {
        let version = stored.writtenVersion
        if let version, version > workflowVersion {
            report.newerCount += 1
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
        return (old, try outbox.waiting())
    }

    /// Loads the archives of a batch; after an error it loads them one by one.
    private nonisolated(nonsending) func loaded(
        _ ids: [String],
        _ report: inout WorkReport
    ) async throws -> [StoredArchive] {
        if let archives = try? await store.load(ids) { return archives }
        var archives: [StoredArchive] = []
        for id in ids {
            do {
                if let archive = try await store.load(id) { archives.append(archive) }
            } catch  where error is StoreError || error is ArchiveError {
                // An unreadable file is a failure of its machine. If the folder is lost, the next list of ids throws.
                report.addFailure(of: id, error)
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
