#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension StateMachine {
    /// The next deadline in the current state, or of a machine in that state; `nil` if there is none.
    ///
    /// It may have passed: then the event was declined by a guard, or the machine was not activated yet.
    public var nextDeadline: Date? {
        core.atOneMoment(self, definition.firstDeadline)
    }

    /// Lets nothing go on by itself from now on, because the machine is gone in a moment.
    func becomePassive() { core.becomePassive() }

    /// Fires what is due by a date in a passive machine, each event when it was due, until nothing is.
    /// - Returns: The error of the first event that comes after too many; `nil` if there is none.
    func fireDue(by date: Date) -> InvalidTransition? {
        activate()
        for _ in 0..<Self.chainLimit where !fireFirstDue(by: date) { return nil }
        return deadlinesOfTree(by: date).min { $0.date < $1.date }?.reject()
    }

    /// - Returns: Whether an event has fired.
    private func fireFirstDue(by date: Date) -> Bool {
        deadlinesOfTree(by: date).sorted { $0.date < $1.date }.contains { $0.fire() }
    }

    func deadlinesOfTree(by date: Date) -> [TreeDeadline] {
        let snapshot = core.snapshot
        guard let environment = core.environment, let state = snapshot.state as? any WorkflowState else { return [] }
        let own = definition.deadlines(of: snapshot).all.filter { $0.date <= date }.map { next in
            TreeDeadline(date: next.date) {
                self.fire(next, of: state, in: nil)
            } reject: {
                self.rejectEndlessChain(next)
            }
        }
        return own + environment.place.regions.flatMap { $0.deadlinesOfTree(by: date) }
    }
}

extension StateMachine {
    private func rejectEndlessChain(_ deadline: DatedDeadline) -> InvalidTransition {
        let userInfo = UserInfo(due: deadline.date)
        // The call lends it.
        defer { withExtendedLifetime(userInfo) {} }
        let call = Call(self, userInfo)
        let error = core.invalidTransition(
            Rejection(.endlessChain, event: definition.rule(of: deadline).event, from: core.now.index),
            call
        )
        core.announce(.rejected(error), call)
        return error
    }
}

extension StateMachine: AutomaticMachine {
    var isOwnedElsewhere: Bool { core.isOwnedByAnotherThread }

    func fire(_ deadline: DatedDeadline, of state: any WorkflowState, in period: TimerPeriod?) -> Bool {
        let due = definition.rule(of: deadline)
        do throws(InvalidTransition) {
            let selector = EventSelector.due(event: due.event, of: state, in: period)
            try fire(selector, userInfo: UserInfo(due: deadline.date)) { candidate in
                guard let build = due.rule.build else { return try core.onlyEmptyState(of: candidate) }
                return OwnedObject(try build(state, core.environment?.context))
            }
            return true
        } catch {
            // Observers have been told.
            return false
        }
    }

    func fire(_ completion: CompiledCompletion, leaving state: AnyObject) -> Bool {
        do throws(InvalidTransition) {
            try fire(.event(completion.event), userInfo: [:]) { candidate in
                guard let build = completion.rule.build else { return try core.onlyEmptyState(of: candidate) }
                return OwnedObject(try build(state, core.environment?.context))
            }
            return true
        } catch {
            // Observers have been told.
            return false
        }
    }

    func workHasFailed(_ work: StateWork, _ error: any Error) {
        let snapshot = core.snapshot
        if work.isOver {
            if error is CancellationError { return }
            // Observers have heard of an event that came too late.
            if let error = error as? InvalidTransition, error.reason == .notCurrent { return }
        } else if let failure = definition.states[snapshot.status.index].failure {
            do throws(InvalidTransition) {
                let selector = EventSelector.event(failure.event).bound(to: work.id)
                return try fire(selector, userInfo: UserInfo(failure: error)) { candidate in
                    guard let build = failure.rule.build else { return try core.onlyEmptyState(of: candidate) }
                    return OwnedObject(try build(core.source(of: candidate), error, core.environment?.context))
                }
            } catch {
                // Observers have heard that it was rejected, but not of the work's own error.
            }
        }
        let state = definition.states[snapshot.status.index].type.typed(snapshot.state)
        core.announce(.failed(FailedWork(state: state, error: error)), Call(self, [:]))
    }
}
