// Guards that return a Boolean value, as guards of other libraries do. The compiler warns, and `false` declines.
//
// Without these overloads a closure `{ order, _, _ in order.isPaid }` is a guard that passes everything. Swift prefers
// any available overload to an unavailable one, so these are deprecated.

extension WorkflowEvent {
    /// Adds a guard that declines by `false`, without a reason.
    /// - Parameter body: Gets the source, the destination and the transition.
    /// - Returns: The event with this guard.
    @available(*, deprecated, message: "throw to decline: 'guard order.isPaid else { throw NotPaid() }'")
    public func guarded<Answer: ExpressibleByBooleanLiteral & Equatable & Sendable>(
        _ body: @escaping @Sendable (Source, Destination, StateTransition) throws -> Answer
    ) -> Self {
        guarded { (source: Source, destination: Destination, transition: StateTransition) throws -> Void in
            try GuardReturnedFalse.check(body(source, destination, transition))
        }
    }
}

extension StateMachine {
    /// Adds a guard that declines an event of this machine by `false`, without a reason.
    /// - Parameters:
    ///   - event: The event's property.
    ///   - body: Gets the source, the destination and the transition.
    /// - Returns: A registration for cancelling the closure.
    @available(*, deprecated, message: "throw to decline: 'guard order.isPaid else { throw NotPaid() }'")
    @discardableResult
    public func guarded<S, D, Answer: ExpressibleByBooleanLiteral & Equatable & Sendable>(
        _ event: KeyPath<W, W.Event<S, D>>,
        _ body: @escaping @Sendable (S, D, StateTransition) throws -> Answer
    ) -> Registration {
        guarded(event) { (source: S, destination: D, transition: StateTransition) throws -> Void in
            try GuardReturnedFalse.check(body(source, destination, transition))
        }
    }
}

/// Why a guard that returns a Boolean value declined.
private struct GuardReturnedFalse: Error, CustomStringConvertible {
    var description: String { "the guard returned false" }

    static func check<Answer: ExpressibleByBooleanLiteral & Equatable>(_ answer: Answer) throws {
        if answer == false { throw GuardReturnedFalse() }
    }
}
