// The phases of a transition, and the calls in each of them.
//
// In each phase the definition's hooks come first, followed by the machine's closures in the order of adding.

/// A phase of a transition with callbacks, in the order of the calls.
package enum CallbackPhase: UInt16, CaseIterable, Sendable {
    case guards
    case willFire
    case willExit
    case willEnter

    /// Leaves the machines of the old state, and takes on those of the new one.
    case regions

    /// Ends deadlines and work of the old state, or hands the work to the new data of an updated state.
    case activityEnd
    case didExit
    case didEnter
    case didRestore
    case didFire
    case observers

    /// Begins deadlines and work of the new state, or continues with the new data of an updated state.
    case activityStart

    /// Other occurrences: rejections, ignored events, actions, announcements.
    case notices

    /// All occurrences of the machines in the state, including transitions.
    case regionNotices
}

/// Some phases of a transition.
struct CallbackPhases: OptionSet, Sendable {
    // If you widen it for more phases, widen the bits of `Lock` with it.
    let rawValue: UInt16

    init(rawValue: UInt16) { self.rawValue = rawValue }

    @inline(__always)
    init(_ phase: CallbackPhase) { self.init(rawValue: 1 << phase.rawValue) }

    init(_ phases: some Sequence<CallbackPhase>) { self = phases.reduce(into: []) { $0.insert(CallbackPhases($1)) } }

    @inline(__always)
    func contains(_ phase: CallbackPhase) -> Bool { !isDisjoint(with: CallbackPhases(phase)) }

    /// The first phase in the order of the calls.
    @inline(__always)
    var first: CallbackPhase? {
        rawValue == 0 ? nil : CallbackPhase(rawValue: UInt16(truncatingIfNeeded: rawValue.trailingZeroBitCount))
    }

    /// Removes the first phase of a set, and all phases before it.
    @inline(__always)
    mutating func removeAll(throughFirstOf phases: CallbackPhases) {
        self = CallbackPhases(rawValue: rawValue & ~(phases.rawValue ^ (phases.rawValue &- 1)))
    }
}

extension CallbackPhases {
    static var guards: CallbackPhases { CallbackPhases(.guards) }
    static var willFire: CallbackPhases { CallbackPhases(.willFire) }
    static var willExit: CallbackPhases { CallbackPhases(.willExit) }
    static var willEnter: CallbackPhases { CallbackPhases(.willEnter) }
    static var regions: CallbackPhases { CallbackPhases(.regions) }
    static var activityEnd: CallbackPhases { CallbackPhases(.activityEnd) }
    static var didExit: CallbackPhases { CallbackPhases(.didExit) }
    static var didEnter: CallbackPhases { CallbackPhases(.didEnter) }
    static var didRestore: CallbackPhases { CallbackPhases(.didRestore) }
    static var didFire: CallbackPhases { CallbackPhases(.didFire) }
    static var observers: CallbackPhases { CallbackPhases(.observers) }
    static var activityStart: CallbackPhases { CallbackPhases(.activityStart) }
    static var notices: CallbackPhases { CallbackPhases(.notices) }
    static var regionNotices: CallbackPhases { CallbackPhases(.regionNotices) }

    // A new phase belongs to some of these sets. `CallbackPhaseTests` has to say which ones, and compares.

    /// The phases before the commit, when the transition is certain.
    static var before: CallbackPhases { [.willFire, .willExit, .willEnter] }

    /// The phases after the commit.
    static var after: CallbackPhases {
        [.regions, .activityEnd, .didExit, .didEnter, .didRestore, .didFire, .observers, .activityStart]
    }

    /// All phases of a transition between two states.
    static var ofTransition: CallbackPhases { before.union(after).union(.guards).subtracting(.didRestore) }

    /// The phases of an update, without exit and entry.
    static var ofUpdate: CallbackPhases {
        [.guards, .willFire, .regions, .activityEnd, .didFire, .observers, .activityStart]
    }

    /// The phases of entering the initial state.
    static var ofEntry: CallbackPhases { [.willEnter, .regions, .didEnter, .activityStart] }

    /// The phases of a restored machine.
    static var ofRestoring: CallbackPhases { [.regions, .didRestore, .activityStart] }

    /// The phases of an activation that begins deadlines and work again.
    static var ofResumption: CallbackPhases { [.regions, .activityStart] }
}

extension TransitionPlan.Kind {
    /// The phases of a transition of this kind.
    @inline(__always)
    var phases: CallbackPhases {
        switch self {
        case .external: .ofTransition
        case .update: .ofUpdate
        case .activation(.entry): .ofEntry
        case .activation(.restoring): .ofRestoring
        case .activation(.resumption): .ofResumption
        }
    }
}

// MARK: - Calling

extension MachineCore {
    /// The phases with closures of the machine, which the list of closures keeps beside its lock.
    @inline(__always)
    var closurePhases: CallbackPhases { CallbackPhases(rawValue: cell.lock.bits) }

    /// Whether the machine has closures in a phase.
    @inline(__always)
    func listens(to phases: CallbackPhases) -> Bool { !closurePhases.isDisjoint(with: phases) }

    /// Whether a transition has callbacks in some phases.
    @inline(__always)
    func hasListeners(in phases: CallbackPhases, of plan: TransitionPlan) -> Bool {
        !plan.hookPhases.union(closurePhases).intersection(phases).isEmpty
    }

    /// Asks the guards in order: all of them, or until one declines.
    /// - Returns: The errors of declining guards.
    func unmetGuards(of transition: StateTransition, askingAll: Bool) -> [any Error] {
        var unmet: [any Error] = []
        func ask(_ guarding: () throws -> Void) {
            if !askingAll, !unmet.isEmpty { return }
            do { try guarding() } catch { unmet.append(error) }
        }
        let plan = transition.plan
        if plan.hookPhases.contains(.guards) {
            for guarding in definition.events[plan.event].declaration.guards {
                ask { try guarding.call(transition) }
            }
            if plan.kind == .external {
                // Called in place, because a method as a value would copy the hooks.
                ask {
                    try definition.states[plan.source].hooks.exitGuarding?.source(of: transition).shouldExit(transition)
                }
                ask {
                    try definition.states[plan.destination].hooks.entryGuarding?.destination(of: transition)
                        .shouldEnter(transition)
                }
            }
        }
        if closurePhases.contains(.guards) {
            eachClosure(in: .guards) { if case .guard(let guarding) = $0 { ask { try guarding(transition) } } }
        }
        return unmet
    }

    /// Calls all callbacks of some phases, in order.
    @inline(__always)
    func notify(_ phases: CallbackPhases, of transition: StateTransition) {
        let phases = phases.intersection(transition.plan.kind.phases)
        if hasListeners(in: phases, of: transition.plan) { notify(phases, of: transition.plan, transition) }
    }

    /// Calls all callbacks of some phases of a plan.
    ///
    /// The transition may be the holder's.
    @inline(never)
    func notify(_ phases: CallbackPhases, of plan: TransitionPlan, _ transition: StateTransition) {
        var rest = phases
        // The closures are read again after each phase, so a new closure is called from the next phase on.
        while true {
            let heard = rest.intersection(plan.hookPhases.union(closurePhases))
            guard let phase = heard.first else { return }
            rest.removeAll(throughFirstOf: heard)
            if plan.hookPhases.contains(phase) { callHook(phase, of: plan, transition) }
            if closurePhases.contains(phase) {
                eachClosure(in: phase) { if case .hook(_, let call) = $0 { call(transition) } }
            }
        }
    }

    private func callHook(_ phase: CallbackPhase, of plan: TransitionPlan, _ transition: StateTransition) {
        switch phase {
        case .willFire, .didFire:
            for hook in definition.events[plan.event].declaration.hooks where hook.phase == phase {
                hook.call(transition)
            }
        case .willExit:
            if definition.states[plan.source].hooks.isComposite { tellRegions(.willExit, transition) }
            definition.states[plan.source].hooks.exitPreparing?.source(of: transition).willExit(transition)
        case .willEnter:
            // Accessed in place, because holding a compiled state would copy it.
            definition.states[plan.destination].hooks.entryPreparing?.destination(of: transition)
                .willEnter(transition)
            if definition.states[plan.destination].hooks.isEffecting {
                noteEffects(of: transition.destinationObject)
            }
        case .didExit: definition.states[plan.source].hooks.exiting?.source(of: transition).didExit(transition)
        case .didEnter:
            definition.states[plan.destination].hooks.entering?.destination(of: transition).didEnter(transition)
        case .didRestore:
            definition.states[plan.destination].hooks.restoring?.destination(of: transition).didRestore(transition)
        case .regions: changeRegions(of: plan, transition)
        case .activityEnd: endActivity(of: plan, transition)
        case .activityStart: startActivity(of: plan, transition)
        case .guards, .observers, .notices, .regionNotices: break
        }
    }
}
