// What happens to the machines in a state when that is entered and left?

import Synchronization

extension MachineCore {
    /// Leaves the machines that the state before held, and takes on those that the state holds that the machine shows now.
    func changeRegions(of plan: TransitionPlan, _ transition: StateTransition) {
        guard let place, let machine = transition.machine as? any TreeMachine else { return }
        let new = definition.regions(of: transition.destinationObject, in: plan.destination)
        let old = place.replaceRegions(by: new)
        func stays(_ region: any TreeMachine) -> Bool { new.contains { $0 === region } }
        let left = plan.kind == .external ? old : old.filter { !stays($0) }
        for region in left { region.withCore { $0.place?.setCurrent(false) } }
        func comesBack(_ region: any TreeMachine) -> Bool {
            Call(machine, [:]).turn { $0.waiting }.contains { next in
                definition.regions(of: next.state, in: next.plan.destination).contains { $0 === region }
            }
        }
        for region in left.reversed() {
            region.withCore { core in
                if plan.kind != .external { core.tellState(.willExit, transition) }
                core.leave(transition)
                // What is queued may enter a state that holds it again: then it belongs to this machine already.
                if !stays(region), !comesBack(region) { core.place?.leaveHolder() }
            }
        }
        for region in new {
            region.withCore { core in
                core.expectNoOther(core.madeEnvironment.place.give(to: machine), than: machine, region)
                core.place?.setCurrent(true)
            }
            if let context = contextOfTree { region.inherit(context) }
        }
        if hearsRegions { letRegionsBeHeard() }
    }

    /// The context of the machine, or else that of the machine that it belongs to.
    private var contextOfTree: GivenContext? {
        environment?.context ?? place?.holder.flatMap { $0.withCore { $0.contextOfTree } }
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
        environment?.becomePassive()
        endActivityOfTree()
    }

    /// Ends what goes on in the machine and in those in its state.
    func endActivityOfTree() {
        for region in (place?.regions ?? []).reversed() { region.withCore { $0.endActivityOfTree() } }
        environment?.endActivity()
    }

    /// Leaves the state of a machine whose holder has left the state that holds it; it is resumed there later.
    private func leave(_ transition: StateTransition) {
        guard now.isEntered else { return }
        for region in (place?.regions ?? []).reversed() { region.withCore { $0.leave(transition) } }
        environment?.endActivity()
        tellState(.didExit, transition)
        let status = PackedStatus(now.index, .restoring)
        state.change { self.status.store(status.bits, ordering: .relaxed) }
    }

    /// Tells the state, and the closures of this machine, of a transition of the holder's: as one that leaves this state.
    private func tellState(_ phase: CallbackPhase, _ transition: StateTransition) {
        let plan = TransitionPlan(leaving: now.index, in: definition)
        let phases = CallbackPhases(phase)
        guard now.isEntered, hasListeners(in: phases, of: plan), let machine = transition.machine else { return }
        let userInfo = transition.lentUserInfo
        let call = Call(machine, userInfo)
        let terms = transition.objects.terms.leaving(definition.states[now.index].type)
        let context = environment?.context
        var loan = call.takeLoan(terms)
        loan.withObjects { objects in
            objects.lend(terms, to: transition.destinationObject, by: call.lentMachine, call.lentUserInfo)
            objects.lend(context: context?.object)
            state.withOwnersView { state, _ in objects.lend(source: state) }
            notify(phases, of: plan, StateTransition(objects))
        }
        call.takeBack(&loan)
        withExtendedLifetime((machine, userInfo, context)) {}
    }
}
