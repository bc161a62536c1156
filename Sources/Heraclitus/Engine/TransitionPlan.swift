// Transitions before and after their decision.

/// An event that may leave the current state, with the data for building the destination.
@usableFromInline
struct CandidateTransition {
    /// The event, which lives as long as the program.
    let event: Immortal<CompiledEvent>

    /// The number of the source.
    let source: Int

    /// The source, if it is the destination of a transition that is still queued.
    let queuedSource: AnyObject?
}

/// A transition without its objects: two words with numbers.
struct TransitionPlan {
    enum Kind: Equatable {
        /// Leaves one state, and enters another one or the same one again.
        case external

        /// Keeps the state and replaces its data.
        case update

        /// Activates the machine in its state.
        case activation(PackedStatus.Activation)
    }

    private let eventNumber: Int32
    private let sourceNumber: Int32
    private let destinationNumber: Int32
    var kind: Kind

    /// The phases with hooks of the definition, found when the workflow was compiled.
    let hookPhases: CallbackPhases

    /// The plan of a transition between two states by an event.
    @inline(__always)
    init(_ candidate: CandidateTransition, to destination: Int, in definition: Definition) {
        let event = candidate.event
        eventNumber = Int32(truncatingIfNeeded: event.value.index)
        sourceNumber = Int32(truncatingIfNeeded: candidate.source)
        destinationNumber = Int32(truncatingIfNeeded: destination)
        let ofEvent = event.value.hookPhases
        if event.value.reach.updates(candidate.source, to: destination) {
            kind = .update
            hookPhases = ofEvent.union(definition.states[destination].hooks.whenUpdated)
        } else {
            kind = .external
            hookPhases = ofEvent.union(definition.states[candidate.source].hooks.whenLeft)
                .union(definition.states[destination].hooks.whenEntered)
        }
    }

    /// The plan of an activation.
    init(_ activation: PackedStatus.Activation, in state: Int, in definition: Definition) {
        kind = .activation(activation)
        eventNumber = -1
        sourceNumber = -1
        destinationNumber = Int32(truncatingIfNeeded: state)
        hookPhases = definition.states[state].hooks.whenActivated.intersection(kind.phases)
    }

    /// The plan of leaving a state because the holder leaves its own.
    init(leaving state: Int, in definition: Definition) {
        kind = .external
        eventNumber = -1
        sourceNumber = Int32(truncatingIfNeeded: state)
        destinationNumber = -1
        hookPhases = definition.states[state].hooks.whenLeft
    }

    /// Whether there is no event: on activation, and if a state is left with its holder.
    var hasNoEvent: Bool { eventNumber < 0 }

    /// The number of the event; undefined on activation.
    var event: Int { Int(eventNumber) }

    /// The number of the source; undefined on activation.
    var source: Int { Int(sourceNumber) }

    /// The number of the state that is entered, updated or activated.
    var destination: Int { Int(destinationNumber) }
}
