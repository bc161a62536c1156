// What goes on by itself while a machine is in a state?

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension MachineCore {
    /// What the machine works with, if its workflow has anything that goes on by itself.
    var environment: MachineEnvironment? {
        // It comes before the closures.
        state.lock.withLock { $0.first?.environment }
    }

    /// The same, made if it has none; by whoever owns the machine.
    ///
    /// One of a workflow with deadlines has it from the beginning, with a timer.
    var madeEnvironment: MachineEnvironment {
        if let environment { return environment }
        let made = MachineEnvironment(.system, nil, entered: nil)
        addEnvironment(made)
        return made
    }

    /// Whether the machine has all that its states need to run.
    var isEquipped: Bool { !definition.needsContext || environment?.context != nil }

    /// What is noted when a transition enters its destination, if anything goes on there.
    @inline(__always)
    func entry(of plan: TransitionPlan) -> MachineEnvironment.Entry? {
        guard plan.hooks.contains(.activityStart) else { return nil }
        return laterEntry(of: plan)
    }

    @inline(never)
    private func laterEntry(of plan: TransitionPlan) -> MachineEnvironment.Entry? {
        guard plan.kind == .external || plan.kind == .entry else { return nil }
        guard definition.states[plan.destination].keepsEntry else { return nil }
        return environment.map(MachineEnvironment.Entry.init)
    }

    /// Begins what goes on in the state that was entered, restored or updated, when everybody has been called.
    ///
    /// What is due already fires at once, as a callback would fire it.
    func startActivity(of plan: TransitionPlan, _ transition: StateTransition) {
        guard let environment else { return }
        let isPassive = environment.isPassive
        let hasDeadlines = !isPassive && !definition.states[plan.destination].deadlines.isEmpty
        if hasDeadlines, let timer = environment.timer {
            guard startDeadlines(of: plan, transition, environment, timer) else { return }
        } else {
            startRegions(of: plan)
        }
        // First, because work does not begin in a state that is about to be left.
        if !definition.states[plan.destination].completions.isEmpty { fireCompletion(of: transition.treeMachine) }
        if !isPassive { startWork(of: plan, transition, environment) }
    }

    /// Sets the timer, and activates the machines in the state: what is due first comes first.
    /// - Returns: Whether the machine stays as it is.
    private func startDeadlines(
        of plan: TransitionPlan,
        _ transition: StateTransition,
        _ environment: MachineEnvironment,
        _ timer: MachineTimer
    ) -> Bool {
        let state = transition.destination
        let scheduler = environment.scheduler
        let deadlines = definition.deadlines(of: plan.destination, state as AnyObject, environment.entered)
        let isComposite = definition.states[plan.destination].hooks.isComposite
        let now = scheduler.date
        // A callback may have fired something already that leaves the state: then nothing of it comes any more.
        let stays = transition.turn { $0.expected } == plan.destination
        // Mostly all there is to do: none is due, and the first, if there is one, waits. Machines in the state begin before it waits.
        let isLater = !isComposite && deadlines.first.map { $0.date > now } ?? true
        let period = timer.set(
            deadlines,
            of: state,
            in: transition.treeMachine,
            scheduler,
            isArmed: stays && isLater
        )
        guard stays else { return false }
        if isLater { return true }
        /// - Returns: Whether the state is about to be left, or to be updated, so that this is asked again.
        func fireDue(by date: Date) -> Bool {
            // A callback may have fired what replaces the object, which is then due for nothing any more.
            let machine = transition.treeMachine
            while expectedObject(Call(machine, [:])) === transition.destinationObject,
                let isAccepted = timer.fireFirst(of: period, dueBy: date, machine)
            {
                if isAccepted { return true }
            }
            return false
        }
        // What came due before anything of the machines in the state: they are left before they are entered.
        if isComposite {
            // The time of one that was never entered has not begun.
            let entered = environment.place.regions.lazy.filter { $0.withCore { $0.now.activation != .entry } }
            let firstOfRegions = entered.compactMap(\.nextDeadline).min()
            if fireDue(by: min(firstOfRegions ?? now, now)) { return false }
            startRegions(of: plan)
        }
        if fireDue(by: now) { return false }
        timer.arm(period)
        return true
    }

    /// Ends what goes on in a state that was left, or hands the work over to the new data of one that was updated.
    func endActivity(of plan: TransitionPlan, _ transition: StateTransition) {
        guard let environment else { return }
        if plan.kind == .update {
            guard let work = environment.work else { return }
            // It begins with the new data.
            if work.move(to: transition.destination) { return }
            let takesOver = definition.states[plan.destination].hooks.takesOverWork(transition)
            if !takesOver { environment.endWork() }
        } else {
            environment.endActivity()
        }
    }

    /// Ends what goes on in the machine and in those in its state, until it is activated again.
    func suspend(_ call: borrowing Call) {
        guard now.isActive, let role = try? acquire(call) else { return }
        let ended = suspendTree(place?.regions ?? [])
        finish(role, call)
        // Not in the turn, because cancellation handlers are user code, which may fire.
        for activity in ended { activity.end() }
    }

    /// Lets what goes on in the machine and in the machines in its state begin again when it is activated; calls no user code.
    /// - Returns: What does not count any more, the innermost first.
    func suspendTree(_ regions: [any TreeMachine]) -> [MachineEnvironment.TakenActivity] {
        var ended = regions.reversed().flatMap { $0.withCore { $0.suspendTree($0.place?.regions ?? []) } }
        if let environment { ended.append(environment.takeActivity()) }
        noteSuspension()
        return ended
    }
}

extension Definition {
    /// Whether a machine works with something: each of the workflow, or one that does not go by the system's clock.
    @inline(__always)
    func equips(_ scheduler: Scheduler?) -> Bool {
        hasActivity || needsContext || content.value.journal != nil || scheduler.map { $0 !== Scheduler.system } == true
    }

    /// What a machine works with; nothing where it needs nothing.
    /// - Parameters:
    ///   - scheduler: Tells the date.
    ///   - context: What the states need.
    ///   - entered: When the state was entered.
    ///   - journal: What has happened so far, for a machine that keeps it whatever its workflow says.
    /// - Returns: All of it; `nil` for a machine that needs none.
    func environment(
        _ scheduler: Scheduler?,
        _ context: GivenContext?,
        entered: Date?,
        journal: Journal?
    ) -> MachineEnvironment? {
        guard equips(scheduler) || journal != nil else { return nil }
        let journal = content.value.journal.map { (journal ?? Journal([])).limited(to: $0) } ?? journal
        return MachineEnvironment(
            scheduler ?? .system,
            context,
            entered: entered,
            journal: journal,
            timer: content.value.hasDeadlines ? MachineTimer() : nil
        )
    }

    /// The deadlines of a machine as of a moment.
    func deadlines(of snapshot: Snapshot) -> DatedDeadlines {
        guard let entered = snapshot.entered else { return DatedDeadlines() }
        return deadlines(of: snapshot.status.index, snapshot.state, entered)
    }

    /// The first deadline of a machine as of a moment, or of one of the machines in its state.
    func firstDeadline(of snapshot: Snapshot) -> Date? {
        let own = deadlines(of: snapshot).first?.date
        let regions = states[snapshot.status.index].hooks.regions(of: snapshot.state)
        return regions.compactMap { ($0 as? any TreeMachine)?.nextDeadline }.reduce(own) { min($0 ?? $1, $1) }
    }
}
