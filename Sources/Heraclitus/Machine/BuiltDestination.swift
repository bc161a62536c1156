// Drives machines of unknown type, for `HeraclitusTesting`.

extension StateMachine {
    /// The destination that an event makes by its builder or as an empty state; `nil` if it needs an object.
    /// - Throws: The error of the builder.
    package func builtDestination(of event: String) throws -> (any WorkflowState)? {
        var built: AnyObject?
        let call = Call(self)
        do throws(InvalidTransition) {
            try core.fire(for: .rehearsal(asksAll: false), .named(event), call) { candidate in
                let object = try core.destination(of: candidate, call)
                built = object.object
                return object
            }
        } catch {
            // Guards may decline the built state, which the fire itself shows.
            if built == nil, error.reason == .declined, let cause = error.underlyingError { throw cause }
        }
        return built as? any WorkflowState
    }

    /// Fires an event by its name.
    package func fire(event: String, entering state: any WorkflowState) throws(InvalidTransition) {
        try fire(.named(event), userInfo: [:]) { _ in OwnedObject(state) }
    }
}
