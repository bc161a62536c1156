// Events that follow the failure or completion of a state's work.

extension StateMachine {
    func workIsDone(_ work: StateWork) {
        guard core.counts(work.id) else { return }
        // A separate turn: another thread's transition may have left the state without having ended the work.
        try? core.perform(Call(self), for: .automatic) { _ in
            guard core.counts(work.id), let done = definition.states[core.now.index].followUp(.done) else { return }
            // Observers are told of a rejection.
            try? fire(EventSelector.event(done.event).bound(to: work.id), userInfo: UserInfo(cause: .done))
        }
    }

    func workHasFailed(_ work: StateWork, _ failed: FailedWork) {
        // A suspension takes the work from the machine first, and ends it a moment later.
        if !core.counts(work.id) {
            if failed.error is CancellationError { return }
            // Observers were told of an event that came too late.
            if let error = failed.error as? InvalidTransition, error.reason == .notCurrent { return }
            return tell(failed, of: work)
        }
        do {
            // A separate turn: another thread's transition may have left the state without having ended the work.
            try core.perform(Call(self), for: .automatic) { _ in follow(failed, of: work) }
        } catch {
            // Without a turn, observers are told at least.
            follow(failed, of: work)
        }
    }

    /// Fires the event that follows an error of valid work, or tells observers of the error.
    private func follow(_ failed: FailedWork, of work: StateWork) {
        let error = failed.error
        if core.counts(work.id), let next = definition.states[core.now.index].followUp(.failure),
            case .failure(let build) = next.trigger.kind
        {
            let call = Call(self, UserInfo(failure: error))
            do throws(InvalidTransition) {
                let selector = EventSelector.event(next.event).bound(to: work.id)
                return try core.fire(selector, call) { candidate in
                    if let build, let own = try core.build(build, candidate, call) { return own }
                    return try core.destination(of: candidate, call)
                }
            } catch {
                // Observers were told of the rejection, but not of the work's error.
            }
        }
        tell(failed, of: work)
    }

    private func tell(_ failed: FailedWork, of work: StateWork) {
        let call = Call(self)
        // The state has its latest data, unless it was left.
        func told() -> any WorkflowState { core.counts(work.id) ? currentState : failed.state }
        core.announce(.failed(told(), failed.error), for: .automatic, call)
    }
}
