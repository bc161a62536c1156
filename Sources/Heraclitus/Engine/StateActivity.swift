// What goes on by itself while a machine is in a state?

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension MachineCore {
    /// What the machine works with, if its workflow has anything that goes on by itself.
    var environment: MachineEnvironment? { callbacks.lazy.compactMap(\.environment).first }

    /// Whether the machine has all that its states need to run.
    var isEquipped: Bool { !definition.needsContext || environment?.context != nil }

    /// When a transition enters its destination, if anything goes on there.
    @inline(__always)
    func entry(of plan: TransitionPlan) -> MachineEnvironment.Entry? {
        guard plan.hooks.contains(.activityStart), plan.kind == .external || plan.kind == .entry else { return nil }
        return environment?.entry
    }

    /// Begins what goes on in the state that was entered, restored or updated, when everybody has been called.
    ///
    /// What is due already fires at once, as a callback would fire it.
    func startActivity(of plan: TransitionPlan, _ transition: StateTransition) {
        guard let environment, !environment.isPassive, let machine = transition.machine as? any AutomaticMachine
        else { return }
        if !definition.states[plan.destination].deadlines.isEmpty {
            guard startDeadlines(of: plan, transition, machine, environment) else { return }
        }
        startWork(of: plan, transition, machine, environment)
    }

    /// - Returns: Whether the machine stays as it is.
    private func startDeadlines(
        of plan: TransitionPlan,
        _ transition: StateTransition,
        _ machine: any AutomaticMachine,
        _ environment: MachineEnvironment
    ) -> Bool {
        let deadlines = StateDeadlines(
            definition.deadlines(of: plan.destination, transition.destinationObject, environment.entered),
            in: transition.destination,
            of: machine,
            environment.scheduler
        )
        environment.replaceDeadlines(by: deadlines)
        // A callback may have fired something already that leaves the state.
        guard expectedState(of: machine) == plan.destination else { return false }
        let now = environment.scheduler.date
        while let next = deadlines.takeFirst(dueBy: now) {
            // Then the state is about to be left, or to be updated, and this is asked again.
            if deadlines.fire(next, machine) { return false }
        }
        deadlines.arm()
        return true
    }
}

extension Definition {
    /// What a machine works with; nothing where it needs nothing.
    func environment(_ scheduler: Scheduler, _ context: GivenContext?, entered: Date?) -> MachineEnvironment? {
        hasActivity || needsContext ? MachineEnvironment(scheduler, context, entered: entered) : nil
    }

    /// The deadlines of a machine as of a moment, in the order of their dates.
    func deadlines(of snapshot: Snapshot) -> [(deadline: CompiledDeadline, date: Date)] {
        guard let entered = snapshot.entered else { return [] }
        return deadlines(of: snapshot.status.index, snapshot.state, entered)
    }

    /// The deadlines of a state object, in the order of their dates.
    func deadlines(
        of state: Int,
        _ object: AnyObject,
        _ entered: Date
    ) -> [(deadline: CompiledDeadline, date: Date)] {
        states[state].deadlines.compactMap { deadline in
            // A date that is no number, or beyond all dates, never comes.
            guard let date = deadline.rule.date(object, entered), date.timeIntervalSinceReferenceDate < .infinity
            else { return nil }
            return (deadline, date)
        }
        .sorted { $0.1 < $1.1 }
    }
}
