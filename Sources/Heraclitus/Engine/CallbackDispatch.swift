// Who is called in the course of a transition? In each phase the definition's hooks, then the machine's own closures.

extension MachineCore {
    /// Whether anybody is to be called in some phases of a transition.
    @inline(__always)
    func hasListeners(in phases: CallbackPhases, of plan: TransitionPlan) -> Bool {
        !plan.hooks.union(listened).intersection(phases).isEmpty
    }

    /// Asks every guard, in order, until one throws; or all, where all that decline are wanted.
    func askGuards(of plan: TransitionPlan, _ transition: StateTransition, _ purpose: CallPurpose) throws {
        if case .rehearsal(let unmet?) = purpose {
            forEachGuard(of: plan) { ask in
                do { try ask(transition) } catch { unmet.errors.append(error) }
            }
            if let first = unmet.errors.first { throw first }
        } else {
            try forEachGuard(of: plan) { ask in try ask(transition) }
        }
    }

    @inline(__always)
    private func forEachGuard(of plan: TransitionPlan, _ body: ((StateTransition) throws -> Void) throws -> Void)
        rethrows
    {
        if plan.hooks.contains(.guards) {
            for ask in definition.events[plan.event].declaration.guards { try body(ask) }
            if plan.kind == .external {
                try body(definition.states[plan.source].hooks.shouldExit)
                try body(definition.states[plan.destination].hooks.shouldEnter)
            }
        }
        if listened.contains(.guards) { try forEachClosure(in: .guards) { try body($0.ask) } }
    }

    /// Calls everybody who listens in some phases, in the order of the phases.
    @inline(__always)
    func notify(_ phases: CallbackPhases, of plan: TransitionPlan, _ loan: borrowing TransitionLoan) {
        let phases = phases.intersection(plan.kind.phases)
        guard hasListeners(in: phases, of: plan) else { return }
        loan.withObjects { notify(phases, of: plan, StateTransition($0)) }
    }

    @inline(never)
    func notify(_ phases: CallbackPhases, of plan: TransitionPlan, _ transition: StateTransition) {
        var rest = phases
        // Looked at anew after each phase: what is added meanwhile is called from the next phase on.
        while let phase = rest.intersection(plan.hooks.union(listened)).first {
            rest.removeAll(through: phase)
            if plan.hooks.contains(phase) { callHook(phase, of: plan, transition) }
            if listened.contains(phase) { callClosures(in: phase, transition) }
        }
    }

    @inline(never)
    private func callClosures(in phase: CallbackPhase, _ transition: StateTransition) {
        forEachClosure(in: phase) { $0.call(transition) }
    }

    private func callHook(_ phase: CallbackPhase, of plan: TransitionPlan, _ transition: StateTransition) {
        switch phase {
        case .willFire: for hook in definition.events[plan.event].declaration.willFire { hook(transition) }
        case .willExit:
            if definition.states[plan.source].hooks.isComposite { tellRegions(.willExit, transition) }
            definition.states[plan.source].hooks.willExit(transition)
        case .willEnter:
            definition.states[plan.destination].hooks.willEnter(transition)
            if definition.states[plan.destination].hooks.isEffecting {
                noteEffects(of: transition.destinationObject, named: definition.states[plan.destination].name)
            }
        case .didExit: definition.states[plan.source].hooks.didExit(transition)
        case .didEnter: definition.states[plan.destination].hooks.didEnter(transition)
        case .didRestore: definition.states[plan.destination].hooks.didRestore(transition)
        case .regions: changeRegions(of: plan, transition)
        case .activityEnd: endActivity(of: plan, transition)
        case .activityStart: startActivity(of: plan, transition)
        case .didFire: for hook in definition.events[plan.event].declaration.didFire { hook(transition) }
        case .guards, .observers, .notices, .regionNotices, .journal: break
        }
    }

    /// Calls a body with the closures of a phase in the order in which they were added; not with one that is cancelled meanwhile.
    @inline(__always)
    func forEachClosure(in phase: CallbackPhase, _ body: (borrowing CallbackEntry) throws -> Void) rethrows {
        let callbacks = callbacks
        // The list keeps its entries until all are called. So nobody counts references to them.
        defer { withExtendedLifetime(callbacks) {} }
        let entries = callbacks.span
        for index in entries.indices where entries[index].phase == phase && !entries[index].isCancelled {
            try LentReference(entries[index]).withObject(as: CallbackEntry.self) { try body($0) }
        }
    }
}

/// The errors of the guards that decline, in the order in which they were asked.
@usableFromInline
final class UnmetGuards {
    var errors: [any Error] = []
}
