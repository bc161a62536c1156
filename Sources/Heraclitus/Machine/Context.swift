extension StateMachine {
    /// What the machine was given for its states; `nil` before that.
    ///
    /// A machine that a plain decoder has made gets it from ``activate(context:userInfo:)``.
    public var context: W.Context? { core.context(as: W.Context.self) }

    /// Gives a machine that has no context one, and activates it.
    ///
    /// A machine that a plain decoder has made has none, such as one within a state's data. Until it is given one, nothing of it runs: it
    /// is not activated, and a fire throws ``InvalidTransition/Reason-swift.enum/missingContext``. A machine keeps the first context
    /// that it is given.
    /// - Parameters:
    ///   - context: What the states need and archives do not keep.
    ///   - userInfo: Values passed to the callbacks.
    public func activate(context: W.Context, userInfo: UserInfo = [:]) {
        if let context = definition.given(context) { core.give(context) }
        activate(userInfo: userInfo)
    }
}

extension StateTransition {
    /// What the machine was given for its states: ``Workflow/Context``.
    ///
    /// ```swift
    /// func didEnter(_ transition: StateTransition) { transition.context(as: Session.self).logger.note("connected") }
    /// ```
    ///
    /// Every callback can ask for it, because nothing of a machine runs before it was given. For a transition of another workflow there is
    /// none: this stops the program. ``machine(as:)`` says which workflow it is.
    /// - Parameter workflow: The workflow.
    /// - Returns: The context.
    public func context<W: Workflow>(as workflow: W.Type) -> W.Context {
        // What was lent comes first: a state that is left with its holder's may be of the same workflow as the holder.
        if let context = lentContext?.value(as: W.Context.self) { return context }
        if let context = machine(as: W.self)?.context { return context }
        if let nothing = () as? W.Context { return nothing }
        fatalError(
            "\(self) is a transition of another workflow than \(fullName(of: W.self)), and has no context of it."
        )
    }
}

extension ActionCall {
    /// What the machine was given for its states: ``Workflow/Context``.
    public var context: W.Context {
        guard let context = machine.context else {
            preconditionFailure("An action is performed only when the machine has its context.")
        }
        return context
    }
}

extension MachineCore {
    /// The context that the machine was given; of a workflow without one there is always the empty one.
    func context<Context: Sendable>(as type: Context.Type) -> Context? {
        GivenContext.value(of: definition.needsContext ? context : nil, as: type)
    }
}
