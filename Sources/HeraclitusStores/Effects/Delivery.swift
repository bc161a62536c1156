public import Heraclitus
import HeraclitusEssentials

// How do stored effects get to those who carry them out?

extension ArchiveStore {
    /// Hands the effects of a workflow's machines to a handler: those that are there now, each at least once.
    ///
    /// What is saved after the call has leased the effects of its machine is for the next call, also if the clock stands still. So is what was saved
    /// before, if the clock is set back by so much that it is not due any more.
    ///
    /// ```swift
    /// try await store.deliver(Order.self) { effect, key in
    ///     switch effect {
    ///     case let mail as SendMail: try await mailer.send(mail, once: "\(key)")
    ///     default: throw Unhandled()
    ///     }
    /// }
    /// ```
    ///
    /// Any number of processes may do so at once, each as often as it likes. The effects of one machine are handed over in their order, one after
    /// the other, and only one worker is at them at a time, as far as ``DeliveryPolicy/lease`` says. Those of several machines come in any order, and at
    /// the same time.
    ///
    /// An effect is removed when its handler has returned. If the process ends before that, or the store cannot be reached, somebody gets it again:
    /// so a handler may get the same effect, with the same key, more than once. If the handler throws, the effect and those after it wait, longer each
    /// time. After ``DeliveryPolicy/attempts`` failures, or at once if its data cannot be read, it is parked, and those after it go on.
    /// Parked effects stay until somebody calls ``retry(_:attempts:)`` or ``discard(_:attempts:)``.
    ///
    /// An effect of a type that the workflow does not list waits, with those after it, for a release of the program that lists the type. Each call
    /// gives it to `failed` once, with `ArchiveError.unknownEffect(_:known:)`. Archives of a newer version than `Workflow.version` are skipped.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - policy: For how long a worker has them, and what happens when a handler fails.
    ///   - scheduler: Tells the date.
    ///   - failed: Gets an effect that was not carried out, as it is stored then, and the error. It may throw to leave out the rest.
    ///   - handle: Carries an effect out. It is called on any thread.
    /// - Returns: The number of effects that were carried out and removed.
    /// - Throws: What `failed` throws; `CancellationError`; errors of the store's medium; ``StoreError/damaged(id:explanation:)`` for a machine whose
    ///   effects cannot be read, or are too large for the store, or that has had its last revision, when those of all others have been handed over.
    @discardableResult
    public func deliver<W: Workflow>(
        _ workflow: W.Type,
        policy: DeliveryPolicy = DeliveryPolicy(),
        scheduler: Scheduler = .system,
        failed: @escaping @Sendable (_ effect: StoredEffect, _ error: any Error) async throws -> Void = { _, _ in },
        _ handle: @escaping @Sendable (_ effect: any Effect, _ key: EffectKey) async throws -> Void
    ) async throws -> Int {
        // What is saved from now on is for the next call, or this one might never end.
        let start = scheduler.date
        var count = 0
        let machines = KnownMachines()
        let most = max(1, policy.machinesAtOnce)
        let waiting = WaitingIDs(atLeast: 10_000, leasing: most)
        var conflictsInARow = 0
        while true {
            try Task.checkCancellation()
            let lease = Lease(policy: policy, scheduler: scheduler)
            let leasing = scheduler.date
            // If the clock is set back, what has failed since then is to wait all the same.
            let date = min(start, scheduler.date)
            let known = machines.countLeftAlone
            // Machines that are left alone would hold up all others. Twice their number keeps the rounds few; `most` limits the leases.
            let limit = min(most, .max - 2 * known) + 2 * known
            waiting.beginRound()
            let claimed = try await WaitingIDs.$ofDelivery.withValue(waiting) {
                var claimed: [StoredArchive] = []
                for name in W.storedNames where claimed.isEmpty {
                    claimed = try await claim(effectsBy: date, of: name, limit: limit) {
                        $0.leased(lease, of: W.self, by: date, machines, waiting)
                    }
                }
                return claimed
            }
            for (id, damage) in waiting.damages { machines.leaveAlone(id, because: damage) }
            // To lease many may take a while, in which nobody has renewed the leases of the first.
            let isOld = scheduler.date > leasing + policy.lease.inSeconds / 3
            count += try await withThrowingTaskGroup(of: Int.self) { group in
                for archive in claimed {
                    group.addTask {
                        machines.noteLease(of: archive)
                        return try await work(off: archive, isOld, of: W.self, lease, machines, failed: failed, handle)
                    }
                }
                return try await group.reduce(0, +)
            }
            for effect in machines.takeUnknownEffects() { try await failed(effect, effect.unknown(to: W.self)) }
            guard claimed.isEmpty, !waiting.hasRefused, machines.countLeftAlone == known else {
                conflictsInARow = 0
                continue
            }
            // The rounds end, because a store may meet nothing but conflicts.
            guard waiting.hasMetConflict, conflictsInARow < 100 else {
                if let error = machines.firstDamage { throw error }
                return count
            }
            conflictsInARow += 1
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<min(1 << min(conflictsInARow, 6), 50))))
        }
    }

    /// Carries out the effects of a machine that are for this call, as long as that goes well.
    ///
    /// A lease that is old may have ended: so it is looked at, and renewed, before anything is carried out.
    private func work<W: Workflow>(
        off archive: StoredArchive,
        _ isOld: Bool,
        of workflow: W.Type,
        _ lease: Lease,
        _ machines: KnownMachines,
        failed: @Sendable (_ effect: StoredEffect, _ error: any Error) async throws -> Void,
        _ handle: @Sendable (_ effect: any Effect, _ key: EffectKey) async throws -> Void
    ) async throws -> Int {
        var count = 0
        var outbox = try archive.outbox()
        if isOld, let first = outbox, let head = first.head {
            outbox = try await settle(first.effect(head, of: archive.id).key, .heard, lease, machines)
        }
        while let next = outbox, let head = next.head {
            let stored = next.effect(head, of: archive.id)
            let outcome = await outcome(of: stored, of: W.self, lease, handle)
            // A handler that is cancelled may throw any error.
            if Task.isCancelled, outcome.error != nil {
                _ = try? await settle(stored.key, .leftOut, lease, machines)
                throw CancellationError()
            }
            switch outcome {
            case .done: count += 1
            case .unknown: machines.leaveAlone(archive.id)
            case .failed, .unreadable, .heard, .leftOut: break
            }
            outbox = try await settle(stored.key, outcome, lease, machines)
            if let error = outcome.error {
                let now = try await unlessDamaged(archive.id, machines) { try await load(archive.id)?.outbox() }
                let place = now?.index(of: stored.key)
                let effect = place.flatMap { now?.effect($0, of: archive.id) } ?? stored
                do {
                    try await renewing(lease, of: archive.id) { try await failed(effect, error) }
                } catch {
                    // The rest is left out, and need not wait for the end of the lease.
                    _ = try? await settle(stored.key, .leftOut, lease, machines)
                    throw error
                }
                // That may have taken longer than the lease, if the process stood still or the store could not be reached.
                if outbox?.head != nil { outbox = try await settle(stored.key, .heard, lease, machines) }
            }
        }
        return count
    }

    /// Carries out an effect.
    private func outcome<W: Workflow>(
        of stored: StoredEffect,
        of workflow: W.Type,
        _ lease: Lease,
        _ handle: @Sendable (_ effect: any Effect, _ key: EffectKey) async throws -> Void
    ) async -> Outcome {
        let effect: any Effect
        // Apart from the handler, which may throw the same errors because of something else.
        do { effect = try stored.effect(of: W.self) } catch {
            if case .unknownEffect = error { return .unknown(error) }
            return .unreadable(error)
        }
        do {
            try Task.checkCancellation()
            try await renewing(lease, of: stored.key.id) { try await handle(effect, stored.key) }
            return .done
        } catch {
            return .failed(error)
        }
    }

    /// Writes down how an effect has gone.
    /// - Returns: What is still to be done by this worker; `nil` if nothing is.
    private func settle(
        _ key: EffectKey,
        _ outcome: Outcome,
        _ lease: Lease,
        _ machines: KnownMachines
    ) async throws -> Outbox? {
        let lastRevision = machines.lastRevision(of: key.id)
        return try await unlessDamaged(key.id, machines) {
            try await changeOutbox(of: key.id) { $0.settle(key, outcome, lease, lastRevision) }
        }
    }

    /// Calls a body; one that meets a damaged archive, or one over the store's limit, ends the work at this machine, and not that at others.
    private func unlessDamaged<Value>(
        _ id: String,
        _ machines: KnownMachines,
        _ body: () async throws -> Value?
    ) async throws -> Value? {
        do { return try await body() } catch {
            machines.leaveAlone(id, because: try StoreError.damage(of: id, error))
            return nil
        }
    }

    /// Calls a body, and renews the lease of a machine's effects as long as it runs; not if this worker does not have it.
    private func renewing(_ lease: Lease, of id: String, _ body: () async throws -> Void) async throws {
        // No child task, which would end when the caller is cancelled: a handler may go on for long then.
        let renewal = Task {
            while true {
                try await Task.sleep(for: max(lease.policy.lease / 3, .milliseconds(1)))
                // If that fails it is tried again; if it fails for long, the lease ends.
                _ = try? await changeOutbox(of: id) { outbox -> Bool? in
                    guard outbox.worker == lease.worker else { return nil }
                    outbox.date = lease.end
                    return true
                }
            }
        }
        func end() async {
            renewal.cancel()
            _ = await renewal.result
        }
        do { try await body() } catch {
            await end()
            throw error
        }
        await end()
    }

    /// Changes the effects of a stored machine, whoever else changes the machine meanwhile.
    ///
    /// The body says what is of interest afterwards, or `nil` if the effects are to stay as they are. The result is `nil` also if nothing is
    /// stored.
    func changeOutbox<Value>(
        of id: String,
        attempts: Int = 1_000,
        _ body: (inout Outbox) throws -> Value?
    ) async throws -> Value? {
        for attempt in 0..<max(1, attempts) {
            // A cancelled task does not sleep, but what it has carried out must be written down.
            let pause = Int.random(in: 0..<min(1 << min(attempt, 6), 50))
            if attempt > 0 { try? await Task.sleep(for: .milliseconds(pause)) }
            guard let stored = try await load(id), var outbox = try stored.outbox(),
                let value = try body(&outbox)
            else { return nil }
            do {
                try await save(try stored.with(outbox))
                return value
            } catch StoreError.conflict {
                continue
            }
        }
        throw StoreError.tooManyConflicts(id: id, attempts: attempts)
    }
}

/// The right of one call to carry out effects for a while.
private struct Lease: Sendable {
    let worker = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let policy: DeliveryPolicy
    let scheduler: Scheduler

    var end: Date { scheduler.date + policy.lease.inSeconds }
}

/// How it went with an effect.
private enum Outcome {
    case done
    case failed(any Error)

    /// Another attempt would fail in the same way.
    case unreadable(ArchiveError)

    /// The workflow lists no such type. Another release of the program may list it.
    case unknown(ArchiveError)

    /// Those that were to hear of the failure have done so, and the next one is to begin.
    case heard

    /// Neither it nor what comes after it is carried out by this call.
    case leftOut

    var error: (any Error)? {
        switch self {
        case .failed(let error): error
        case .unreadable(let error), .unknown(let error): error
        case .done, .heard, .leftOut: nil
        }
    }
}

/// What a call knows of the machines that it has come upon.
private final class KnownMachines: Sendable {
    private struct Content {
        /// Up to which revision the effects of those that were leased are for this call.
        var lastRevisions: [ExactID: Int] = [:]

        /// The machines with effects that this call skips: damaged ones, those saved too late, and those for another release of the program.
        var leftAlone: Set<ExactID> = []
        var unknownEffects: [StoredEffect] = []
        var damages: [ExactID: StoreError] = [:]
    }

    private let content = Lock(Content())

    /// How many machines are left alone.
    var countLeftAlone: Int { content.withLock { $0.leftAlone.count } }

    /// Why the first machine is damaged; `nil` if none is.
    var firstDamage: StoreError? { content.withLock { $0.damages.min { $0.key < $1.key }?.value } }

    /// Up to which revision a machine's effects are for this call.
    ///
    /// The date alone does not tell: a handler may have others saved at the same date.
    func lastRevision(of id: String) -> Int { content.withLock { $0.lastRevisions[ExactID(id)] ?? .max } }

    /// Notes that a machine's effects are leased, after which what is saved is for the next call, also if these have failed and are leased again.
    func noteLease(of archive: StoredArchive) {
        content.withLock { content in
            let id = ExactID(archive.id)
            if content.lastRevisions[id] == nil { content.lastRevisions[id] = archive.revision }
        }
    }

    /// Notes that the effects of a machine are not for this call.
    func leaveAlone(_ id: String, because damage: StoreError? = nil) {
        content.withLock { content in
            content.leftAlone.insert(ExactID(id))
            if let damage { content.damages[ExactID(id)] = damage }
        }
    }

    /// Notes that the next effect of a machine is for another release of the program.
    func leaveAlone(_ unknown: StoredEffect) {
        content.withLock { content in
            // A store may look at a machine again in each round. Its effect is reported once.
            guard content.leftAlone.insert(ExactID(unknown.key.id)).inserted else { return }
            content.unknownEffects.append(unknown)
        }
    }

    /// The effects noted as unknown since the last call.
    func takeUnknownEffects() -> [StoredEffect] {
        content.withLock { content in
            defer { content.unknownEffects = [] }
            return content.unknownEffects
        }
    }
}

extension StoredArchive {
    /// The archive with its effects leased; `nil` if there is nothing to do any more, or enough to do already.
    fileprivate func leased<W: Workflow>(
        _ lease: Lease,
        of workflow: W.Type,
        by date: Date,
        _ machines: KnownMachines,
        _ waiting: WaitingIDs
    ) -> StoredArchive? {
        do throws(StoreError) {
            let (stored, version) = try outboxAndVersion()
            guard var outbox = stored, let due = outbox.due, due <= date, let head = outbox.head,
                let next = outbox.headRevision
            else { return nil }
            // The release that wrote the archive knows what it means.
            guard version ?? 1 <= W.version else {
                machines.leaveAlone(id)
                return nil
            }
            // A store that claims several as one would claim none.
            guard revision < .max else {
                throw .damaged(id: id, explanation: "There is no revision after \(revision).")
            }
            guard next <= machines.lastRevision(of: id) else {
                machines.leaveAlone(id)
                return nil
            }
            let effect = outbox.effect(head, of: id)
            guard W.effect(named: effect.name) != nil else {
                machines.leaveAlone(effect)
                return nil
            }
            (outbox.worker, outbox.date) = (lease.worker, lease.end)
            let leased = try with(outbox)
            return waiting.lease(id) ? leased : nil
        } catch {
            machines.leaveAlone(id, because: error)
            return nil
        }
    }
}

extension Outbox {
    /// Writes down how an effect has gone.
    /// - Returns: What is still to be done under the lease, an empty one if it has ended; `nil` if there is nothing to write down.
    fileprivate mutating func settle(
        _ key: EffectKey,
        _ outcome: Outcome,
        _ lease: Lease,
        _ lastRevision: Int
    ) -> Outbox? {
        let index = index(of: key)
        guard worker == lease.worker else {
            // Whoever has leased it meanwhile, because this process stood still, need not do what was done.
            guard case .done = outcome, let index else { return nil }
            remove(index)
            return Outbox()
        }
        // Somebody else may have carried out or discarded it meanwhile: then those after it are still to be done.
        var goesOn = true
        var delay = Duration.zero
        switch outcome {
        case .leftOut, .unknown: goesOn = false
        case .heard: break
        case .done: if let index { remove(index) }
        case .failed(let error):
            guard let index else { break }
            let failures = noteFailure(of: index, error)
            if failures >= lease.policy.attempts {
                effects[index].parked = true
            } else {
                goesOn = false
                delay = lease.policy.backOff.delay(after: failures)
            }
        case .unreadable(let error):
            guard let index else { break }
            _ = noteFailure(of: index, error)
            effects[index].parked = true
        }
        guard goesOn, let headRevision, headRevision <= lastRevision else {
            worker = nil
            date = lease.scheduler.date + delay.inSeconds
            return Outbox()
        }
        date = lease.end
        return self
    }

    /// Writes down that an effect was not carried out.
    /// - Returns: How often that was so.
    private mutating func noteFailure(of index: Int, _ error: any Error) -> Int {
        // A number from outside may be the largest one.
        let failures = min(effects[index].attempts ?? 0, .max - 1) + 1
        effects[index].attempts = failures
        effects[index].error = String(text(of: error).prefix(1_000))
        return failures
    }
}

extension Duration {
    /// The time in seconds.
    var inSeconds: Double { self / .seconds(1) }
}
