// What does the error of a refused fire say?
//
// Never inlined: a fire that succeeds is not to make room for errors.

extension MachineCore {
    /// The error of a fire that is refused in a state, with the destination if that is known better than the event says.
    @inline(never)
    func refusal(
        _ reason: InvalidTransition.Reason,
        _ selector: EventSelector,
        from source: Int,
        to destination: String? = nil,
        userInfo: UserInfo,
        because error: (any Error)? = nil,
        candidates: [String] = [],
        machines: [String] = []
    ) -> InvalidTransition {
        var event: Int?
        var name: String?
        var destination = destination
        switch selector {
        case .event(let index), .bound(let index, _): event = index
        case .named(let text): name = text
        case .unbound: break
        case .entering(let type): destination = CompiledState.name(of: type)
        case .enteringNamed(let name): destination = name
        }
        let details = InvalidTransition.Details(
            event: name,
            destination: destination,
            underlyingError: error,
            candidates: candidates,
            machines: machines
        )
        return InvalidTransition(
            reason,
            event: event,
            from: source,
            in: definition,
            userInfo: userInfo,
            details: details
        )
    }

    /// The error of a fire that a guard has declined.
    @inline(never)
    func refusal(of plan: TransitionPlan, because error: any Error, userInfo: UserInfo) -> InvalidTransition {
        InvalidTransition(
            .declined,
            event: plan.event,
            from: plan.source,
            in: definition,
            userInfo: userInfo,
            details: InvalidTransition.Details(
                destination: definition.states[plan.destination].name,
                underlyingError: error
            )
        )
    }

    /// The error of a fire for which no state was made.
    @inline(never)
    func refusal(
        of candidate: CandidateTransition,
        because error: any Error,
        userInfo: UserInfo
    ) -> InvalidTransition {
        guard let error = error as? DestinationNeeded else {
            return refusal(
                .declined,
                .event(candidate.event.value.index),
                from: candidate.source,
                userInfo: userInfo,
                because: error
            )
        }
        return refusal(
            .destinationNeeded,
            .event(candidate.event.value.index),
            from: candidate.source,
            userInfo: userInfo,
            candidates: error.candidates
        )
    }

    /// The error of a fire with a state that the event does not lead to.
    @inline(never)
    func refusal(
        of candidate: CandidateTransition,
        to object: AnyObject,
        userInfo: UserInfo
    ) -> InvalidTransition {
        let name = CompiledState.name(of: type(of: object))
        let index = definition.stateIndex(of: type(of: object))
        let reason: InvalidTransition.Reason =
            switch index {
            case nil: .unregisteredState
            case let index? where definition.layout(of: object, of: index) != nil: .notAllowed
            default: .unsuitableState
            }
        return refusal(
            reason,
            .event(candidate.event.value.index),
            from: candidate.source,
            to: name,
            userInfo: userInfo,
            candidates: index == nil ? [name] : []
        )
    }
}

/// Thrown when the machine has to be told which state to enter.
struct DestinationNeeded: Error {
    let candidates: [String]
}
