extension MachineCore {
    /// The error of a fire that is refused in a state, with the destination if that is known better than the event says.
    func refusal(
        _ reason: InvalidTransition.Reason,
        _ trigger: Trigger,
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
        switch trigger {
        case .event(let index): event = index
        case .named(let text): name = text
        case .unbound: break
        case .entering(let type): destination = RegisteredState.name(of: type)
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

    /// The error of a fire for which no state was made.
    func refusal(of offer: Offer, because error: any Error, userInfo: UserInfo) -> InvalidTransition {
        let trigger = Trigger.event(offer.event.pointee.index)
        guard let error = error as? DestinationNeeded else {
            return refusal(.declined, trigger, from: offer.source, userInfo: userInfo, because: error)
        }
        return refusal(
            .destinationNeeded,
            trigger,
            from: offer.source,
            userInfo: userInfo,
            candidates: error.candidates
        )
    }

    /// The error of a fire with a state that the event does not lead to.
    func refusal(of offer: Offer, to object: Unmanaged<AnyObject>, userInfo: UserInfo) -> InvalidTransition {
        let name = RegisteredState.name(of: type(of: object.takeUnretainedValue()))
        let index = definition.stateIndex(of: object)
        let reason: InvalidTransition.Reason =
            switch index {
            case nil: .unregisteredState
            case let index? where definition.suits(object, index): .notAllowed
            default: .unsuitableState
            }
        return refusal(
            reason,
            .event(offer.event.pointee.index),
            from: offer.source,
            to: name,
            userInfo: userInfo,
            candidates: index == nil ? [name] : []
        )
    }
}
