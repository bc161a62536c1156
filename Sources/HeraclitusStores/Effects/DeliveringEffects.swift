import Heraclitus
import HeraclitusEssentials

// Delivers stored effects to their handlers.

extension StoredWorkflow {
    /// Delivers waiting effects to their handlers, each effect at least once.
    ///
    /// Any number of processes may deliver at once. The effects of one machine are delivered in order, by one worker at
    /// a time. The effects of several machines are delivered in any order, and at the same time.
    ///
    /// An effect is removed after its handler has returned. If the process ends earlier, or the store is unreachable,
    /// the effect is delivered again. A handler may therefore get the same effect, with the same key, more than once.
    /// If the handler throws, the effect and the effects after it wait, longer each time. An effect is parked after
    /// as many failures as the policy's `attempts`, or at once if its data is unreadable. The effects after it continue.
    /// Call ``retry(_:)`` or ``discard(_:)`` for parked effects.
    ///
    /// Effects of a type that the workflow does not list wait for a release that lists the type, as do the effects
    /// after them. Machines of a version newer than `Workflow.version` are skipped and counted.
    /// - Parameters:
    ///   - policy: The lease, and the treatment of failures.
    ///   - handlers: The handlers of the effects.
    /// - Returns: The number of delivered effects, and the failures. An effect of an unknown type that has waited for
    ///   the policy's `unknownEffectAge` is a failure with `ArchiveError.unknownEffect(_:known:)`.
    /// - Throws: ``StoreError/missingHandlers(_:)`` before the first effect; `CancellationError`; errors of the store's
    ///   medium.
    @discardableResult
    public func deliver(policy: DeliveryPolicy = DeliveryPolicy(), to handlers: EffectHandlers) async throws
        -> WorkReport
    {
        try await deliver(policy, to: handlers, in: DeliveryPlaces(policy))
    }

    /// Delivers waiting effects beside other calls with the same places.
    func deliver(_ policy: DeliveryPolicy, to handlers: EffectHandlers, in places: DeliveryPlaces) async throws
        -> WorkReport
    {
        let known = knownEffects
        try handlers.check(known)
        // Effects saved later are for the next call, so that this call ends.
        var report = try await EffectWorker(self, policy, handlers, places, until: scheduler.date).work()
        report.newerCount = try await newerCount(.effects(by: scheduler.date, names: nil))
        for effect in try await unknownEffects(policy.unknownEffectAge ?? .zero) {
            report.addFailure(of: effect.key.id, effect.unknown(to: known), effect: effect)
        }
        return report
    }

    /// The names under which the effects of the workflow may be stored.
    var effectNames: [String] { knownEffects.storedNames }

    /// The number of waiting machines of newer versions, up to a thousand.
    func newerCount(_ queue: ArchiveQuery.Queue) async throws -> Int {
        guard workflowVersion < .max else { return 0 }
        var query = ArchiveQuery()
        query.workflows = workflowNames
        query.oldestVersion = workflowVersion + 1
        query.queue = queue
        query.limit = 1_000
        return try await store.ids(query).count
    }

    /// The next effects of up to a thousand machines whose type is unknown to this release and that have waited for a
    /// time.
    private func unknownEffects(_ age: Duration) async throws -> [StoredEffect] {
        var query = query()
        query.queue = .effects(by: scheduler.date - age.inSeconds, names: nil)
        query.limit = 1_000
        let known = Set(effectNames)
        var unknown: [StoredEffect] = []
        for id in try await store.ids(query) {
            guard let effects = try? await store.load(id)?.effects, let name = effects.next, !known.contains(name),
                let next = try? Outbox(effects, of: id).next
            else { continue }
            unknown.append(next)
        }
        return unknown
    }
}

/// The places of the machines whose effects are delivered at the same time.
final class DeliveryPlaces: Sendable {
    private let free: Lock<Int>

    init(_ policy: DeliveryPolicy) { free = Lock(max(1, policy.machinesAtOnce)) }

    /// Takes all free places if they are at least as many as the caller uses.
    /// - Returns: Their number; 0 if they are fewer.
    func takeAll(ifAtLeast used: Int) -> Int {
        free.withLock { free in
            guard free >= used else { return 0 }
            defer { free = 0 }
            return free
        }
    }

    func giveBack(_ count: Int) { free.withLock { $0 += count } }
}

/// Carries out effects as one worker, for one call of `deliver`.
///
/// The call works on each machine once. Effects that are saved later, or that wait again, are for the next call, so the
/// call ends.
private final class EffectWorker<W: Workflow>: Sendable {
    private let workflow: StoredWorkflow<W>
    private let policy: DeliveryPolicy
    private let handlers: EffectHandlers
    private let places: DeliveryPlaces
    private let worker = String(UInt64.random(in: 0...UInt64.max), radix: 36)

    /// The date up to which effects are due.
    private let dueDate: Date

    /// The machines on which the call has worked.
    private let worked = Lock<Set<ExactID>>([])

    /// The machines that the call has leased again; they stay leased until the call ends.
    private let left = Lock<[String]>([])

    init(
        _ workflow: StoredWorkflow<W>,
        _ policy: DeliveryPolicy,
        _ handlers: EffectHandlers,
        _ places: DeliveryPlaces,
        until date: Date
    ) {
        (self.workflow, self.policy, self.handlers, self.places, dueDate) = (workflow, policy, handlers, places, date)
    }

    private var now: Date { workflow.scheduler.date }
    private var leaseEnd: Date { now + policy.lease.inSeconds }

    /// Works until all due effects are done or wait.
    func work() async throws -> WorkReport {
        func release() async {
            for id in left.withLock({ $0 }) { _ = try? await change(id) { $0.release(until: now) } }
        }
        do {
            let report = try await workOnClaims()
            await release()
            return report
        } catch {
            await release()
            throw error
        }
    }

    private func workOnClaims() async throws -> WorkReport {
        try await withThrowingTaskGroup(of: WorkReport.self) { group in
            var report = WorkReport()
            var active = 0
            var failure: (any Error)?
            while true {
                try Task.checkCancellation()
                // Claims several machines at once, because each claim is a round trip to the database.
                let free = failure == nil ? places.takeAll(ifAtLeast: active) : 0
                if free > 0 {
                    var unused = free
                    defer { places.giveBack(unused) }
                    do {
                        // The earlier date counts: after the clock is set back, failed effects still wait.
                        let claimed = try await workflow.store.claim(claim(by: min(dueDate, now), free))
                        for archive in claimed {
                            group.addTask {
                                defer { self.places.giveBack(1) }
                                return try await self.work(at: archive)
                            }
                        }
                        active += claimed.count
                        unused -= claimed.count
                    } catch StoreError.damaged(let id, let explanation) {
                        // The unreadable archives stay claimed. Handlers under way go on.
                        report.addFailure(of: id, StoreError.damaged(id: id, explanation: explanation))
                    } catch  where !Task.isCancelled {
                        // Throwing at once would cancel the handlers under way.
                        failure = error
                    }
                }
                guard let done = try await group.next() else {
                    if let failure { throw failure }
                    return report
                }
                active -= 1
                report.add(done)
            }
        }
    }

    private func claim(by date: Date, _ limit: Int) -> StoreClaim {
        StoreClaim(
            .effects(by: date, names: workflow.effectNames),
            of: workflow.workflowNames,
            newestVersion: workflow.workflowVersion,
            until: leaseEnd,
            by: worker,
            limit: limit
        )
    }

    /// Carries out the effects of a leased machine, one after the other.
    private func work(at archive: StoredArchive) async throws -> WorkReport {
        var report = WorkReport()
        var leased = archive.effects
        do {
            guard worked.withLock({ $0.insert(ExactID(archive.id)).inserted }) else {
                // While the clock stands still, this call would claim the machine again.
                if now > dueDate {
                    _ = try await change(archive.id) { $0.release(until: now) }
                } else {
                    left.withLock { $0.append(archive.id) }
                }
                return report
            }
            let end = try Outbox(leased, of: archive.id).end
            // Leasing many machines takes time; the first leases may need a renewal.
            if let date = leased?.date, now > date - policy.lease.inSeconds * 2 / 3 {
                leased = try await change(archive.id) { $0.lease(to: worker, until: leaseEnd) }
            }
            while let waiting = leased, waiting.worker == worker {
                let outbox = try Outbox(waiting, of: archive.id)
                guard let effect = outbox.next(before: end) else {
                    if outbox.next != nil { _ = try await change(archive.id) { $0.release(until: now) } }
                    break
                }
                let outcome = try await outcome(of: effect, of: archive.id)
                if case .done = outcome { report.count += 1 }
                let (stored, settled) = try await settle(effect, outcome, from: waiting)
                leased = stored
                if let error = outcome.error { report.addFailure(of: archive.id, error, effect: settled ?? effect) }
            }
        } catch let damage as StoreError {
            // The lease stays, so that other workers leave the machine alone for a while.
            report.addFailure(of: archive.id, damage)
        } catch let error as ArchiveError {
            report.addFailure(of: archive.id, error)
        }
        return report
    }

    /// The result of one attempt.
    private enum Outcome {
        case done
        case failed(any Error, DeliveryPolicy)

        /// A failure that would repeat itself.
        case parked(any Error, DeliveryPolicy)
        case later(Date, any Error, DeliveryPolicy)

        /// The effect is for another release of the program.
        case unknown

        var error: (any Error)? {
            switch self {
            case .failed(let error, _), .parked(let error, _), .later(_, let error, _): error
            case .done, .unknown: nil
            }
        }
    }

    /// Carries out an effect.
    private func outcome(of stored: StoredEffect, of id: String) async throws -> Outcome {
        let effect: any Effect
        do { effect = try stored.effect(of: workflow.knownEffects) } catch {
            if case .unknownEffect = error { return .unknown }
            return .parked(error, policy)
        }
        guard let handler = handlers.handler(of: type(of: effect)) else { return .unknown }
        let policy = handler.policy ?? policy
        do {
            try Task.checkCancellation()
            try await renewing(id) { try await handler.handle(effect, stored.key) }
            return .done
        } catch {
            // A cancelled handler may throw any error.
            if Task.isCancelled {
                _ = try? await change(id) { $0.release(until: now) }
                throw CancellationError()
            }
            switch error as? EffectFailure {
            case .retry(let date, let error)?: return .later(date, error, policy)
            case .park(let error)?: return .parked(error, policy)
            case nil: return .failed(error, policy)
            }
        }
    }

    /// Records the result of an attempt.
    /// - Returns: The waiting effects, and the effect as it is stored.
    private func settle(
        _ effect: StoredEffect,
        _ outcome: Outcome,
        from waiting: WaitingEffects
    ) async throws -> (WaitingEffects?, StoredEffect?) {
        var settled: StoredEffect?
        let stored = try await workflow.store.changeEffects(of: effect.key.id, from: waiting) { outbox in
            let index = outbox.index(of: effect.key)
            guard outbox.worker == worker else {
                // The lease has expired and passed to another worker, which can skip a completed effect.
                guard case .done = outcome, let index else { return false }
                outbox.remove(index)
                return true
            }
            var wait: Date?
            if let index {
                switch outcome {
                case .done: outbox.remove(index)
                case .failed(let error, let policy):
                    let failures = outbox.noteFailure(of: index, error)
                    if failures < policy.attempts {
                        wait = policy.backOff.date(after: failures, since: now)
                    } else {
                        outbox.park(index, blocks: policy.parkedEffectsBlock)
                    }
                case .parked(let error, let policy):
                    _ = outbox.noteFailure(of: index, error)
                    outbox.park(index, blocks: policy.parkedEffectsBlock)
                // A date that has passed would make workers retry without a pause.
                case .later(let date, _, let policy):
                    wait = date > now ? date : policy.backOff.date(after: 1, since: now)
                case .unknown: wait = now
                }
                settled = outbox.effects.first { $0.key == effect.key }
            }
            if let wait {
                outbox.release(until: wait)
            } else if outbox.head == nil {
                outbox.release(until: now)
            } else {
                outbox.lease(to: worker, until: leaseEnd)
            }
            return true
        }
        return (stored, settled)
    }

    /// Calls a body, and renews the lease while it runs.
    private func renewing(_ id: String, _ body: () async throws -> Void) async throws {
        // An unstructured task: a child task would end on cancellation, but a handler may run on.
        let renewal = Task {
            while true {
                try await workflow.scheduler.sleep(until: now + max(policy.lease.inSeconds / 3, 0.001))
                // A failed renewal is retried; after many failures the lease ends.
                _ = try? await change(id) { $0.lease(to: worker, until: leaseEnd) }
            }
        }
        defer { renewal.cancel() }
        try await body()
    }

    /// Changes the effects of a machine if this worker holds the lease.
    private func change(_ id: String, _ body: (inout Outbox) -> Void) async throws -> WaitingEffects? {
        try await workflow.store.changeEffects(of: id) { outbox in
            guard outbox.worker == worker else { return false }
            body(&outbox)
            return true
        }
    }
}

extension ArchiveStore {
    /// Changes the effects of a stored machine, and retries after conflicts.
    /// - Parameters:
    ///   - id: The id.
    ///   - known: The effects that were loaded last; `nil` to load them.
    ///   - body: Changes the effects; returns `false` to leave them unchanged.
    /// - Returns: The stored effects; `nil` if there are none, or if they are unchanged.
    /// - Throws: Errors of `body` and of the store's medium; ``StoreError/tooManyConflicts(id:attempts:)``.
    func changeEffects(
        of id: String,
        from known: WaitingEffects? = nil,
        _ body: (inout Outbox) throws -> Bool
    ) async throws -> WaitingEffects? {
        var known = known
        for attempt in 0..<1_000 {
            // A cancelled task skips the pause, but still has to record finished effects.
            try? await Conflict.pause(before: attempt)
            if known == nil { known = try await load(id)?.effects }
            guard let old = known else { return nil }
            var outbox = try Outbox(old, of: id)
            guard try body(&outbox) else { return nil }
            let new = try outbox.waiting()
            do {
                try await save([.effects(of: id, (old, new))])
                return new
            } catch StoreError.effectsChanged {
                known = nil
            }
        }
        throw StoreError.tooManyConflicts(id: id, attempts: 1_000)
    }
}
