/// An event of a machine's workflow with the result of firing it now; see ``StateMachine/eventAvailability(userInfo:)``.
public struct EventAvailability: Sendable {
    /// The result of firing an event.
    ///
    /// Later versions may add cases, so a `switch` needs `@unknown default`.
    @nonexhaustive
    public enum Status: Sendable {
        /// A fire without a state object would be a transition.
        case allowed

        /// The event leads from the current state, and needs an object of one of these states.
        ///
        /// Its guards were skipped, because they get that object; use ``StateMachine/rehearse``.
        case needsState([String])

        /// A fire would do nothing, because the current state ignores the event.
        case ignored

        /// A fire would throw this error.
        case rejected(InvalidTransition)
    }

    /// The name of the event.
    public let event: String

    /// The result of a fire.
    public let status: Status

    /// The errors of all guards that decline the event, in order.
    ///
    /// A fire stops at the first one.
    public let unmetGuards: [any Error]

    /// The error of a fire; `nil` if it would succeed, or if the result depends on the state object.
    public var rejection: InvalidTransition? {
        if case .rejected(let error) = status { error } else { nil }
    }
}

extension EventAvailability: CustomStringConvertible {
    /// The event and the result of a fire in one line: `ship: allowed`.
    public var description: String {
        switch status {
        case .allowed: "\(event): allowed"
        case .needsState(let names): "\(event): needs \(names.joined(separator: " or "))"
        case .ignored: "\(event): ignored"
        case .rejected where !unmetGuards.isEmpty:
            "\(event): \(unmetGuards.map(ownWords(of:)).joined(separator: "; "))"
        case .rejected(let error) where error.reason == .notAllowed: "\(event): not allowed in \(error.source)"
        case .rejected(let error): "\(event): \(error.reasonText)"
        }
    }
}

extension StateMachine {
    /// Lists every event of the workflow in the order of the definition, with the result of firing it now.
    ///
    /// Use it for menus and buttons: it shows the possible events, and the reasons against the others. Each event is
    /// rehearsed without a state object, like ``rehearse``, and all in one turn, for the same state. For a declined
    /// event, ``EventAvailability/unmetGuards`` has the errors of all its guards. An event that needs a state object is
    /// checked against the table only, and is ``EventAvailability/Status-swift.enum/needsState(_:)``.
    /// - Parameter userInfo: Values passed to guards and carried by errors.
    /// - Returns: The availability of each event.
    public func eventAvailability(userInfo: UserInfo = [:]) -> [EventAvailability] {
        let call = Call(self, userInfo)
        // On a deadlock each event has that error.
        let role = try? core.acquire(call, for: .rehearsal(asksAll: true))
        defer { if let role { core.finishRehearsal(role, call) } }
        return definition.events.map { availability(of: $0, userInfo: userInfo) }
    }

    private func availability(of event: CompiledEvent, userInfo: UserInfo) -> EventAvailability {
        do throws(InvalidTransition) {
            try core.fire(for: .rehearsal(asksAll: true), .event(event.index), Call(self, userInfo))
            let source = core.expectedState(of: self)
            let isIgnored = definition.verdict(on: event.index, from: source) == .ignored
            return EventAvailability(event: event.name, status: isIgnored ? .ignored : .allowed, unmetGuards: [])
        } catch {
            let needsState = error.reason == .destinationNeeded
            let status = needsState ? EventAvailability.Status.needsState(error.candidates) : .rejected(error)
            return EventAvailability(event: event.name, status: status, unmetGuards: error.unmetGuards)
        }
    }
}
