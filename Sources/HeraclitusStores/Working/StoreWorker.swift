public import Heraclitus
import HeraclitusEssentials

extension ArchiveStore {
    /// Runs a worker until the task is cancelled: fires due events, delivers effects, and sleeps until the next date.
    ///
    /// ```swift
    /// try await store.run(orders, stock, to: EffectHandlers().on(SendMail.self) { mail, key in … })
    /// ```
    ///
    /// The work of states stays off, as in units of work. A process that does it restores the ``StoredArchive/archive``,
    /// activates the machine and saves it.
    ///
    /// Run it in as many processes as you like: each works on other machines. A save of this process wakes the worker;
    /// with the store's ``bell``, so does a save of another process. The worker looks at the store at least once per
    /// `interval`.
    ///
    /// A worker claims the next effects of a workflow when at least half of its handlers have returned, and effects
    /// saved meanwhile when all have. Limit the time of handlers, because one that hangs holds up its worker.
    /// - Parameters:
    ///   - workflows: The workflows.
    ///   - handlers: The handlers of the effects.
    ///   - policy: The lease of effects, and the treatment of failures.
    ///   - interval: The longest time between two looks at the store.
    ///   - failed: Gets each failure of a machine, an effect or the store, on any thread; of one look at the store, the
    ///     first thousand. The worker goes on.
    /// - Throws: `CancellationError`; ``StoreError/missingHandlers(_:)`` before the first claim.
    public func run<each W: Workflow>(
        _ workflows: repeat StoredWorkflow<each W>,
        to handlers: EffectHandlers = EffectHandlers(),
        policy: DeliveryPolicy = DeliveryPolicy(),
        interval: Duration = .seconds(10),
        failed: @escaping @Sendable (_ failure: WorkFailure) async -> Void = { _ in }
    ) async throws {
        for workflow in repeat each workflows { try handlers.check(workflow.knownEffects) }
        var policy = policy
        // A worker looks often, so it reports an effect of an unknown type only after a long wait.
        policy.unknownEffectAge = policy.unknownEffectAge ?? .seconds(3_600)
        let rounds = Rounds(bell: bell, interval: interval, failed: failed)
        try await withThrowingTaskGroup(of: Void.self) { [policy] group in
            for workflow in repeat each workflows {
                group.addTask {
                    try await rounds.run(workflow, .due(by: .distantFuture)) { try await workflow.fireDue() }
                }
                guard !workflow.effectNames.isEmpty else { continue }
                group.addTask {
                    let queue = ArchiveQuery.Queue.effects(by: .distantFuture, names: workflow.effectNames)
                    try await rounds.run(workflow, queue) { try await workflow.deliver(policy: policy, to: handlers) }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// The rounds of a worker: work, then sleep until the next date or ring.
private final class Rounds: Sendable {
    let bell: StoreBell?
    let interval: Duration
    let failed: @Sendable (WorkFailure) async -> Void

    /// The unknown effects that were reported.
    private let reported = Lock<Set<EffectKey>>([])

    init(bell: StoreBell?, interval: Duration, failed: @escaping @Sendable (WorkFailure) async -> Void) {
        (self.bell, self.interval, self.failed) = (bell, interval, failed)
    }

    func run<W: Workflow>(
        _ workflow: StoredWorkflow<W>,
        _ queue: ArchiveQuery.Queue,
        _ work: () async throws -> WorkReport
    ) async throws {
        var query = workflow.query()
        query.queue = queue
        while true {
            try Task.checkCancellation()
            // Rings are read first, so that later saves are seen in this round or the next.
            let rings = bell?.rings ?? 0
            let now = workflow.scheduler.date
            var wake = now + interval.inSeconds
            do {
                for failure in try await work().failures where isNew(failure) { await failed(failure) }
                if let next = try await workflow.store.nextDate(query, after: now) { wake = min(wake, next) }
            } catch {
                try Task.checkCancellation()
                // The next round retries a failing medium.
                await failed(WorkFailure(id: "", effect: nil, error: error))
            }
            try await sleep(until: wake, workflow.scheduler, after: rings)
        }
    }

    /// Whether to report a failure.
    ///
    /// An effect of an unknown type is reported once.
    private func isNew(_ failure: WorkFailure) -> Bool {
        guard let effect = failure.effect, case ArchiveError.unknownEffect? = failure.error as? ArchiveError else {
            return true
        }
        return reported.withLock { reported in
            if reported.count > 10_000 { reported = [] }
            return reported.insert(effect.key).inserted
        }
    }

    /// Sleeps until a date, or until the bell rings.
    private func sleep(until date: Date, _ scheduler: Scheduler, after rings: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await scheduler.sleep(until: date) }
            // The scheduler's clock may be set back. A day at most, because a longer sleep may overflow.
            group.addTask { [interval] in try await Task.sleep(for: min(interval, .seconds(86_400))) }
            if let bell { group.addTask { await bell.wait(after: rings) } }
            _ = try await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }
}
