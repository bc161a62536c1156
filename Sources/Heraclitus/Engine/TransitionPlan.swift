// What is a transition, before and after it is certain?

/// An event that the table lets leave the current state: what it takes to build the destination.
@usableFromInline
struct CandidateTransition {
    /// The event.
    let event: Immortal<CompiledEvent>

    /// The number of the state that is left.
    let source: Int

    /// The state that is left, where that is the destination of a transition which still waits in the queue.
    let queuedSource: AnyObject?
}

/// What happens when a transition is made, but for the objects: by number, so that it is two words.
struct TransitionPlan {
    enum Kind: UInt8 {
        /// One state is left and another one, or the same anew, is entered.
        case external

        /// A state keeps and gets new data.
        case update

        /// A new machine enters the state in which it begins.
        case entry

        /// A restored machine is back in its state.
        case restoring

        /// A copy of an active machine goes on by itself.
        case resumption
    }

    private let eventNumber: Int32
    private let sourceNumber: Int32
    private let destinationNumber: Int32
    let kind: Kind

    /// The phases in which the definition has a hook.
    let hooks: CallbackPhases

    /// The plan of a transition from a state to a state by an event.
    @inline(__always)
    init(_ candidate: CandidateTransition, to destination: Int, in definition: Definition) {
        let event = candidate.event
        eventNumber = Int32(truncatingIfNeeded: event.value.index)
        sourceNumber = Int32(truncatingIfNeeded: candidate.source)
        destinationNumber = Int32(truncatingIfNeeded: destination)
        let ofEvent = event.value.hooks
        if event.value.reach.updates(candidate.source, to: destination) {
            kind = .update
            hooks = ofEvent.union(definition.states[destination].hooks.whenUpdated)
        } else {
            kind = .external
            hooks = ofEvent.union(definition.states[candidate.source].hooks.whenLeft)
                .union(definition.states[destination].hooks.whenEntered)
        }
    }

    /// The plan of an activation.
    init(_ activation: PackedStatus.Activation, in state: Int, in definition: Definition) {
        kind =
            switch activation {
            case .entry: .entry
            case .restoring, .done: .restoring
            case .resumption: .resumption
            }
        eventNumber = -1
        sourceNumber = -1
        destinationNumber = Int32(truncatingIfNeeded: state)
        hooks = definition.states[state].hooks.whenActivated.intersection(kind.phases)
    }

    /// The plan of leaving a state because the machine's holder leaves its own.
    init(leaving state: Int, in definition: Definition) {
        kind = .external
        eventNumber = -1
        sourceNumber = Int32(truncatingIfNeeded: state)
        destinationNumber = -1
        hooks = definition.states[state].hooks.whenLeft
    }

    /// Whether nothing was fired: on activation, and where a state is left with its holder.
    var hasNoEvent: Bool { eventNumber < 0 }

    /// The number of the event; there is none on activation.
    var event: Int { Int(eventNumber) }

    /// The number of the state that is left; there is none on activation.
    var source: Int { Int(sourceNumber) }

    /// The number of the state that is entered, or updated, or that is activated.
    var destination: Int { Int(destinationNumber) }

    /// The same plan for a state that is left with the source, whatever becomes of that.
    var asExternal: TransitionPlan { TransitionPlan(self, as: .external) }

    private init(_ plan: TransitionPlan, as kind: Kind) {
        eventNumber = plan.eventNumber
        sourceNumber = plan.sourceNumber
        destinationNumber = plan.destinationNumber
        hooks = plan.hooks
        self.kind = kind
    }
}

extension TransitionPlan.Kind {
    /// The phases that a transition of this kind goes through.
    @inline(__always)
    var phases: CallbackPhases {
        switch self {
        case .external: .ofTransition
        case .update: .ofUpdate
        case .entry: .ofEntry
        case .restoring: .ofRestoring
        case .resumption: .ofResumption
        }
    }
}
