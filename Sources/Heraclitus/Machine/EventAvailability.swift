extension StateMachine {
    /// Lists every event of the workflow in the order of the definition, with the error of firing it now.
    ///
    /// Use it for menus and buttons: it shows the possible events, and the reasons against the others. Each event is
    /// rehearsed without a state object, like ``rehearse``, and all in one turn, for the same state.
    ///
    /// ```swift
    /// for (event, rejection) in machine.eventAvailability() {
    ///     let isPossible = rejection == nil || rejection?.reason == .destinationNeeded
    ///     menu.add(event, isEnabled: isPossible, help: rejection?.failureReason)
    /// }
    /// ```
    ///
    /// For a declined event, ``InvalidTransition/unmetGuards`` has the errors of all its guards. An allowed event that
    /// needs a state object is checked against the table only: its error is
    /// ``InvalidTransition/Reason-swift.enum/destinationNeeded``, and the destinations are its
    /// ``InvalidTransition/candidates``.
    /// - Parameter userInfo: Values passed to guards and carried by errors.
    /// - Returns: The name of each event, with the error of a fire without a state object; `nil` if the fire would
    ///   succeed. An ignored event succeeds without a change.
    public func eventAvailability(userInfo: UserInfo = [:]) -> [(event: String, rejection: InvalidTransition?)] {
        let call = Call(self, userInfo)
        // On a deadlock each event has that error.
        let role = try? core.acquire(call, for: .rehearsal(asksAll: true))
        defer { if let role { core.finishRehearsal(role, call) } }
        return definition.events.map { (event: $0.name, rejection: rejection(of: $0, userInfo)) }
    }

    private func rejection(of event: CompiledEvent, _ userInfo: UserInfo) -> InvalidTransition? {
        do throws(InvalidTransition) {
            try core.fire(for: .rehearsal(asksAll: true), .event(event.index), Call(self, userInfo))
            return nil
        } catch {
            return error
        }
    }
}
