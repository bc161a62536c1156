// What follows when the work of a state has failed, or is done?

extension StateMachine {
    func workIsDone(_ work: StateWork) {
        guard core.counts(work.id) else { return }
        // In a turn of its own: a transition under way on another thread may have left the state, and not ended the work yet.
        try? core.perform(Call(self, [:]), for: .automatic) { _ in
            guard core.counts(work.id), let event = definition.states[core.now.index].done else { return }
            // Observers hear of a rejection.
            try? fire(EventSelector.event(event).bound(to: work.id), userInfo: UserInfo(cause: .done))
        }
    }

    func workHasFailed(_ work: StateWork, _ failed: FailedWork) {
        // Not only whether it was ended: who suspends the machine takes the work from it first, and ends it a moment later.
        if !core.counts(work.id) {
            if failed.error is CancellationError { return }
            // Observers have heard of an event that came too late.
            if let error = failed.error as? InvalidTransition, error.reason == .notCurrent { return }
            return tell(failed, of: work)
        }
        do {
            // In a turn of its own: a transition under way on another thread may have left the state, and not ended the work yet.
            try core.perform(Call(self, [:]), for: .automatic) { _ in follow(failed, of: work) }
        } catch {
            // The machine lets nobody have a turn. Then observers are told at least.
            follow(failed, of: work)
        }
    }

    /// Fires what is to follow from an error of work that counts, or tells observers of it.
    private func follow(_ failed: FailedWork, of work: StateWork) {
        let error = failed.error
        if core.counts(work.id), let failure = definition.states[core.now.index].failure {
            do throws(InvalidTransition) {
                let selector = EventSelector.event(failure.event).bound(to: work.id)
                let userInfo = UserInfo(cause: .failure(error))
                return try fire(selector, userInfo: userInfo) { candidate in
                    let own = try failure.rule.build.flatMap { try core.build($0, candidate, self, userInfo) }
                    return if let own { own } else { try core.destination(of: candidate, self, userInfo) }
                }
            } catch {
                // Observers have heard that it was rejected, but not of the work's own error.
            }
        }
        tell(failed, of: work)
    }

    private func tell(_ failed: FailedWork, of work: StateWork) {
        let call = Call(self, [:])
        // The state has its newest data, unless it was left.
        func told() -> any WorkflowState { core.counts(work.id) ? currentState : failed.state }
        core.announce(.failed(told(), failed.error), for: .automatic, call)
    }
}
