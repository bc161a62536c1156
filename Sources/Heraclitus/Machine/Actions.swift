// Actions that the definition lists. Those that it does not are in `Performing`.

extension StateMachine {
    /// Carries out an action of the definition.
    ///
    /// No other thread makes a transition meanwhile, as for ``perform(block:)``. Observers get the action or its rejection, and then what
    /// it has fired.
    /// - Parameters:
    ///   - action: The action's property.
    ///   - userInfo: The arguments of the action, which observers and errors get as well.
    /// - Returns: The action's value.
    /// - Throws: ``InvalidTransition`` in another state or for a circle of waits; the action's error.
    @discardableResult
    public func perform<S, Result>(
        _ action: KeyPath<W, W.Action<S, Result>>,
        userInfo: UserInfo = [:]
    ) throws -> Result {
        let action = compiled(action)
        let result = try perform(action, userInfo: userInfo) { state in
            try action.slot.declaration.body(state, action.name, self, userInfo)
        }
        guard let result = result as? Result else {
            preconditionFailure("An action returns what it is declared to return.")
        }
        return result
    }

    /// Carries out an action with the caller's closure in place of the definition's.
    ///
    /// Use it in methods of an object that has a machine: the definition says where the method is allowed, and the method says what
    /// it does.
    ///
    /// ```swift
    /// func goRed() throws { try machine.perform(\.goRed) { blue in lamp.shine(.red) } }
    /// ```
    /// - Parameters:
    ///   - action: The action's property.
    ///   - userInfo: Values passed to observers and carried by errors.
    ///   - body: Gets the state; runs once, on this thread.
    /// - Returns: The body's value.
    /// - Throws: ``InvalidTransition`` in another state or for a circle of waits; the body's error.
    @discardableResult
    public func perform<S, R, Result>(
        _ action: KeyPath<W, W.Action<S, R>>,
        userInfo: UserInfo = [:],
        _ body: (S) throws -> Result
    ) throws -> Result {
        try perform(compiled(action), userInfo: userInfo) { state in
            guard let state = state as? S else {
                preconditionFailure("An action was accepted in a state that does not allow it.")
            }
            return try body(state)
        }
    }

    /// Carries out an action of the definition by its name, for names that arrive as text.
    /// - Parameters:
    ///   - name: The action's name.
    ///   - userInfo: The arguments of the action, which observers and errors get as well.
    /// - Returns: The action's value; `()` if it has none.
    /// - Throws: ``InvalidTransition``: in another state, for a circle of waits, or `unknownAction` with the existing names; the action's
    ///   error.
    @discardableResult
    public func perform(named name: String, userInfo: UserInfo = [:]) throws -> Any {
        guard let action = definition.action(named: name) else {
            let terms = ActionTerms(name: name, expected: nil, states: nil)
            let call = Call(self, userInfo)
            let error = rejection(.unknownAction, of: terms, call)
            activate()
            core.announce(.rejected(error), call)
            throw error
        }
        return try perform(action, userInfo: userInfo) { state in
            try action.slot.declaration.body(state, action.name, self, userInfo)
        }
    }

    /// The names of the actions that are allowed now, in the order of the definition.
    ///
    /// Inside a callback of this machine, on its thread, the answer is for the committed state, because actions are carried out at
    /// once.
    public var allowedActions: [String] { definition.actionNames(allowedIn: core.now.index) }

    private func compiled<S, Result>(_ action: KeyPath<W, W.Action<S, Result>>) -> CompiledAction {
        guard let compiled = definition.action(of: workflow.events.value[keyPath: action].slot) else {
            fatalError("\(action) is no stored property of \(definition.workflow) and can never be performed.")
        }
        return compiled
    }

    private func perform<Result>(
        _ action: CompiledAction,
        userInfo: UserInfo,
        _ body: (AnyObject) throws -> Result
    ) throws -> Result {
        let terms = ActionTerms(
            name: action.name,
            expected: definition.expectation(of: action),
            states: action.allowed
        )
        return try perform(terms, userInfo: userInfo) { current, index in
            action.isAllowed(in: index) ? current : nil
        } body: {
            try body($0)
        }
    }
}

extension ActionCall {
    /// The machine; what the action fires is carried out when it has returned.
    public var machine: StateMachine<W> {
        guard let machine = anyMachine as? StateMachine<W> else {
            preconditionFailure("An action of a workflow is performed by its machines.")
        }
        return machine
    }
}

extension MachineOwner {
    /// Carries out an action of the definition, as ``StateMachine/perform(_:userInfo:)``.
    /// - Parameters:
    ///   - action: The action's property.
    ///   - userInfo: The arguments of the action, which observers and errors get as well.
    /// - Returns: The action's value.
    /// - Throws: ``InvalidTransition`` in another state; the action's error.
    @discardableResult
    public func perform<S, Result>(
        _ action: KeyPath<MachineWorkflow, MachineWorkflow.Action<S, Result>>,
        userInfo: UserInfo = [:]
    ) throws -> Result {
        try machine.perform(action, userInfo: userInfo)
    }

    /// Carries out an action of the definition with a body of the object's own, as ``StateMachine/perform(_:userInfo:_:)``.
    /// - Parameters:
    ///   - action: The action's property.
    ///   - userInfo: Values passed to observers and carried by errors.
    ///   - body: Gets the state.
    /// - Returns: The body's value.
    /// - Throws: ``InvalidTransition`` in another state; the body's error.
    @discardableResult
    public func perform<S, R, Result>(
        _ action: KeyPath<MachineWorkflow, MachineWorkflow.Action<S, R>>,
        userInfo: UserInfo = [:],
        _ body: (S) throws -> Result
    ) throws -> Result {
        try machine.perform(action, userInfo: userInfo, body)
    }
}
