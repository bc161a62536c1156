public import Heraclitus

/// How far an upgrade of a store has come.
public struct StoreUpgrade: Sendable, Hashable {
    /// The number of archives that were looked at.
    public internal(set) var examined = 0

    /// The number of archives of older versions that were replaced.
    public internal(set) var upgraded = 0

    /// The last id that was looked at, after which an upgrade that was interrupted can go on; `nil` before the first.
    public internal(set) var lastID: String?
}

extension ArchiveStore {
    /// Replaces the archives of older versions of a workflow, so that no migration has to run when they are loaded next.
    ///
    /// Machines that are loaded are always migrated; this is for those that nobody loads, before a migration is removed.
    /// Programs may use the store meanwhile, also others that upgrade it. An upgrade that was interrupted goes on after
    /// ``StoreUpgrade/lastID``; one that begins again only looks at what was upgraded already.
    ///
    /// ```swift
    /// try await store.upgrade(Order.self) { print("\($0.examined) orders, \($0.upgraded) upgraded") }
    /// ```
    ///
    /// An archive that has this version is left as it is, also if a machine within its state has an older one.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - id: The id after which to begin; `nil` for the first.
    ///   - batch: The number of archives that are loaded and saved at once.
    ///   - progress: Is called after each batch. If it throws, what was upgraded stays.
    ///   - failed: Gets the id and the error of an archive that cannot be loaded, upgraded or saved, and may throw to leave out
    ///     the rest. By default it throws the error.
    /// - Returns: How far it has come: to the end.
    /// - Throws: What `failed` and `progress` throw; errors of the store's medium.
    @discardableResult
    public nonisolated(nonsending) func upgrade<W: Workflow>(
        _ workflow: W.Type,
        after id: String? = nil,
        batch: Int = 500,
        progress: (_ upgrade: StoreUpgrade) async throws -> Void = { _ in },
        failed: (_ id: String, _ error: any Error) throws -> Void = { throw $1 }
    ) async throws -> StoreUpgrade {
        var reached = StoreUpgrade()
        reached.lastID = id
        while true {
            try Task.checkCancellation()
            let (last, limit) = (reached.lastID, max(1, batch))
            let found = try await each(of: W.storedNames) {
                try await self.ids(of: $0, in: nil, after: last, limit: limit)
            }
            let ids = Array(found.prefix(limit))
            guard let last = ids.last else { return reached }
            reached.upgraded += try await upgrade(ids, of: W.self, failed)
            reached.examined += ids.count
            reached.lastID = last
            try await progress(reached)
        }
    }

    /// Upgrades the archives of some ids; returns how many.
    private nonisolated(nonsending) func upgrade<W: Workflow>(
        _ ids: [String],
        of workflow: W.Type,
        _ failed: (_ id: String, _ error: any Error) throws -> Void
    ) async throws -> Int {
        let attempts = 20
        var (remaining, upgraded) = (ids, 0)
        for attempt in 1...attempts where !remaining.isEmpty {
            var changed: [StoredArchive] = []
            for archive in try await loaded(remaining, failed) where archive.isOld(for: W.self) {
                do {
                    // Nobody fires it, so it needs no context.
                    let machine = try StateMachine<W>(archive.archive, limit: .max)
                    machine.becomePassive()
                    changed.append(try StoredArchive(machine, id: archive.id, replacing: archive))
                } catch {
                    try failed(archive.id, error)
                }
            }
            let (saved, conflicts) = try await saved(changed, failed)
            upgraded += saved
            // Somebody else has saved them meanwhile, perhaps a program of the older version.
            remaining = conflicts
            if attempt == attempts {
                for id in remaining { try failed(id, StoreError.tooManyConflicts(id: id, attempts: attempts)) }
            }
        }
        return upgraded
    }

    /// Saves archives at once, or those that can be saved if there is one that cannot; an error of the medium is thrown.
    /// - Returns: How many were saved, and the ids of those that somebody else has saved meanwhile.
    private nonisolated(nonsending) func saved(
        _ archives: [StoredArchive],
        _ failed: (_ id: String, _ error: any Error) throws -> Void
    ) async throws -> (count: Int, conflicts: [String]) {
        do {
            let revisions = try await save(each: archives)
            let conflicts = zip(archives, revisions).filter { $1 == nil }.map(\.0.id)
            return (archives.count - conflicts.count, conflicts)
        } catch  where !error.isOfOneArchive {
            throw error
        } catch {}
        var (count, conflicts) = (0, [String]())
        for archive in archives {
            do {
                try await save(archive)
                count += 1
            } catch StoreError.conflict {
                // It may have been saved with the others, before the one that cannot be.
                let stored = try? await load(archive.id)
                if stored?.archive == archive.archive { count += 1 } else { conflicts.append(archive.id) }
            } catch  where error.isOfOneArchive {
                try failed(archive.id, error)
            }
        }
        return (count, conflicts)
    }

    /// Loads archives at once, or those that can be loaded if there is one that cannot.
    private nonisolated(nonsending) func loaded(
        _ ids: [String],
        _ failed: (_ id: String, _ error: any Error) throws -> Void
    ) async throws -> [StoredArchive] {
        if let archives = try? await load(each: ids) { return archives }
        var archives: [StoredArchive] = []
        for id in ids {
            do {
                if let archive = try await load(id) { archives.append(archive) }
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
    /// Whether the archive has another version than this program's, or none; whoever restores it finds out what is wrong then.
    fileprivate func isOld<W: Workflow>(for workflow: W.Type) -> Bool {
        (try? JSONValue(text: [UInt8](archive)))?[EnvelopeKey.version.rawValue]?.intValue != W.version
    }
}
