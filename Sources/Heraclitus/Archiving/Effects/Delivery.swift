#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// How do stored effects get to those who carry them out?

extension ArchiveStore {
    /// Hands the effects of a workflow's machines to a handler: those that are there now, each at least once.
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
    /// time. After ``DeliveryPolicy/attempts`` failures, or at once if the workflow cannot read it, it is parked, and those after it go on.
    /// Parked effects stay until somebody calls ``retry(_:attempts:)`` or ``discard(_:attempts:)``.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - policy: For how long a worker has them, and what happens when a handler fails.
    ///   - scheduler: Tells the date.
    ///   - failed: Gets an effect that was not carried out, as it is stored then, and the error. It may throw to leave out the rest.
    ///   - handle: Carries an effect out. It is called on any thread.
    /// - Returns: The number of effects that were carried out and removed.
    /// - Throws: What `failed` throws; `CancellationError`; errors of the store's medium; ``StoreError/damaged(id:explanation:)`` for a machine whose
    ///   effects cannot be read, when those of all others have been handed over.
    @discardableResult
    public func deliver<W: Workflow>(
        _ workflow: W.Type,
        policy: DeliveryPolicy = DeliveryPolicy(),
        scheduler: Scheduler = .system,
        failed: @escaping @Sendable (_ effect: StoredEffect, _ error: any Error) async throws -> Void = { _, _ in },
        _ handle: @escaping @Sendable (_ effect: any Effect, _ key: EffectKey) async throws -> Void
    ) async throws -> Int {
        // What is saved from now on is for the next call, or this one might never end: here, and under the lease of each machine.
        let date = scheduler.date
        var count = 0
        let damaged = Lock<[String: StoreError]>([:])
        let waiting = WaitingIDs(atLeast: 10_000)
        while true {
            try Task.checkCancellation()
            let lease = Lease(policy: policy, scheduler: scheduler)
            let known = damaged.withLock { $0.count }
            // More by those that are damaged, or they would hold up all others.
            let limit = min(max(1, policy.machinesAtOnce), .max - known) + known
            let claimed = try await WaitingIDs.$ofDelivery.withValue(waiting) {
                try await claim(effectsBy: date, of: W.name, limit: limit) {
                    do {
                        return try $0.leased(lease, by: date)
                    } catch StoreError.damaged(let id, let explanation) {
                        damaged.withLock { $0[id] = .damaged(id: id, explanation: explanation) }
                        return nil
                    }
                }
            }
            let found = damaged.withLock { $0 }
            if claimed.isEmpty, found.count == known {
                if let first = found.min(by: { $0.key < $1.key }) { throw first.value }
                return count
            }
            count += try await withThrowingTaskGroup(of: Int.self) { group in
                for archive in claimed {
                    group.addTask {
                        try await work(off: archive, of: W.self, lease, failed: failed, handle)
                    }
                }
                return try await group.reduce(0, +)
            }
        }
    }

    /// Carries out the effects of a machine that were there when they were leased, as long as that goes well.
    private func work<W: Workflow>(
        off archive: StoredArchive,
        of workflow: W.Type,
        _ lease: Lease,
        failed: @Sendable (_ effect: StoredEffect, _ error: any Error) async throws -> Void,
        _ handle: @Sendable (_ effect: any Effect, _ key: EffectKey) async throws -> Void
    ) async throws -> Int {
        var count = 0
        var outbox = try archive.outbox()
        while let next = outbox, let head = next.head {
            let stored = next.effect(head, of: archive.id)
            let outcome: Outcome
            do {
                let effect = try stored.effect(of: W.self)
                try Task.checkCancellation()
                try await renewing(lease, of: archive.id) { try await handle(effect, stored.key) }
                outcome = .done
                count += 1
            } catch let error as CancellationError where Task.isCancelled {
                _ = try? await settle(stored.key, .cancelled, lease, archive.revision)
                throw error
            } catch {
                outcome = .failed(error)
            }
            outbox = try await settle(stored.key, outcome, lease, archive.revision)
            if case .failed(let error) = outcome {
                let now = try await load(archive.id).flatMap { try $0.outbox() }
                let place = now?.index(of: stored.key)
                try await failed(place.flatMap { now?.effect($0, of: archive.id) } ?? stored, error)
            }
        }
        return count
    }

    /// Writes down how an effect has gone.
    /// - Returns: What is still to be done by this worker; `nil` if nothing is.
    private func settle(
        _ key: EffectKey,
        _ outcome: Outcome,
        _ lease: Lease,
        _ leasedRevision: Int
    ) async throws -> Outbox? {
        try await changeOutbox(of: key.id) { $0.settle(key, outcome, lease, leasedRevision) }
    }

    /// Calls a body, and renews the lease of a machine's effects as long as it runs.
    private func renewing(_ lease: Lease, of id: String, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while true {
                    try await Task.sleep(for: lease.policy.lease / 3)
                    // If that fails it is tried again; if it fails for long, the lease ends.
                    _ = try? await changeOutbox(of: id) { outbox -> Bool? in
                        guard outbox.worker == lease.worker else { return nil }
                        outbox.date = lease.end
                        return true
                    }
                }
            }
            defer { group.cancelAll() }
            try await body()
        }
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
    case cancelled
}

extension StoredArchive {
    /// The archive with its effects leased; `nil` if there is nothing to do any more.
    fileprivate func leased(_ lease: Lease, by date: Date) throws(StoreError) -> StoredArchive? {
        guard var outbox = try outbox(), let due = outbox.due, due <= date, outbox.head != nil else { return nil }
        (outbox.worker, outbox.date) = (lease.worker, lease.end)
        return try with(outbox)
    }
}

extension Outbox {
    /// Writes down how an effect has gone.
    /// - Returns: What is still to be done under the lease, an empty one if it has ended; `nil` if there is nothing to write down.
    fileprivate mutating func settle(
        _ key: EffectKey,
        _ outcome: Outcome,
        _ lease: Lease,
        _ leasedRevision: Int
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
        var delay = 0.0
        switch outcome {
        case .cancelled: goesOn = false
        case .done: if let index { remove(index) }
        case .failed(let error):
            guard let index else { break }
            // A number from outside may be the largest one.
            let failures = min(effects[index].attempts ?? 0, .max - 1) + 1
            effects[index].attempts = failures
            effects[index].error = String("\(error)".prefix(1_000))
            if error.isOfNoAttempt || failures >= lease.policy.attempts {
                effects[index].parked = true
            } else {
                goesOn = false
                delay = lease.policy.delay(after: failures)
            }
        }
        guard goesOn, let head, effects[head].revision ?? .max <= leasedRevision else {
            worker = nil
            date = lease.scheduler.date + delay
            return Outbox()
        }
        date = lease.end
        return self
    }
}

extension Error {
    /// Whether another attempt would fail in the same way.
    fileprivate var isOfNoAttempt: Bool {
        switch self as? ArchiveError {
        case .unknownEffect, .brokenEffect: true
        default: false
        }
    }
}

extension Duration {
    /// The time in seconds.
    var inSeconds: Double { self / .seconds(1) }
}
