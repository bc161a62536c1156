// What goes on by itself while a machine is in a state?

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension MachineCore {
    /// What the machine works with, if its workflow has anything that goes on by itself.
    var environment: MachineEnvironment? {
        let callbacks = callbacks
        let entries = callbacks.span
        for index in entries.indices {
            if let environment = entries[index].environment { return environment }
        }
        return nil
    }

    /// The same, made if it has none; by whoever owns the machine.
    var madeEnvironment: MachineEnvironment {
        if let environment { return environment }
        let made = MachineEnvironment(.system, nil, entered: nil)
        _ = addCallbacks([.environment(made)])
        return made
    }

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
        guard let environment, let machine = transition.machine as? any TreeMachine else { return }
        guard startDeadlines(of: plan, transition, machine, environment) else { return }
        if !environment.isPassive { startWork(of: plan, transition, machine, environment) }
        fireCompletion(of: machine)
    }

    /// Arms the deadlines of the state, and activates the machines in it: what is due first comes first.
    /// - Returns: Whether the machine stays as it is.
    private func startDeadlines(
        of plan: TransitionPlan,
        _ transition: StateTransition,
        _ machine: any TreeMachine,
        _ environment: MachineEnvironment
    ) -> Bool {
        guard !environment.isPassive, !definition.states[plan.destination].deadlines.isEmpty else {
            startRegions()
            return true
        }
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
        /// - Returns: Whether the state is about to be left, or to be updated, so that this is asked again.
        func fireDue(by date: Date) -> Bool {
            while let next = deadlines.takeFirst(dueBy: date) {
                if deadlines.fire(next, machine) { return true }
            }
            return false
        }
        // What came due before anything of the machines in the state: they are left before they are entered.
        let regions = environment.place.regions
        if !regions.isEmpty, let first = regions.compactMap(\.nextDeadline).min(), first <= now, fireDue(by: first) {
            return false
        }
        startRegions()
        if fireDue(by: now) { return false }
        deadlines.arm()
        return true
    }

    /// Fires the event whose time has come because machines in the state have ended, unless the state is about to be left or updated.
    func fireCompletion(of machine: any TreeMachine) {
        let completions = definition.states[now.index].completions
        guard !completions.isEmpty, Call(machine, [:]).turn({ $0.lastQueued == nil }) else { return }
        let state = state.withOwnersView { state, _ in state }
        for completion in completions {
            let regions = completion.rule.regions(state)
            let haveEnded = regions.allSatisfy { region in
                (region as? any TreeMachine)?.withCore { $0.isInFinalState } == true
            }
            if haveEnded, !regions.isEmpty, machine.fire(completion, leaving: state) { return }
        }
    }

    /// Whether nothing leaves the current state.
    private var isInFinalState: Bool { now.isActive && definition.states[now.index].isFinal }
}

extension Definition {
    /// What a machine works with; nothing where it needs nothing.
    /// - Parameters:
    ///   - scheduler: Tells the date.
    ///   - context: What the states need.
    ///   - entered: When the state was entered.
    ///   - journal: What has happened so far, for a machine that keeps it whatever its workflow says.
    /// - Returns: All of it; `nil` for a machine that needs none.
    func environment(
        _ scheduler: Scheduler,
        _ context: GivenContext?,
        entered: Date?,
        journal: Journal?
    ) -> MachineEnvironment? {
        let journal = content.value.journal.map { (journal ?? Journal([])).limited(to: $0) } ?? journal
        guard hasActivity || needsContext || journal != nil else { return nil }
        return MachineEnvironment(scheduler, context, entered: entered, journal: journal)
    }

    /// The deadlines of a machine as of a moment, in the order of their dates.
    func deadlines(of snapshot: Snapshot) -> [(deadline: CompiledDeadline, date: Date)] {
        guard let entered = snapshot.entered else { return [] }
        return deadlines(of: snapshot.status.index, snapshot.state, entered)
    }

    /// The first deadline of a machine as of a moment, or of one of the machines in its state.
    func firstDeadline(of snapshot: Snapshot) -> Date? {
        let own = deadlines(of: snapshot).first?.date
        let regions = states[snapshot.status.index].hooks.regions(of: snapshot.state)
        return regions.compactMap { ($0 as? any TreeMachine)?.nextDeadline }.reduce(own) { min($0 ?? $1, $1) }
    }

    /// The deadlines of a state object, in the order of their dates.
    func deadlines(
        of state: Int,
        _ object: AnyObject,
        _ entered: Date
    ) -> [(deadline: CompiledDeadline, date: Date)] {
        var dated: [(deadline: CompiledDeadline, date: Date)] = []
        for deadline in states[state].deadlines {
            // A date that is no number, or beyond all dates, never comes.
            if let date = deadline.rule.date(object, entered), date.timeIntervalSinceReferenceDate < .infinity {
                dated.append((deadline, date))
            }
        }
        // Most states have one.
        if dated.count > 1 { dated.sort { $0.date < $1.date } }
        return dated
    }
}
