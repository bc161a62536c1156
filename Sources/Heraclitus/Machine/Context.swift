extension StateMachine {
    /// The runtime dependencies of the states; `nil` before the machine gets them.
    ///
    /// A decoded machine, or one made without its context, gets it from ``activate(context:userInfo:)``. A machine in a
    /// state gets it from its holder.
    public var context: W.Context? {
        GivenContext.value(of: definition.needsContext ? core.context : nil, as: W.Context.self)
    }

    /// Enters the initial state of a new machine, or resumes a restored machine, once.
    ///
    /// - A new machine calls ``EntryPreparing/willEnter(_:)`` and ``Entering/didEnter(_:)`` of the initial state,
    ///   without guards.
    /// - A restored machine, or one made with ``init(resumingIn:since:context:journal:scheduler:)``, calls
    ///   ``Restoring/didRestore(_:)``.
    /// - An active machine ignores the call. However, deadlines and work begin in a ``StateMachine/copy()``, and begin
    ///   again after a cancelled ``run()``, except for work that has returned.
    ///
    /// Fires of these hooks are carried out before `activate` returns. The first fire of a machine also activates it.
    ///
    /// A machine that was made without its context, or by a plain decoder, is inactive until it gets the context. A
    /// fire then throws ``InvalidTransition/Reason-swift.enum/missingContext``. A machine keeps its first context.
    ///
    /// The call waits for another thread's transition under way. On a deadlock it returns, and the other thread
    /// activates the machine.
    /// - Parameters:
    ///   - context: The runtime dependencies of the states, for a machine that lacks them; `nil` for other machines.
    ///   - userInfo: Values passed to the callbacks.
    public func activate(context: W.Context? = nil, userInfo: UserInfo = [:]) {
        if let context, let given = W.given(context) { core.give(given) }
        // On a deadlock the other thread activates the machine.
        try? core.activate(Call(self, userInfo))
    }

    /// Gives the machine its context, unless it has one or needs none.
    package func equip(with context: GivenContext?) {
        if let context, !core.isEquipped { core.give(context) }
    }

    /// Throws ``InvalidTransition/Reason-swift.enum/missingContext`` unless the machine has the context that it needs.
    package func expectContext() throws(InvalidTransition) {
        if core.isEquipped { return }
        let details = InvalidTransition.Details(attempt: "be activated")
        throw core.invalidTransition(.missingContext, details, Call(self))
    }
}

extension StateTransition {
    /// The machine's context: ``Workflow/Context``.
    ///
    /// ```swift
    /// func didEnter(_ transition: StateTransition) { transition.context(as: Session.self).logger.note("connected") }
    /// ```
    ///
    /// The context is available in every callback, because a machine runs only with its context. For a transition of
    /// another workflow, this stops the program; check ``machine(as:)`` first.
    /// - Parameter workflow: The workflow.
    /// - Returns: The context.
    public func context<W: Workflow>(as workflow: W.Type) -> W.Context {
        // The lent context comes first: the holder's workflow may be the workflow of the left machine.
        if let context = lentContext?.value(as: W.Context.self) { return context }
        if let context = machine(as: W.self)?.context { return context }
        if let nothing = () as? W.Context { return nothing }
        fatalError(
            "\(self) belongs to another workflow, so it has no context of \(fullName(of: W.self))."
        )
    }
}
