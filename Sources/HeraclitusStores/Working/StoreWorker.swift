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
    /// A worker claims the next effects of a workflow when at least half of its handlers have returned. It claims effects
    /// saved meanwhile when all have, or after `interval`. A handler that hangs keeps one of the places of the policy's
    /// `machinesAtOnce`, so limit the time of handlers.
    /// - Parameters:
    ///   - workflows: The workflows.
    ///   - handlers: The handlers of the effects.
    ///   - policy: The lease of effects, and the treatment of failures.
    ///   - interval: The longest time between two looks at the store.
    ///   - failed: Gets each failure of a machine, an effect or the store, on any thread; of one look at the store, the
    ///     first thousand, as in ``WorkReport/failures``. A failure of the store has an empty id. The worker goes on.
    /// - Throws: `CancellationError`; ``StoreError/missingHandlers(_:)`` before the first claim.
    public func run<each W: Workflow>(
        _ workflows: repeat StoredWorkflow<each W>,
        to handlers: EffectHandlers = EffectHandlers(),
        policy: DeliveryPolicy = DeliveryPolicy(),
        interval: Duration = .seconds(10),
        failed: @escaping @Sendable ((id: String, effect: StoredEffect?, error: any Error)) async -> Void = { _ in }
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
                    let places = DeliveryPlaces(policy)
                    try await rounds.run(workflow, queue, atOnce: policy.machinesAtOnce) {
                        try await workflow.deliver(policy, to: handlers, in: places)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// The rounds of a worker: work, then sleep until the next date or ring.
private final class Rounds: Sendable {
    typealias Failure = (id: String, effect: StoredEffect?, error: any Error)

    let bell: StoreBell?
    let interval: Duration
    let failed: @Sendable (Failure) async -> Void

    /// The unknown effects that were reported.
    private let reported = Lock<Set<EffectKey>>([])

    init(bell: StoreBell?, interval: Duration, failed: @escaping @Sendable (Failure) async -> Void) {
        (self.bell, self.interval, self.failed) = (bell, interval, failed)
    }

    /// Works and sleeps, until the task is cancelled.
    ///
    /// A round that takes longer than the interval goes on beside the next one. Slow handlers make such rounds. At most
    /// `limit` rounds work at the same time.
    func run<W: Workflow>(
        _ workflow: StoredWorkflow<W>,
        _ queue: ArchiveQuery.Queue,
        atOnce limit: Int = 1,
        _ work: @escaping @Sendable () async throws -> WorkReport
    ) async throws {
        let ends = RoundEnds()
        var begun = 0
        try await withThrowingDiscardingTaskGroup { group in
            while true {
                try Task.checkCancellation()
                // Rings are read first, so that later saves are seen in this round or the next.
                let (rings, ended) = (bell?.rings ?? 0, ends.count)
                begun += 1
                group.addTask { ends.add(wake: try await self.round(workflow, queue, work)) }
                var events: [Event] = [{ await ends.wait(after: ended) }]
                if begun - ended < limit { events.append { try await self.sleepForInterval() } }
                try await waitForFirst(of: events)
                let known = ends.count
                guard known > ended else { continue }
                let wake = ends.takeWake()
                // The scheduler's clock may be set back.
                events = [{ try await workflow.scheduler.sleep(until: wake) }, { try await self.sleepForInterval() }]
                // Saves of a round under way ring as well, and would begin rounds without a pause.
                if let bell, known == begun { events.append { await bell.wait(after: rings) } }
                if known < begun { events.append { await ends.wait(after: known) } }
                try await waitForFirst(of: events)
            }
        }
    }

    /// Works once, and reports failures.
    /// - Returns: The date of the next round.
    private func round<W: Workflow>(
        _ workflow: StoredWorkflow<W>,
        _ queue: ArchiveQuery.Queue,
        _ work: () async throws -> WorkReport
    ) async throws -> Date {
        var query = workflow.query()
        query.queue = queue
        let now = workflow.scheduler.date
        let latest = now + interval.inSeconds
        do {
            for failure in try await work().failures where isNew(failure) { await failed(failure) }
            return min(latest, try await workflow.store.nextDate(query, after: now) ?? latest)
        } catch {
            try Task.checkCancellation()
            // The next round retries a failing medium.
            await failed((id: "", effect: nil, error: error))
            return latest
        }
    }

    /// Whether to report a failure.
    ///
    /// An effect of an unknown type is reported once.
    private func isNew(_ failure: Failure) -> Bool {
        guard let effect = failure.effect, case ArchiveError.unknownEffect? = failure.error as? ArchiveError else {
            return true
        }
        return reported.withLock { reported in
            if reported.count > 10_000 { reported = [] }
            return reported.insert(effect.key).inserted
        }
    }

    /// Sleeps for the interval by the system's clock; a day at most, because a longer sleep may overflow.
    private func sleepForInterval() async throws { try await Task.sleep(for: min(interval, .seconds(86_400))) }

    private typealias Event = @Sendable () async throws -> Void

    /// Waits for the first of several events, and cancels the others.
    private func waitForFirst(of events: [Event]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for event in events { group.addTask { try await event() } }
            _ = try await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }
}

/// The ends of rounds, with the date of the next round.
private final class RoundEnds: Sendable {
    private let bell = StoreBell()
    private let next = Lock(Date.distantFuture)

    var count: Int { bell.rings }

    /// Takes the earliest date since the last call.
    func takeWake() -> Date {
        next.withLock { next in
            defer { next = .distantFuture }
            return next
        }
    }

    func add(wake date: Date) {
        next.withLock { $0 = min($0, date) }
        bell.ring()
    }

    func wait(after count: Int) async { await bell.wait(after: count) }
}
