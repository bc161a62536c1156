// What happens to the machines in a state when that is entered and left?

import HeraclitusEssentials
import Synchronization

extension MachineCore {
    /// Leaves the machines that the state before held, and takes on those that the state holds that the machine shows now.
    func changeRegions(of plan: TransitionPlan, _ transition: StateTransition) {
        let machine = transition.treeMachine
        let new = definition.regions(of: transition.destinationObject, in: plan.destination)
        let old = madePlace.replaceRegions(by: new)
        let staying = Set(new.lazy.map { ObjectIdentifier($0) })
        let left = plan.kind == .external ? old : old.filter { !staying.contains(ObjectIdentifier($0)) }
        for region in left { region.withCore { $0.place?.setCurrent(false) } }
        if !left.isEmpty { leave(left, staying, plan, transition) }
        for region in new {
            region.withCore { core in
                core.expectNoOther(core.madePlace.give(to: machine), than: machine, region)
                core.place?.setCurrent(true)
            }
            giveContext(to: region)
        }
        if hearsRegions { letRegionsBeHeard() }
    }

    /// Leaves the machines that the new state does not hold, or holds anew.
    private func leave(
        _ left: [any TreeMachine],
        _ staying: Set<ObjectIdentifier>,
        _ plan: TransitionPlan,
        _ transition: StateTransition
    ) {
        let call = Call(transition.treeMachine)
        let date = date(of: call)
        // A queued transition may enter a state that holds a machine again: then that belongs to this machine already.
        let coming = call.turn { $0.waiting }.reduce(into: Set<ObjectIdentifier>()) { coming, next in
            let regions = definition.regions(of: next.destinationObject, in: next.plan.destination)
            coming.formUnion(regions.lazy.map { ObjectIdentifier($0) })
        }
        for region in left.reversed() {
            let id = ObjectIdentifier(region)
            region.withCore { core in
                if plan.kind != .external { core.tellState(.willExit, transition) }
                core.leave(transition, date)
                if !staying.contains(id), !coming.contains(id) { core.place?.leaveHolder() }
            }
        }
    }

    /// Gives a machine in the state its context: that of this machine, or what the workflow makes of it, or that of a machine around.
    private func giveContext(to region: any TreeMachine) {
        if let context, region.inherit(context) { return }
        let workflow = type(of: region).workflowType
        if let context = definition.context(for: workflow, context), region.inherit(context) { return }
        place?.holder?.withCore { $0.giveContext(to: region) }
    }

    /// Tells the states of the machines in the state that is left, the innermost first.
    func tellRegions(_ phase: CallbackPhase, _ transition: StateTransition) {
        for region in (place?.regions ?? []).reversed() { region.withCore { $0.tellState(phase, transition) } }
    }

    /// Activates the machines in the state that was entered, restored or updated.
    func startRegions(of plan: TransitionPlan) {
        guard definition.states[plan.destination].hooks.isComposite else { return }
        place?.startRegions()
    }

    /// Lets nothing go on by itself from now on, neither here nor in the machines in the state.
    func becomePassive() {
        activity?.becomePassive()
        endActivityOfTree()
    }

    /// Ends what goes on in the machine and in those in its state.
    func endActivityOfTree() {
        for region in (place?.regions ?? []).reversed() { region.withCore { $0.endActivityOfTree() } }
        activity?.end()
    }

    /// Leaves the state of a machine whose holder has left the state that holds it; it is resumed there later.
    private func leave(_ transition: StateTransition, _ date: Date) {
        // Its time stands still from now on, and an archive says that it is put aside.
        madePlace.notePutAside(since: date)
        guard now.isEntered else { return }
        for region in (place?.regions ?? []).reversed() { region.withCore { $0.leave(transition, date) } }
        activity?.end()
        tellState(.didExit, transition)
        let status = PackedStatus(now.index, .restoring)
        state.change { self.status.store(status.bits, ordering: .relaxed) }
    }

    /// Tells the state, and the closures of this machine, of a transition of the holder's: as one that leaves this state.
    private func tellState(_ phase: CallbackPhase, _ transition: StateTransition) {
        let plan = TransitionPlan(leaving: now.index, in: definition)
        let phases = CallbackPhases(phase)
        guard now.isEntered, hasListeners(in: phases, of: plan) else { return }
        let type = definition.states[now.index].type
        let state = state.withOwnersView { state, _ in state }
        notify(phases, of: plan, transition.leaving(state, of: type, context))
    }
}
