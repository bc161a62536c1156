import Heraclitus
public import HeraclitusEssentials

/// A worker's claim of machines for a time.
public struct StoreClaim: Sendable {
    /// The query for claimable machines: their workflows and newest version, the queue in which they wait, and the
    /// maximum number.
    ///
    /// A claim always has a queue: a query without one gets the queue of the query before.
    public var query: ArchiveQuery {
        didSet { if query.queue == nil { query.queue = oldValue.queue } }
    }

    /// The date by the worker's clock; claims that ended by then are expired.
    public var now: Date

    /// The end of the claim; until then other workers skip the machines.
    public var end: Date

    /// The unique name of the worker.
    public var worker: String

    /// Makes a claim.
    /// - Parameters:
    ///   - queue: The kind of waiting work, and its latest date.
    ///   - workflows: The names of the workflow.
    ///   - newestVersion: The newest workflow version to claim.
    ///   - now: The date by the worker's clock; `nil` for the date of the queue.
    ///   - end: The end of the claim; until then other workers skip the machines.
    ///   - worker: The unique name of the worker.
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
        var query = ArchiveQuery()
        (query.queue, query.workflows) = (queue, workflows)
        (query.newestVersion, query.limit) = (newestVersion, limit)
        self.query = query
        self.now = now ?? queue.date
        self.end = end
        self.worker = worker
    }

    /// Leases the effects of a machine; `nil` if the claim is for due events, or the effects no longer match.
    /// - Parameter archive: The machine as it is stored now.
    /// - Returns: The leased effects.
    public func leased(_ archive: StoredArchive) -> WaitingEffects? {
        guard case .effects? = query.queue, query.includes(archive), var effects = archive.effects else { return nil }
        (effects.worker, effects.date) = (worker, end)
        return effects
    }
}

extension ArchiveStore {
    /// Claims machines: finds and loads them, and leases effects one after the other.
    /// - Parameter claim: The machines, and the end of the claim.
    /// - Returns: The archives.
    /// - Throws: Errors of the store's medium. Unreadable archives are skipped.
    public func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
        var query = claim.query
        // More candidates in random order keep concurrent workers from trying the same machines.
        query.limit = min(max(0, query.limit), .max / 8) * 8
        var claimed: [StoredArchive] = []
        for id in try await ids(query).shuffled() where claimed.count < claim.query.limit {
            do {
                if let archive = try await self.claim(id, claim) { claimed.append(archive) }
            } catch StoreError.effectsChanged, StoreError.conflict, StoreError.damaged, ArchiveError.tooLarge {
                continue
            } catch {
                // Throwing would leave the machines leased until the leases end. A lasting error is thrown by the next
                // claim.
                if claimed.isEmpty { throw error }
                break
            }
        }
        return claimed
    }

    /// Claims a machine that still waits.
    private func claim(_ id: String, _ claim: StoreClaim) async throws -> StoredArchive? {
        for attempt in 1... {
            guard var archive = try await load(id), claim.query.includes(archive) else { return nil }
            guard let leased = claim.leased(archive) else { return archive }
            do {
                try await save([.effects(of: id, (archive.effects, leased))])
                archive.effects = leased
                return archive
            } catch StoreError.effectsChanged where attempt < 10 {
                // A unit of work may have added effects, so the claim is tried again.
                continue
            }
        }
        return nil
    }
}
