public import Heraclitus
public import HeraclitusEssentials

extension StoredWorkflow {
    /// Fires due automatic events, with a unit of work for each machine.
    ///
    /// Any number of processes may call this at once: claims give them different machines, and each event becomes one
    /// saved transition. Events that follow and are due by the same date fire as well. After 10,000
    /// events of one machine, the next event is rejected as `InvalidTransition.Reason.endlessChain`. The earlier events
    /// are saved, and the rejection is a failure.
    ///
    /// An event that is rejected, for example by a guard, is retried after the machine's claim has ended. The rejection
    /// leaves the machine unchanged and is no failure. The machine's journal has the rejection once, as long as it
    /// keeps that line. A machine without the context that it needs is a failure.
    ///
    /// Machines of a version newer than `Workflow.version` are skipped and counted. Claims come in batches, so memory
    /// use is independent of the number of machines.
    /// - Parameters:
    ///   - date: The date by which events are due; by default now.
    ///   - claim: The duration of a claim. The machines of a dead worker are retried after that time.
    ///   - batch: The number of machines to claim at once.
    ///   - saved: Gets the id of a machine and its saved transitions in order. It is skipped for a machine without
    ///     transitions of its own. If it throws, the machine stays saved, and the error is a failure.
    /// - Returns: The number of machines that were tried, and the failures. A failure leaves the other machines
    ///   unaffected.
    /// - Throws: Errors of the store's medium; `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func fireDue(
        by date: Date? = nil,
        claim: Duration = .seconds(30),
        batch: Int = 100,
        saved: (_ id: String, _ transitions: [StateTransition]) async throws -> Void = { _, _ in }
    ) async throws -> WorkReport {
        let date = date ?? scheduler.date
        let worker = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        var report = WorkReport()
        // A store without claims may return a machine again.
        var tried: Set<ExactID> = []
        var limit = max(1, batch)
        while true {
            try Task.checkCancellation()
            let now = scheduler.date
            let next = StoreClaim(
                .due(by: date),
                of: workflowNames,
                newestVersion: workflowVersion,
                at: now,
                until: now + claim.inSeconds,
                by: worker,
                limit: limit
            )
            let found: [StoredArchive]
            do { found = try await store.claim(next) } catch StoreError.damaged(let id, let explanation) {
                // The unreadable archives stay claimed.
                report.addFailure(of: id, StoreError.damaged(id: id, explanation: explanation))
                break
            }
            // A short batch is the last one. Machines that are still due are left to the next call.
            let isLast = found.count < limit
            let claimed = found.filter { !tried.contains(ExactID($0.id)) }
            // Untried machines may follow the tried ones.
            if claimed.isEmpty { limit = max(1, batch) + tried.count }
            for archive in claimed {
                report.count += 1
                do {
                    if try await !fireDue(archive, by: date, saved) { tried.insert(ExactID(archive.id)) }
                } catch let error as CancellationError where Task.isCancelled {
                    throw error
                } catch {
                    tried.insert(ExactID(archive.id))
                    report.addFailure(of: archive.id, error)
                }
            }
            if isLast { break }
        }
        report.newerCount = try await newerCount(.due(by: date))
        return report
    }

    /// Fires the due events of a machine.
    /// - Returns: Whether an event has fired and is saved.
    private nonisolated(nonsending) func fireDue(
        _ archive: StoredArchive,
        by date: Date,
        _ saved: (_ id: String, _ transitions: [StateTransition]) async throws -> Void
    ) async throws -> Bool {
        var hasFired = false
        var endless: InvalidTransition?
        try await store.unit(loaded: archive) { unit in
            // A deleted machine stays deleted.
            let machine = try await unit.machineIfStored(archive.id, of: self)
            (hasFired, endless) = try machine?.fireDue(by: date) ?? (false, nil)
        } saved: { unit in
            let transitions = unit.transitions(of: archive.id)
            // The list is empty if all events were rejected, or if only machines within the state were fired.
            if !transitions.isEmpty { try await saved(archive.id, transitions) }
        }
        if let endless { throw endless }
        return hasFired
    }
}

extension StateMachine {
    /// Fires all events due by a date in a passive machine, each at its deadline.
    /// - Returns: Whether an event has fired, and the error of the first event beyond the chain limit.
    /// - Throws: `InvalidTransition` for a machine without the context that it needs.
    func fireDue(by date: Date) throws(InvalidTransition) -> (hasFired: Bool, endless: InvalidTransition?) {
        try expectContext()
        activate()
        var declined: Set<TreeDeadline.ID> = []
        for count in 0..<Self.chainLimit {
            guard fireFirstDue(by: date, &declined) else { return (count > 0, nil) }
        }
        return (true, deadlinesOfTree(by: date, besides: declined).first?.reject())
    }

    /// - Parameters:
    ///   - date: The date by which events are due.
    ///   - declined: The rejected events, which wait for the next transition of their machine.
    /// - Returns: Whether an event has fired.
    private func fireFirstDue(by date: Date, _ declined: inout Set<TreeDeadline.ID>) -> Bool {
        for deadline in deadlinesOfTree(by: date, besides: declined) {
            if deadline.fire() { return true }
            declined.insert(deadline.id)
        }
        return false
    }

    private func deadlinesOfTree(by date: Date, besides declined: Set<TreeDeadline.ID>) -> [TreeDeadline] {
        deadlinesOfTree(by: date).filter { !declined.contains($0.id) }.sorted { $0.date < $1.date }
    }
}
