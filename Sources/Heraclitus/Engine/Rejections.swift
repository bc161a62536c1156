// Makes the errors of rejected fires.
//
// The functions are never inlined, so that a successful fire needs no room for errors.

extension MachineCore {
    /// The error of a fire without a turn, after observers were told.
    @inline(never)
    func rejectWithoutTurn(
        _ selector: EventSelector,
        _ problem: NoTurn,
        _ purpose: CallPurpose,
        _ call: borrowing Call
    ) -> InvalidTransition {
        let rejection = rejection(problem.reason, of: selector, from: now.index, machines: problem.machines)
        let error = completed(rejection, call)
        if !purpose.endsWithGuards { tellOutsideTurn(.rejected(error), call) }
        return error
    }

    /// The error with the caller's values and the machine's place in its tree.
    @inline(__always)
    func completed(_ error: consuming InvalidTransition, _ call: borrowing Call) -> InvalidTransition {
        error.add(call.fullUserInfo, at: ownership.belongsToHolder ? path : nil)
        return error
    }

    /// The error of an attempt other than a fire.
    func invalidTransition(
        _ reason: InvalidTransition.Reason,
        _ details: InvalidTransition.Details,
        _ call: borrowing Call
    ) -> InvalidTransition {
        completed(InvalidTransition(reason, in: definition, event: nil, from: now.index, details), call)
    }

    /// The rejection of a fire whose destination is still unknown.
    @inline(never)
    func rejection(
        _ reason: InvalidTransition.Reason,
        of selector: EventSelector,
        from source: Int,
        candidates: [String] = [],
        machines: [String] = []
    ) -> InvalidTransition {
        var event: Int?
        var name: String?
        var destination: String?
        var chosen = selector
        if case .ofWork(let ofWork, _) = selector { chosen = ofWork }
        switch chosen {
        case .event(let index), .due(let index, _, _): event = index
        case .named(let text): name = text
        case .unbound, .ofWork: break
        case .entering(let state): destination = definition.name(of: state as AnyObject)
        case .enteringNamed(let name): destination = name
        }
        return InvalidTransition(
            reason,
            in: definition,
            event: event,
            from: source,
            InvalidTransition.Details(event: name, destination: destination, candidates: candidates, machines: machines)
        )
    }

    /// The rejection by guards, or because a machine in the destination cannot be claimed.
    @inline(never)
    func rejection(
        of plan: TransitionPlan,
        _ reason: InvalidTransition.Reason,
        _ details: InvalidTransition.Details
    ) -> InvalidTransition {
        var details = details
        details.destination = definition.states[plan.destination].name
        return InvalidTransition(reason, in: definition, event: plan.event, from: plan.source, details)
    }

    /// The rejection of a fire whose builder has made no state.
    @inline(never)
    func rejection(of candidate: CandidateTransition, because error: any Error) -> InvalidTransition {
        let (event, needed) = (candidate.event.value.index, error as? DestinationNeeded)
        let reason: InvalidTransition.Reason = needed == nil ? .declined : .destinationNeeded
        var details = InvalidTransition.Details(candidates: needed?.candidates ?? [])
        if needed == nil { details.underlyingError = error }
        return InvalidTransition(reason, in: definition, event: event, from: candidate.source, details)
    }

    /// The rejection of a state object to which the event, or any event, does not lead.
    @inline(never)
    func rejection(of object: AnyObject, event: Int?, from source: Int) -> InvalidTransition {
        let name = definition.name(of: object)
        let index = definition.stateIndex(of: object)
        let mismatch = index == nil ? definition.mismatch(of: object) : nil
        let reason: InvalidTransition.Reason =
            switch index {
            case nil: mismatch == nil ? .unregisteredState : .unsuitableState
            case let index? where definition.layout(of: object, of: index) != nil: .notAllowed
            default: .unsuitableState
            }
        let candidates = index == nil && mismatch == nil ? [name] : []
        let details = InvalidTransition.Details(destination: name, underlyingError: mismatch, candidates: candidates)
        return InvalidTransition(reason, in: definition, event: event, from: source, details)
    }
}

/// The error of a fire that needs a state object.
struct DestinationNeeded: Error {
    let candidates: [String]
}
