import Heraclitus
public import HeraclitusEssentials

/// Which machines a worker takes, and for how long nobody else gets them.
public struct StoreClaim: Sendable {
    /// What waits, and by when: an event that is due, or an effect.
    public var queue: ArchiveQuery.Queue

    /// The names of the workflow.
    public var workflows: [String]

    /// The newest version of the workflow whose machines are taken.
    public var newestVersion: Int

    /// The date by the worker's clock: claims that have ended by then keep nobody away.
    public var now: Date

    /// Until when nobody else gets the machines.
    public var end: Date

    /// The worker; a name that no other worker has.
    public var worker: String

    /// The maximum number of machines.
    public var limit: Int

    /// Makes a claim.
    /// - Parameters:
    ///   - queue: What waits, and by when.
    ///   - workflows: The names of the workflow.
    ///   - newestVersion: The newest version of the workflow whose machines are taken.
    ///   - now: The date by the worker's clock; `nil` for the date of the queue.
    ///   - end: Until when nobody else gets the machines.
    ///   - worker: The worker; a name that no other worker has.
    ///   - limit: The maximum number of machines.
    public init(
        _ queue: ArchiveQuery.Queue,
        of workflows: [String],
        newestVersion: Int,
        at now: Date? = nil,
        until end: Date,
        by worker: String,
        limit: Int
    ) {
        self.queue = queue
        self.workflows = workflows
        self.newestVersion = newestVersion
        self.now = now ?? queue.date
        self.end = end
        self.worker = worker
        self.limit = limit
    }

    /// The machines among which the claim chooses.
    public var query: ArchiveQuery {
        var query = ArchiveQuery()
        query.queue = queue
        query.workflows = workflows
        query.newestVersion = newestVersion
        query.limit = limit
        return query
    }

    /// The effects of a machine, leased by the worker; `nil` if the claim is not for them, or not any more.
    /// - Parameter archive: The machine, as it is stored now.
    /// - Returns: The leased effects.
    public func leased(_ archive: StoredArchive) -> WaitingEffects? {
        guard case .effects = queue, query.includes(archive), var effects = archive.effects else { return nil }
        (effects.worker, effects.date) = (worker, end)
        return effects
    }
}

extension ArchiveStore {
    /// Claims machines: finds and loads them, and leases effects one after the other.
    /// - Parameter claim: Which machines, and until when.
    /// - Returns: The archives.
    /// - Throws: Errors of the store's medium. An archive that cannot be read is left out, and not claimed.
    public func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
        var query = claim.query
        // More of them and in any order, or all who look at the same time would try the same.
        query.limit = min(max(0, claim.limit), .max / 8) * 8
        var claimed: [StoredArchive] = []
        for id in try await ids(query).shuffled() where claimed.count < claim.limit {
            do {
                if let archive = try await self.claim(id, claim, query) { claimed.append(archive) }
            } catch StoreError.effectsChanged, StoreError.conflict, StoreError.damaged, ArchiveError.tooLarge {
                continue
            } catch {
                // The claimed machines would wait for the end of their leases; an error that stays comes again.
                if claimed.isEmpty { throw error }
                break
            }
        }
        return claimed
    }

    /// Claims a machine, if it still waits.
    private func claim(_ id: String, _ claim: StoreClaim, _ query: ArchiveQuery) async throws -> StoredArchive? {
        for attempt in 1... {
            guard var archive = try await load(id), query.includes(archive) else { return nil }
            guard let leased = claim.leased(archive) else { return archive }
            do {
                try await save([.effects(of: id, .init(from: archive.effects, to: leased))])
                archive.effects = leased
                return archive
            } catch StoreError.effectsChanged where attempt < 10 {
                // Not by another worker, perhaps, but by a unit of work that has added some.
                continue
            }
        }
        return nil
    }
}
