// Actions of the definition. Other actions are in `Performing`.

extension StateMachine {
    /// Carries out an action of the definition.
    ///
    /// Other threads' transitions wait until the action has returned, as for ``perform(block:)``. Observers get the
    /// action or its rejection, and then the action's fires.
    /// - Parameters:
    ///   - action: The action's property.
    ///   - userInfo: The arguments of the action, for observers and errors as well.
    /// - Returns: The action's value.
    /// - Throws: ``InvalidTransition`` in another state or on a deadlock; the action's error.
    @discardableResult
    public func perform<S, Result>(
        _ action: KeyPath<W, W.Action<S, Result>>,
        userInfo: UserInfo = [:]
    ) throws -> Result {
        guard let result = try perform(compiled(action), userInfo) as? Result else {
            preconditionFailure("An action returned a value of another type.")
        }
        return result
    }

    /// Carries out an action with a closure of the caller, which replaces the definition's closure.
    ///
    /// Use it in methods of an object with a machine: the definition says where the method is allowed, and the closure
    /// says what it does.
    ///
    /// ```swift
    /// func goRed() throws { try machine.perform(\.goRed) { blue in lamp.shine(.red) } }
    /// ```
    /// - Parameters:
    ///   - action: The action's property.
    ///   - userInfo: Values passed to observers and carried by errors.
    ///   - body: Gets the state; runs once, on this thread.
    /// - Returns: The body's value.
    /// - Throws: ``InvalidTransition`` in another state or on a deadlock; the body's error.
    @discardableResult
    public func perform<S, R, Result>(
        _ action: KeyPath<W, W.Action<S, R>>,
        userInfo: UserInfo = [:],
        _ body: (S) throws -> Result
    ) throws -> Result {
        try perform(compiled(action), userInfo) { state in
            guard let state = state as? S else {
                preconditionFailure("An action was accepted in a state that does not allow it.")
            }
            return try body(state)
        }
    }

    /// Carries out an action of the definition by its name, for names from outside.
    /// - Parameters:
    ///   - name: The action's name.
    ///   - userInfo: The arguments of the action, for observers and errors as well.
    /// - Returns: The action's value; `()` if it has none.
    /// - Throws: ``InvalidTransition``: in another state, on a deadlock, or `unknownAction` with the existing
    ///   names; the action's error.
    @discardableResult
    public func perform(named name: String, userInfo: UserInfo = [:]) throws -> Any {
        guard let action = definition.action(named: name) else {
            let terms = ActionTerms(name: name, expected: nil, states: nil)
            let call = Call(self, userInfo)
            activate()
            let error = rejection(.unknownAction, of: terms, call)
            core.announce(.rejected(error), call)
            throw error
        }
        return try perform(action, userInfo)
    }

    /// The names of the currently allowed actions, in the order of the definition.
    ///
    /// In a callback of this machine, on its thread, the committed state counts, because actions are carried out at
    /// once.
    public var allowedActions: [String] { definition.actionNames(allowedIn: core.now.index) }

    private func compiled<S, Result>(_ action: KeyPath<W, W.Action<S, Result>>) -> CompiledAction {
        guard let compiled = definition.action(of: W.events[keyPath: action].declaration) else {
            fatalError("\(action) is no stored property of \(definition.workflow). Store the action in one.")
        }
        return compiled
    }

    private func perform(_ action: CompiledAction, _ userInfo: UserInfo) throws -> Any {
        try perform(action, userInfo) { try action.declaration.body($0, self, userInfo) }
    }

    private func perform<Result>(
        _ action: CompiledAction,
        _ userInfo: UserInfo,
        _ body: (AnyObject) throws -> Result
    ) throws -> Result {
        try perform(action.terms, userInfo, { action.isAllowed(in: $1) ? $0 : nil }, body)
    }
}
