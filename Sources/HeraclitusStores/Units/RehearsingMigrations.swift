import Heraclitus

extension StoredWorkflow {
    /// Reads every archive of the workflow with the current definition, including migrations and waiting effects.
    ///
    /// The store stays unchanged. Archives of a version newer than `Workflow.version` are skipped and counted.
    ///
    /// The rehearsal loads all ids of the store, because a damaged archive may hide its workflow. Damaged archives
    /// therefore count for every workflow. A damaged file of a directory is skipped if its id is too long for
    /// the file name.
    ///
    /// Run it with a copy of the store before users get a new version:
    ///
    /// ```swift
    /// let rehearsal = try await orders.rehearseMigration()
    /// print("\(rehearsal.count) can be read, \(rehearsal.failureCount) cannot")
    /// for failure in rehearsal.failures { print(failure.id, failure.error) }
    /// ```
    /// - Returns: The number of readable archives. The failures have an `ArchiveError`, or
    ///   ``StoreError/damaged(id:explanation:)``.
    /// - Throws: Errors of the store's medium.
    public func rehearseMigration() async throws -> WorkReport {
        var report = WorkReport()
        let listed = Set(try await ids().map(ExactID.init))
        // A damaged archive may hide its workflow.
        for id in try await store.ids() {
            do {
                // A machine deleted during the rehearsal is skipped.
                guard let stored = try await store.load(id), workflowNames.contains(stored.workflow) else { continue }
                rehearse(stored, &report)
            } catch let error as StoreError {
                guard case .damaged = error else { throw error }
                report.addFailure(of: id, error)
            } catch let error as ArchiveError {
                guard case .tooLarge = error else { throw error }
                // An unlisted machine is of another workflow.
                if listed.contains(ExactID(id)) { report.addFailure(of: id, error) }
            }
        }
        return report
    }

    /// Reads an archive, and the effects that wait for handlers.
    private func rehearse(_ stored: StoredArchive, _ report: inout WorkReport) {
        if let version = stored.writtenVersion, version > workflowVersion {
            report.newerCount += 1
            return
        }
        do {
            _ = try machine(of: stored)
            if let effects = stored.effects {
                for effect in try Outbox(effects, of: stored.id).effects {
                    do { _ = try effect.effect(of: knownEffects) } catch {
                        return report.addFailure(of: stored.id, error, effect: effect)
                    }
                }
            }
            report.count += 1
        } catch {
            report.addFailure(of: stored.id, error)
        }
    }
}
