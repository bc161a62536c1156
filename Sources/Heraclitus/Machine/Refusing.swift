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
        let event: String?
        var expected: String?
        switch trigger {
        case .event(let index):
            event = definition.events[index].name
            expected = definition.events[index].onlyDestination
        case .named(let name):
            event = name
        case .unbound:
            event = nil
        case .entering(let type):
            event = nil
            expected = Self.name(of: type)
        }
        return InvalidTransition(
            reason,
            event: event,
            from: source,
            to: destination ?? expected,
            in: definition,
            userInfo: userInfo,
            underlyingError: error,
            candidates: candidates,
            machines: machines
        )
    }

    @usableFromInline
    static func name(of type: any AnyObject.Type) -> String {
        (type as? any WorkflowState.Type)?.name ?? String(describing: type)
    }
}
