public import Heraclitus
public import HeraclitusEssentials

extension StoredWorkflow {
    /// Fires what is due: the events that fire by themselves, as a unit of work for each machine.
    ///
    /// Any number of processes may do so at once, each on other machines: each event becomes one saved transition. What follows from one event and is
    /// due by the same date fires as well. After `StateMachine.chainLimit` events of one machine the next is rejected as
    /// `InvalidTransition.Reason.endlessChain`: those before are saved, and the error is a failure.
    ///
    /// An event that is rejected, by a guard for example, is tried again when the claim of its machine has ended. That is no failure: the machine stays
    /// as it is. Its `Journal` gets the rejection once, as long as it still has that line.
    ///
    /// Machines of a version newer than `Workflow.version` are left alone and counted. Machines are claimed in batches, so a call takes the same
    /// memory whatever their number is.
    /// - Parameters:
    ///   - date: By when it is due; now by default.
    ///   - claim: For how long a machine is claimed. When a worker dies, the next one tries its machines after that time.
    ///   - batch: The number of machines that are claimed at once.
    ///   - saved: Gets the id of a machine that has made transitions itself, and these in order, after they were saved. If it throws, the
    ///     machine is saved nevertheless, and the error is a failure.
    /// - Returns: How many machines were tried, and what has failed; the others were changed nevertheless.
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
        // A store that keeps no claims may return a machine again.
        var tried: Set<ExactID> = []
        var limit = max(1, batch)
        while true {
            try Task.checkCancellation()
            let now = scheduler.date
            let found = try await store.claim(
                StoreClaim(
                    .due(by: date),
                    of: workflowNames,
                    newestVersion: workflowVersion,
                    at: now,
                    until: now + claim.inSeconds,
                    by: worker,
                    limit: limit
                )
            )
            // With fewer than asked for nothing is left, and machines that are still due are left to the next call.
            let isLast = found.count < limit
            let claimed = found.filter { !tried.contains(ExactID($0.id)) }
            // There may be others behind those that were tried.
            if claimed.isEmpty { limit = max(1, batch) + tried.count }
            for archive in claimed {
                report.count += 1
                do {
                    if try await !fireDue(archive, by: date, saved) { tried.insert(ExactID(archive.id)) }
                } catch let error as CancellationError where Task.isCancelled {
                    throw error
                } catch {
                    tried.insert(ExactID(archive.id))
                    report.add(WorkFailure(id: archive.id, effect: nil, error: error))
                }
            }
            if isLast { break }
        }
        report.newerCount = try await newerCount(.due(by: date))
        return report
    }

    /// Fires what is due in a machine.
    /// - Returns: Whether it was saved.
    private nonisolated(nonsending) func fireDue(
        _ archive: StoredArchive,
        by date: Date,
        _ saved: (_ id: String, _ transitions: [StateTransition]) async throws -> Void
    ) async throws -> Bool {
        var isSaved = false
        var endless: InvalidTransition?
        try await store.unit(loaded: archive) { unit in
            // A machine that was deleted meanwhile does not come back.
            let machine = try await unit.machineIfStored(archive.id, of: self)
            endless = machine?.fireDue(by: date)
        } saved: { unit in
            let transitions = unit.transitions(of: archive.id)
            isSaved = unit.isSaved
            // There are none if everything that is due was rejected, or was due in machines within the state.
            if !transitions.isEmpty { try await saved(archive.id, transitions) }
        }
        if let endless { throw endless }
        return isSaved
    }
}
