public import Heraclitus
import HeraclitusEssentials

extension ArchiveStore {
    /// Works for workflows until the task is cancelled: fires what is due, delivers effects, and sleeps until the next date.
    ///
    /// ```swift
    /// try await store.run(orders, stock, to: EffectHandlers().on(SendMail.self) { mail, key in … })
    /// ```
    ///
    /// Run it in as many processes as you like: each works on other machines. A worker wakes when this process, and where the store's
    /// ``bell`` says so another process of the same machine, has saved something. It looks at the store at least once in `interval`.
    /// - Parameters:
    ///   - workflows: The workflows.
    ///   - handlers: Carry effects out.
    ///   - policy: For how long a worker has effects, and what happens when a handler fails.
    ///   - interval: The longest time between two looks at the store.
    ///   - failed: Gets each failure, on any thread: of a machine, of an effect, or of the store. The worker goes on.
    /// - Throws: `CancellationError`; ``StoreError/missingHandlers(_:)`` before anything is taken.
    public func run<each W: Workflow>(
        _ workflows: repeat StoredWorkflow<each W>,
        to handlers: EffectHandlers = EffectHandlers(),
        policy: DeliveryPolicy = DeliveryPolicy(),
        interval: Duration = .seconds(10),
        failed: @escaping @Sendable (_ failure: WorkFailure) async -> Void = { _ in }
    ) async throws {
        for workflow in repeat each workflows { try workflow.checkHandlers(handlers) }
        var policy = policy
        // A worker looks often. So it reports an effect that nobody knows only when it has waited for long.
        if policy.unknownEffectAge == .zero { policy.unknownEffectAge = .seconds(3_600) }
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

extension StoredWorkflow {
    fileprivate func checkHandlers(_ handlers: EffectHandlers) throws(StoreError) { try handlers.check(knownEffects) }

    /// When the next machine waits for a worker after a date; `nil` if none does.
    fileprivate func nextDate(_ queue: ArchiveQuery.Queue, after date: Date) async throws -> Date? {
        var query = ArchiveQuery()
        query.workflows = workflowNames
        query.newestVersion = workflowVersion
        query.queue = queue
        return try await store.nextDate(query, after: date)
    }
}

/// The rounds of a worker: work, then sleep until there is more.
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
        while true {
            try Task.checkCancellation()
            // First: what is saved from now on is looked at, now or in the next round.
            let rings = bell?.rings ?? 0
            let now = workflow.scheduler.date
            var wake = now + interval.inSeconds
            do {
                for failure in try await work().failures where isNew(failure) { await failed(failure) }
                if let next = try await workflow.nextDate(queue, after: now) { wake = min(wake, next) }
            } catch {
                try Task.checkCancellation()
                // A medium that fails is tried again.
                await failed(WorkFailure(id: "", effect: nil, error: error))
            }
            try await sleep(until: wake, workflow.scheduler, after: rings)
        }
    }

    /// Whether a failure is to be reported: an effect of an unknown type is, once.
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
            if let bell { group.addTask { await bell.wait(after: rings) } }
            _ = try await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }
}
