// Why is a fire refused?
//
// Never inlined: a fire that succeeds is not to make room for errors.

extension MachineCore {
    /// A fire is refused before it is known where it leads.
    @inline(never)
    func refusal(
        _ reason: InvalidTransition.Reason,
        of selector: EventSelector,
        from source: Int,
        candidates: [String] = [],
        machines: [String] = []
    ) -> Refusal {
        var event: Int?
        var name: String?
        var destination: String?
        switch selector {
        case .event(let index), .bound(let index, _): event = index
        case .named(let text): name = text
        case .unbound: break
        case .entering(let type): destination = CompiledState.name(of: type)
        case .enteringNamed(let name): destination = name
        }
        return Refusal(
            reason,
            event: event,
            from: source,
            Refusal.Details(event: name, destination: destination, candidates: candidates, machines: machines)
        )
    }

    /// A guard has declined.
    @inline(never)
    func refusal(of plan: TransitionPlan, because error: any Error) -> Refusal {
        let details = Refusal.Details(destination: definition.states[plan.destination].name, underlyingError: error)
        return Refusal(.declined, event: plan.event, from: plan.source, details)
    }

    /// No state was made.
    @inline(never)
    func refusal(of candidate: CandidateTransition, because error: any Error) -> Refusal {
        let event = candidate.event.value.index
        guard let error = error as? DestinationNeeded else {
            return Refusal(.declined, event: event, from: candidate.source, Refusal.Details(underlyingError: error))
        }
        let details = Refusal.Details(candidates: error.candidates)
        return Refusal(.destinationNeeded, event: event, from: candidate.source, details)
    }

    /// The event does not lead to the state that was made.
    @inline(never)
    func refusal(of candidate: CandidateTransition, to object: AnyObject) -> Refusal {
        let name = CompiledState.name(of: type(of: object))
        let index = definition.stateIndex(of: type(of: object))
        let reason: InvalidTransition.Reason =
            switch index {
            case nil: .unregisteredState
            case let index? where definition.layout(of: object, of: index) != nil: .notAllowed
            default: .unsuitableState
            }
        return Refusal(
            reason,
            event: candidate.event.value.index,
            from: candidate.source,
            Refusal.Details(destination: name, candidates: index == nil ? [name] : [])
        )
    }
}

/// Thrown when the machine has to be told which state to enter.
struct DestinationNeeded: Error {
    let candidates: [String]
}
