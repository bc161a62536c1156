// What goes on by itself while a machine is in a state?
import HeraclitusEssentials

extension MachineCore {
    /// The scheduler of the machine that this one belongs to, or its own.
    var scheduler: Scheduler {
        place?.holder?.withCore { $0.scheduler } ?? activity?.scheduler ?? .system
    }

    /// Whether nothing is to be armed here, or in the machine that this one belongs to.
    private var isPassive: Bool {
        activity?.isPassive == true || place?.holder?.withCore { $0.isPassive } == true
    }

    /// Whether the machine has all that its states need to run.
    var isEquipped: Bool { !definition.needsContext || context != nil }

    /// When a transition enters its destination, if anything follows from that.
    @inline(__always)
    func entryDate(of plan: TransitionPlan, _ call: borrowing Call) -> Date? {
        guard plan.hooks.contains(.activityStart), plan.kind == .external || plan.kind == .entry,
            definition.states[plan.destination].keepsEntry
        else { return nil }
        return date(of: call)
    }

    /// Begins what goes on in the state that was entered, restored or updated, when everybody has been called.
    ///
    /// What is due already fires at once, as a callback would fire it.
    func startActivity(of plan: TransitionPlan, _ transition: StateTransition) {
        let isPassive = isPassive
        if !isPassive, !definition.states[plan.destination].deadlines.isEmpty, let activity, let timer = activity.timer
        {
            guard startDeadlines(of: plan, transition, activity, timer) else { return }
        } else {
            startRegions(of: plan)
        }
        // First, because work does not begin in a state that is about to be left.
        fireConditions(of: transition.treeMachine)
        if let activity, !isPassive { startWork(of: plan, transition, activity) }
    }

    /// Sets the timer, and activates the machines in the state: what is due first comes first.
    /// - Returns: Whether the machine stays as it is.
    private func startDeadlines(
        of plan: TransitionPlan,
        _ transition: StateTransition,
        _ activity: MachineActivity,
        _ timer: MachineTimer
    ) -> Bool {
        let state = transition.destination
        let scheduler = scheduler
        let deadlines = definition.deadlines(of: plan.destination, state, activity.entered)
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
            let entered = (place?.regions ?? []).lazy.filter { $0.withCore { $0.now.activation != .entry } }
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
        guard let activity else { return }
        if plan.kind == .update {
            guard let work = activity.work else { return }
            // It begins with the new data.
            if work.move(to: transition.destination) { return }
            let takesOver = definition.states[plan.destination].hooks.continuesWork(transition)
            if !takesOver { activity.endWork() }
        } else {
            activity.end()
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
    func suspendTree(_ regions: [any TreeMachine]) -> [MachineActivity.Taken] {
        var ended = regions.reversed().flatMap { $0.withCore { $0.suspendTree($0.place?.regions ?? []) } }
        if let activity { ended.append(activity.take()) }
        noteSuspension()
        return ended
    }
}

extension Definition {
    /// The activity of a machine; `nil` for one of a workflow in which nothing goes on, and that goes by the system's clock.
    @inline(__always)
    func activity(_ scheduler: Scheduler?, entered: Date?) -> MachineActivity? {
        guard hasActivity || scheduler.map({ $0 !== Scheduler.system }) == true else { return nil }
        return MachineActivity(scheduler ?? .system, entered: entered, hasDeadlines: content.value.hasDeadlines)
    }

    /// The journal of a machine, if its workflow asks for one, or the machine kept one before.
    @inline(__always)
    func journalBook(_ journal: Journal?) -> JournalBook? {
        guard let limit = content.value.journal else { return journal.map(JournalBook.init) }
        return JournalBook((journal ?? Journal([])).limited(to: limit))
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
