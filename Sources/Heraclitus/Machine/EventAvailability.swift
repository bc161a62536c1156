/// An event of a machine's workflow, and what a fire would do now; see ``StateMachine/eventAvailability(userInfo:)``.
public struct EventAvailability: Sendable {
    /// What a fire of an event would do; there may be more answers in later versions, so a `switch` needs `@unknown default`.
    @nonexhaustive
    public enum Status: Sendable {
        /// A fire without a state object would be a transition.
        case allowed

        /// The event leads from the current state and needs an object of one of these states. Guards get that object, so they could
        /// not be asked. ``StateMachine/rehearse`` asks them.
        case needsState([String])

        /// A fire would do nothing, because the current state ignores the event.
        case ignored

        /// A fire would throw this error.
        case rejected(InvalidTransition)
    }

    /// The name of the event.
    public let event: String

    /// What a fire would do.
    public let status: Status

    /// The errors of all guards that decline the event, in order; a fire stops at the first.
    public let unmetGuards: [any Error]

    /// The error that a fire would throw; `nil` if it would throw none, or if that depends on its state object.
    public var rejection: InvalidTransition? {
        if case .rejected(let error) = status { error } else { nil }
    }
}

extension EventAvailability: CustomStringConvertible {
    /// The event and what a fire would do, in one line: `ship: allowed`.
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
    /// Lists every event of the workflow, in the order of the definition, with what a fire would do now.
    ///
    /// Use it for menus and buttons: it says which events are possible, and why the others are not. Each event is rehearsed without
    /// a state object, like ``rehearse``. All of this is one turn, and so for the same state. For an event that guards decline,
    /// ``EventAvailability/unmetGuards`` has the errors of all of them. An event that needs a state object from its caller is answered by the
    /// table alone, with ``EventAvailability/Status-swift.enum/needsState(_:)``, because guards get that object.
    /// - Parameter userInfo: Values passed to guards and carried by errors.
    /// - Returns: An answer for each event.
    public func eventAvailability(userInfo: UserInfo = [:]) -> [EventAvailability] {
        let call = Call(self, userInfo)
        // Where the turn can never come each of them says so.
        let role = try? core.acquire(call, for: .rehearsal)
        defer { if let role { core.finishRehearsal(role, call) } }
        return definition.events.map { availability(of: $0, userInfo: userInfo) }
    }

    private func availability(of event: CompiledEvent, userInfo: UserInfo) -> EventAvailability {
        do throws(InvalidTransition) {
            try core.fire(for: .survey, .event(event.index), Call(self, userInfo)) { candidate in
                try core.destination(of: candidate, self, userInfo)
            }
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
