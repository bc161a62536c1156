// Starts and ends the deadlines and the work of a state.
import HeraclitusEssentials

extension MachineCore {
    /// The holder's scheduler, or the machine's own.
    var scheduler: Scheduler {
        place?.holder?.withCore { $0.scheduler } ?? activity?.scheduler ?? .system
    }

    /// Whether the machine or its holder is passive.
    private var isPassive: Bool {
        activity?.isPassive == true || place?.holder?.withCore { $0.isPassive } == true
    }

    /// Begins deadlines and work of the state that was entered, restored or updated, after all callbacks.
    ///
    /// Events that are already due fire at once, as from a callback.
    func startActivity(of plan: TransitionPlan, _ transition: StateTransition) {
        let isPassive = isPassive
        if !isPassive, !definition.states[plan.destination].deadlines.isEmpty, let activity, let timer = activity.timer
        {
            guard startDeadlines(of: plan, transition, activity, timer) else { return }
        } else if definition.states[plan.destination].hooks.isComposite {
            place?.startRegions()
        }
        // Conditions come first, because work must not begin in a state that is about to be left.
        fireConditions(of: transition.treeMachine)
        if let activity, !isPassive { startWork(of: plan, transition, activity) }
    }

    /// Sets the timer, and activates the machines in the state, in the order of deadlines.
    /// - Returns: Whether the machine stays in the state.
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
        let machine = transition.treeMachine
        // A callback may have fired an event that leaves the state; its deadlines are then invalid.
        let stays = Call(machine).turn { $0.expected } == plan.destination
        // Usually no deadline is due. In a composite state the timer is armed after the regions have begun.
        let isLater = !isComposite && deadlines.first.map { $0.date > now } ?? true
        let period = timer.set(
            deadlines,
            of: state,
            in: machine,
            scheduler,
            isArmed: stays && isLater
        )
        guard stays else { return false }
        if isLater { return true }
        /// - Returns: Whether the state is about to be left or updated, which ends this method.
        func fireDue(by date: Date) -> Bool {
            // A callback may have fired a transition that replaces the object and invalidates its deadlines.
            while expectedObject(Call(machine)) === transition.destinationObject,
                let isAccepted = timer.fireFirst(of: period, dueBy: date, machine)
            {
                if isAccepted { return true }
            }
            return false
        }
        // A deadline before all deadlines of the regions fires first. If it leaves the state, the regions never begin.
        if isComposite {
            // The time of an unentered machine has not begun.
            let entered = regions.lazy.filter { $0.withCore { $0.now.pending != .entry } }
            let firstOfRegions = entered.compactMap(\.nextDeadline).min()
            if fireDue(by: min(firstOfRegions ?? now, now)) { return false }
            place?.startRegions()
        }
        if fireDue(by: now) { return false }
        timer.arm(period)
        return true
    }

    /// Ends deadlines and work of a left state, or hands the work to the new data of an updated state.
    func endActivity(of plan: TransitionPlan, _ transition: StateTransition) {
        guard let activity else { return }
        if plan.kind == .update {
            guard let work = activity.work else { return }
            // Work that has not begun starts with the new data.
            if work.move(to: transition.destination) { return }
            let takesOver = definition.states[plan.destination].hooks.working?.continuesWork(transition) ?? true
            if !takesOver { activity.takeWork()?.end() }
        } else {
            activity.end()
        }
    }

    /// Ends deadlines and work of the machine and of machines in its state, until the next activation.
    func suspend(_ call: borrowing Call) {
        guard !now.needsActivation, let role = try? acquire(call) else { return }
        let ended = suspendTree(regions)
        finish(role, call)
        // Outside the turn, because cancellation handlers are user code, which may fire.
        for activity in ended { activity.end() }
    }

    /// Prepares the machine and the machines in its state for another activation.
    ///
    /// Calls no user code.
    /// - Returns: The invalid deadlines and work, the innermost first.
    func suspendTree(_ regions: [any TreeMachine]) -> [MachineActivity.Taken] {
        var ended = regions.reversed().flatMap { $0.withCore { $0.suspendTree($0.regions) } }
        if let activity { ended.append(activity.suspend()) }
        noteSuspension()
        return ended
    }
}

extension Definition {
    /// The activity of a machine; `nil` if the workflow has no deadlines and work, and the machine uses the system's
    /// scheduler.
    @inline(__always)
    func activity(_ scheduler: Scheduler?, entered: Date?) -> MachineActivity? {
        guard hasActivity || scheduler.map({ $0 !== Scheduler.system }) == true else { return nil }
        return MachineActivity(scheduler ?? .system, entered: entered, hasDeadlines: content.value.hasDeadlines)
    }

    /// The deadlines of a state object that was entered at a date, in the order of their dates.
    ///
    /// Deadlines of the same date are in the order of declaration.
    func deadlines(of state: Int, _ object: AnyObject, _ entered: Date) -> [DatedDeadline] {
        (0..<states[state].deadlines.count).compactMap { number in
            let date = states[state].deadlines[number].trigger.date(in: object, entered: entered)
            // An invalid date, or one beyond all dates, never comes.
            guard let date, date.timeIntervalSinceReferenceDate < .infinity else { return nil }
            return DatedDeadline(event: states[state].deadlines[number].event, number: number, date: date)
        }.sorted { ($0.date, $0.number) < ($1.date, $1.number) }
    }

    /// The deadlines of a machine at a moment.
    func deadlines(of snapshot: Snapshot) -> [DatedDeadline] {
        guard let entered = snapshot.entered else { return [] }
        return deadlines(of: snapshot.status.index, snapshot.state, entered)
    }

    /// The first deadline of a machine and of machines in its state, at a moment.
    func firstDeadline(of snapshot: Snapshot) -> Date? {
        let own = deadlines(of: snapshot).first?.date
        let machines = TreeMoment(of: regions(of: snapshot.state, in: snapshot.status.index)).machines
        let others = machines.compactMap { machine in
            machine.withCore { $0.definition.deadlines(of: $0.snapshot).first?.date }
        }
        return others.reduce(own) { min($0 ?? $1, $1) }
    }
}
