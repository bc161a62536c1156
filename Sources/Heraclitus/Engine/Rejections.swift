// Why is a fire rejected?
//
// Never inlined: a fire that succeeds is not to make room for errors.

extension MachineCore {
    /// The error of a fire that gets no turn, when observers have been told.
    @inline(never)
    func rejectWithoutTurn(
        _ selector: EventSelector,
        _ problem: NoTurn,
        _ purpose: CallPurpose,
        _ call: borrowing Call
    ) -> InvalidTransition {
        let rejection = rejection(problem.reason, of: selector, from: now.index, machines: problem.machines)
        let error = invalidTransition(rejection, call)
        if !purpose.endsWithGuards { tellOutsideTurn(.rejected(error), call) }
        return error
    }

    /// The error of a rejection, with where the machine is.
    @inline(__always)
    func invalidTransition(_ rejection: Rejection, _ call: borrowing Call) -> InvalidTransition {
        InvalidTransition(
            rejection,
            in: definition,
            userInfo: call.userInfo,
            at: ownership.isHeld ? path : nil
        )
    }

    /// A fire is rejected before it is known where it leads.
    @inline(never)
    func rejection(
        _ reason: InvalidTransition.Reason,
        of selector: EventSelector,
        from source: Int,
        candidates: [String] = [],
        machines: [String] = []
    ) -> Rejection {
        var event: Int?
        var name: String?
        var destination: String?
        var chosen = selector
        if case .ofWork(let ofWork, _) = selector { chosen = ofWork }
        switch chosen {
        case .event(let index), .due(let index, _, _): event = index
        case .named(let text): name = text
        case .unbound, .ofWork: break
        case .entering(let object): destination = CompiledState.name(of: object)
        case .enteringNamed(let name): destination = name
        }
        return Rejection(
            reason,
            event: event,
            from: source,
            Rejection.Details(event: name, destination: destination, candidates: candidates, machines: machines)
        )
    }

    /// Guards have declined.
    @inline(never)
    func rejection(of plan: TransitionPlan, because unmet: [any Error]) -> Rejection {
        let destination = definition.states[plan.destination].name
        let details = Rejection.Details(
            destination: destination,
            underlyingError: unmet.first,
            unmetGuards: unmet
        )
        return Rejection(.declined, event: plan.event, from: plan.source, details)
    }

    /// A machine in the destination cannot be had.
    @inline(never)
    func rejection(of plan: TransitionPlan, because problem: NoTurn) -> Rejection {
        let destination = definition.states[plan.destination].name
        let details = Rejection.Details(destination: destination, machines: problem.machines)
        return Rejection(problem.reason, event: plan.event, from: plan.source, details)
    }

    /// No state was made.
    @inline(never)
    func rejection(of candidate: CandidateTransition, because error: any Error) -> Rejection {
        let event = candidate.event.value.index
        guard let error = error as? DestinationNeeded else {
            return Rejection(.declined, event: event, from: candidate.source, Rejection.Details(underlyingError: error))
        }
        let details = Rejection.Details(candidates: error.candidates)
        return Rejection(.destinationNeeded, event: event, from: candidate.source, details)
    }

    /// The event does not lead to the state that was made.
    @inline(never)
    func rejection(of candidate: CandidateTransition, to object: AnyObject) -> Rejection {
        let name = CompiledState.name(of: object)
        let index = definition.stateIndex(of: object)
        let mismatch = index == nil ? definition.mismatch(of: object) : nil
        let reason: InvalidTransition.Reason =
            switch index {
            case nil: mismatch == nil ? .unregisteredState : .unsuitableState
            case let index? where definition.layout(of: object, of: index) != nil: .notAllowed
            default: .unsuitableState
            }
        return Rejection(
            reason,
            event: candidate.event.value.index,
            from: candidate.source,
            Rejection.Details(
                destination: name,
                underlyingError: mismatch,
                candidates: index == nil && mismatch == nil ? [name] : []
            )
        )
    }
}

/// Thrown when the machine has to be told which state to enter.
struct DestinationNeeded: Error {
    let candidates: [String]
}

extension NoTurn {
    var reason: InvalidTransition.Reason {
        switch self {
        case .deadlock: .deadlock
        case .missingContext: .missingContext
        case .notCurrent: .notCurrent
        case .holderIsDeciding: .transitionInProgress
        case .regionInUse: .regionInUse
        }
    }

    /// The workflows of the machines that it is about.
    var machines: [String] {
        switch self {
        case .deadlock(let machines), .regionInUse(let machines): machines
        case .missingContext, .notCurrent, .holderIsDeciding: []
        }
    }
}
