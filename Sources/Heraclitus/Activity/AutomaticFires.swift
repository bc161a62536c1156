// Fires automatic events: at a date, when a condition holds, and after a state's work.
//
// Observers are told of each rejection.

import HeraclitusEssentials

extension TreeMachine {
    /// Fires an event with a deadline if its state is still current.
    /// - Parameters:
    ///   - deadline: The event and its date.
    ///   - state: The state object of the deadline.
    ///   - period: The period of the object's deadlines; `nil` in a passive machine, which has no timer.
    /// - Returns: Whether the event has become a transition or is queued.
    func fireDeadline(_ deadline: DatedDeadline, of state: any WorkflowState, in period: Int?) -> Bool {
        let selector = EventSelector.due(event: deadline.event, of: state, in: period)
        return fireByItself(selector, because: .due(deadline.recordedDate))
    }

    /// Rejects an event with a deadline because the chain of events is too long.
    func rejectEndlessChain(_ deadline: DatedDeadline) -> InvalidTransition {
        let call = Call(self, UserInfo(cause: .due(deadline.recordedDate)))
        let selector = EventSelector.event(deadline.event)
        let error = core.completed(core.rejection(.endlessChain, of: selector, from: core.now.index), call)
        core.announce(.rejected(error), call)
        return error
    }

    /// Fires an event whose condition holds.
    /// - Returns: Whether the event has become a transition or is queued.
    fileprivate func fireCondition(of next: AutomaticEvent) -> Bool {
        guard next.trigger.name == .completion else { return fireByItself(.event(next.event), because: .condition) }
        let state = core.currentState
        let regions = next.trigger.properties.compactMap { $0.name(in: state) }
        return fireByItself(.event(next.event), because: .completion(regions))
    }

    private func fireByItself(_ selector: EventSelector, because cause: Occurrence.Cause) -> Bool {
        (try? core.fire(selector, Call(self, UserInfo(cause: cause)))) != nil
    }
}

// MARK: - Conditions

extension MachineCore {
    /// Fires the first event whose condition holds, unless the state is about to be left or updated.
    /// - Parameters:
    ///   - machine: The machine of this core.
    ///   - includesEnds: Whether to ask for the ends of machines in the state.
    func fireConditions(of machine: any TreeMachine, includingEnds includesEnds: Bool = true) {
        let conditions = definition.states[now.index].conditions.lazy.filter {
            includesEnds || $0.trigger.name == .condition
        }
        // While the machines in the state are being activated, the check follows afterwards.
        guard !conditions.isEmpty, place?.isStartingRegions != true,
            Call(machine).turn({ $0.lastQueued == nil })
        else { return }
        let state = currentObject
        for next in conditions where next.trigger.holds(in: state) && machine.fireCondition(of: next) { return }
    }

    /// Whether the current state is final.
    var hasFinalState: Bool { definition.states[now.index].isFinal }
}

// MARK: - After work

extension TreeMachine {
    /// Fires the event that follows the completion of the state's work.
    func workIsDone(_ work: StateWork) {
        guard core.isCurrent(work.id) else { return }
        // A separate turn: another thread's transition may have left the state without having ended the work.
        try? core.perform(Call(self), for: .automatic) { _ in
            guard core.isCurrent(work.id), let done = followUp(.done) else { return }
            try? core.fire(.event(done.event).bound(to: work.id), Call(self, UserInfo(cause: .done)))
        }
    }

    /// Fires the event that follows a failure of the state's work, or tells observers of the failure.
    func workHasFailed(_ work: StateWork, _ failure: any Error, in state: any WorkflowState) {
        // A suspension takes the work from the machine first, and ends it a moment later.
        if !core.isCurrent(work.id) {
            if failure is CancellationError { return }
            // Observers were told of an event that came too late.
            if let error = failure as? InvalidTransition, error.reason == .notCurrent { return }
            return tell(failure, of: work, in: state)
        }
        do {
            // A separate turn: another thread's transition may have left the state without having ended the work.
            try core.perform(Call(self), for: .automatic) { _ in follow(failure, of: work, in: state) }
        } catch {
            // Without a turn, observers are told at least.
            follow(failure, of: work, in: state)
        }
    }

    /// Fires the event that follows an error of valid work, or tells observers of the error.
    private func follow(_ failure: any Error, of work: StateWork, in state: any WorkflowState) {
        if core.isCurrent(work.id), let next = followUp(.failure) {
            let call = Call(self, UserInfo(failure: failure))
            do throws(InvalidTransition) {
                return try core.fire(.event(next.event).bound(to: work.id), call) { candidate in
                    if let build = next.trigger.builder, let own = try core.build(build, candidate, call) { return own }
                    return try core.destination(of: candidate, call)
                }
            } catch {
                // Observers were told of the rejection, but not of the work's error.
            }
        }
        tell(failure, of: work, in: state)
    }

    private func tell(_ failure: any Error, of work: StateWork, in state: any WorkflowState) {
        // The state has its latest data, unless it was left.
        func told() -> any WorkflowState { core.isCurrent(work.id) ? core.currentState : state }
        core.announce(.failed(told(), failure), for: .automatic, Call(self))
    }

    /// The event that follows failed or completed work of the current state, if there is one.
    private func followUp(_ trigger: TransitionTable.Trigger) -> AutomaticEvent? {
        core.definition.states[core.now.index].followUp(trigger)
    }
}
