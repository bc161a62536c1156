extension StateMachine {
    /// The error of a fire that is refused in a state, with the destination if that is known better than the event says.
    @usableFromInline
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
        case .entering(let type): destination = Self.name(of: type)
        }
        let details = InvalidTransition.Details(
            event: name,
            destination: destination,
            underlyingError: error,
            candidates: candidates,
            machines: machines
        )
        return InvalidTransition(reason, event: event, from: source, in: definition, userInfo: userInfo, details: details)
    }

    /// The error of a fire that the table refuses.
    @inlinable
    func refusal(
        _ reason: InvalidTransition.Reason,
        of event: UnsafePointer<BoundEvent>,
        from source: Int,
        userInfo: UserInfo
    ) -> InvalidTransition {
        InvalidTransition(reason, event: event.pointee.index, from: source, in: definition, userInfo: userInfo)
    }

    /// The error of a fire for which there is no state to enter.
    @usableFromInline
    func refusal(
        because error: any Error,
        of event: UnsafePointer<BoundEvent>,
        from source: Int,
        userInfo: UserInfo,
        in run: UnsafeMutablePointer<Run>
    ) -> InvalidTransition {
        let trigger = Trigger.event(event.pointee.index)
        switch error {
        case let error as DestinationNeeded:
            return refusal(
                .destinationNeeded,
                trigger,
                from: source,
                userInfo: userInfo,
                candidates: error.candidates
            )
        case let error as UnsuitableState:
            let state = Unmanaged.passUnretained(error.object)
            guard definition.stateIndex(of: state) != nil else {
                return refusal(of: state, of: event, from: source, userInfo: userInfo, in: run)
            }
            run.pointee.keepUntilPassed(state.retain())
            let name = Self.name(of: type(of: error.object))
            return refusal(.unsuitableState, trigger, from: source, to: name, userInfo: userInfo)
        default:
            return refusal(.declined, trigger, from: source, userInfo: userInfo, because: error)
        }
    }

    /// The error of a fire with a state that the event does not lead to.
    @usableFromInline
    func refusal(
        of state: Unmanaged<AnyObject>,
        of event: UnsafePointer<BoundEvent>,
        from source: Int,
        userInfo: UserInfo,
        in run: UnsafeMutablePointer<Run>
    ) -> InvalidTransition {
        run.pointee.keepUntilPassed(state.retain())
        let name = Self.name(of: type(of: state.takeUnretainedValue()))
        let isRegistered = definition.stateIndex(of: state) != nil
        return refusal(
            isRegistered ? .notAllowed : .unregisteredState,
            .event(event.pointee.index),
            from: source,
            to: name,
            userInfo: userInfo,
            candidates: isRegistered ? [] : [name]
        )
    }

    /// The error of a fire that a guard has declined.
    @usableFromInline
    func refusal(
        of transition: StateTransition,
        because error: any Error,
        in run: UnsafeMutablePointer<Run>
    ) -> InvalidTransition {
        let content = transition.record.content
        run.pointee.keepUntilPassed(content.destination.retain())
        run.pointee.thread.finish(transition)
        return refusal(
            .declined,
            Trigger(content.event?.pointee.index),
            from: run.pointee.expected,
            to: content.destinationState.pointee.name,
            userInfo: content.userInfo,
            because: error
        )
    }

    @usableFromInline
    static func name(of type: any AnyObject.Type) -> String {
        (type as? any WorkflowState.Type)?.name ?? String(describing: type)
    }
}
