// Starts and ends machines in a state when the state is entered and left.

import HeraclitusEssentials
import Synchronization

extension MachineCore {
    /// Leaves the machines of the previous state, and takes on the machines of the new one.
    func changeRegions(of plan: TransitionPlan, _ transition: StateTransition) {
        let machine = transition.treeMachine
        let new = definition.regions(of: transition.destinationObject, in: plan.destination)
        let old = madePlace.replaceRegions(by: new)
        let staying = Set(new.lazy.map { ObjectIdentifier($0) })
        let left = plan.kind == .external ? old : old.filter { !staying.contains(ObjectIdentifier($0)) }
        let call = Call(machine)
        // Before all callbacks, so that their archives and copies have just the left machines as put aside.
        for region in left {
            region.withCore { core in
                if !staying.contains(ObjectIdentifier(region)) { core.stopTime(at: date(of: call)) }
                core.place?.setCurrentHolder(nil)
            }
        }
        for region in new {
            region.withCore { core in if core.place?.putAside != nil { core.resumeTime(at: date(of: call)) } }
        }
        if !left.isEmpty { leave(left, staying, plan, transition) }
        for region in new {
            region.withCore { core in
                core.expectNoOther(core.madePlace.give(to: machine), than: machine, region)
                core.place?.setCurrentHolder(machine)
            }
            giveContext(to: region)
        }
        if observesRegions { observeRegions() }
    }

    /// Leaves machines of the old state: all, or after an update those that the new data lacks.
    private func leave(
        _ left: [any TreeMachine],
        _ staying: Set<ObjectIdentifier>,
        _ plan: TransitionPlan,
        _ transition: StateTransition
    ) {
        let call = Call(transition.treeMachine)
        // A machine that a queued transition brings back keeps its holder.
        let coming = call.turn { $0.waiting.map(\.transition) }.reduce(into: Set<ObjectIdentifier>()) { coming, next in
            let regions = definition.regions(of: next.destinationObject, in: next.plan.destination)
            coming.formUnion(regions.lazy.map { ObjectIdentifier($0) })
        }
        for region in left.reversed() {
            let id = ObjectIdentifier(region)
            region.withCore { core in
                if plan.kind != .external { core.tellState(.willExit, transition) }
                core.leave(transition)
                if !staying.contains(id), !coming.contains(id) { core.place?.leaveHolder() }
            }
        }
    }

    /// Gives a machine in the state its context: this machine's context, a context made by the workflow, or an outer
    /// machine's context.
    func giveContext(to region: any TreeMachine) {
        if region.withCore({ $0.isEquipped }) { return }
        if let context, region.inherit(context) { return }
        let workflow = type(of: region).workflowType
        if let context = definition.context(for: workflow, context), region.inherit(context) { return }
        place?.holder?.withCore { $0.giveContext(to: region) }
    }

    /// Tells the states of inner machines that the outer state is left, the innermost first.
    func tellRegions(_ phase: CallbackPhase, _ transition: StateTransition) {
        for region in regions.reversed() { region.withCore { $0.tellState(phase, transition) } }
    }

    /// Makes the machine and the machines in its state passive: deadlines and work stop for good.
    func becomePassive() {
        activity?.becomePassive()
        endActivityOfTree()
    }

    /// Ends deadlines and work of the machine and of machines in its state.
    private func endActivityOfTree() {
        for region in regions.reversed() { region.withCore { $0.endActivityOfTree() } }
        activity?.end()
    }

    /// Leaves the state of a machine whose holder has left the holding state.
    ///
    /// The machine may be resumed there later.
    private func leave(_ transition: StateTransition) {
        for region in regions.reversed() { region.withCore { $0.leave(transition) } }
        guard now.isActive else { return }
        activity?.end()
        tellState(.didExit, transition)
        let status = PackedStatus(now.index, pending: .restoring)
        cell.change { self.status.store(status.bits, ordering: .relaxed) }
    }

    /// Lets the time of a machine stand still, and the time of machines in its state.
    ///
    /// Its archive marks it as put aside.
    private func stopTime(at date: Date) {
        madePlace.notePutAside(since: date)
        for region in regions { region.withCore { $0.stopTime(at: date) } }
    }

    /// Lets the time of a machine go on that was put aside, and the time of machines in its state.
    func resumeTime(at date: Date) {
        for region in regions { region.withCore { $0.resumeTime(at: date) } }
        // The time in a state that is yet to be entered has not begun.
        guard let place, let putAside = place.takePutAside(), now.pending != .entry,
            !definition.states[now.index].hooks.isAging
        else { return }
        let pause = max(0, date.timeIntervalSince(putAside))
        place.delayUnreadEntry(by: pause)
        guard let activity else { return }
        let entered = activity.entered.addingTimeInterval(pause)
        cell.change { activity.note(entered: entered) }
    }

    /// Tells the state and this machine's closures of the holder's transition, which also leaves this state.
    private func tellState(_ phase: CallbackPhase, _ transition: StateTransition) {
        let plan = TransitionPlan(leaving: now.index, in: definition)
        let phases = CallbackPhases(phase)
        guard now.isActive, hasListeners(in: phases, of: plan) else { return }
        let type = definition.states[now.index].type
        notify(phases, of: plan, transition.leaving(currentObject, of: type, within: place?.holder, context))
    }
}
