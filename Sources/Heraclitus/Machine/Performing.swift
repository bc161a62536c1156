extension StateMachine {
    /// Runs a block that other threads' transitions wait for.
    ///
    /// The block may fire the machine. Such a fire is validated at once, as in a `did…` hook. It is carried out after
    /// the block, before `perform` returns, even if the block throws. In a callback of this machine the block runs at
    /// once. The machine is activated first, as by a fire. Reads of `state`, `can` and similar properties continue
    /// during the block.
    /// - Parameter body: Gets the current state; runs once, on this thread. Its label distinguishes it from the key
    ///   path of an action.
    /// - Returns: The block's value.
    /// - Throws: The block's error; ``InvalidTransition`` without a turn, for the reasons `deadlock`, `missingContext`,
    ///   `notCurrent`, `regionInUse` and `transitionInProgress`.
    public func perform<Result>(block body: (W.AnyState) throws -> Result) throws -> Result {
        let terms = ActionTerms(name: nil, expected: nil, states: nil)
        return try inTurn(for: terms, Call(self)) { _ in try body(state) }
    }

    /// Carries out an action of the caller in one state and its subclasses; other states reject it.
    ///
    /// The definition does not list such an action. For listed actions, use ``perform(_:userInfo:)``.
    ///
    /// Other threads' transitions wait until the action has returned, as for ``perform(block:)``. Observers get the
    /// action or its rejection, and then the action's fires.
    ///
    /// The call also guards a method of your own class:
    ///
    /// ```swift
    /// func goRed() throws { try machine.perform(in: BlueState.self) { blue in lamp.shine(.red) } }
    /// ```
    /// - Parameters:
    ///   - name: The action's name, for observers and errors; by default the name of the method.
    ///   - allowed: The state's class, or a protocol of states.
    ///   - userInfo: Values passed to observers and carried by errors.
    ///   - method: The calling method, filled in by the compiler.
    ///   - body: Gets the state; runs once, on this thread.
    /// - Returns: The block's value.
    /// - Throws: ``InvalidTransition`` in another state or on a deadlock; the block's error.
    public func perform<S, Result>(
        action name: String? = nil,
        in allowed: S.Type,
        userInfo: UserInfo = [:],
        method: String = #function,
        _ body: (S) throws -> Result
    ) throws -> Result {
        let terms = ActionTerms(
            // The name of a method is the text before the parenthesis of "goRed()" or "shine(_:)".
            name: name ?? String(method.prefix { $0 != "(" }),
            expected: S.self == W.AnyState.self
                ? nil : (S.self as? any WorkflowState.Type)?.name ?? String(describing: S.self),
            states: definition.states(of: S.self)
        )
        return try perform(terms, userInfo, { state, _ in state as? S }, body)
    }

    /// Carries out an action if the state allows it.
    /// - Parameters:
    ///   - terms: The description of the action for errors.
    ///   - userInfo: Values passed to observers and carried by errors.
    ///   - admit: Gets the state and its number, and returns the argument of the body; `nil` if the action is not
    ///     allowed.
    ///   - body: Carries out the action.
    /// - Returns: The value of the body.
    /// - Throws: ``InvalidTransition``; the body's error.
    func perform<Admitted, Result>(
        _ terms: ActionTerms,
        _ userInfo: UserInfo,
        _ admit: (any WorkflowState, Int) -> Admitted?,
        _ body: (Admitted) throws -> Result
    ) throws -> Result {
        let call = Call(self, userInfo)
        return try inTurn(for: terms, call) { place in
            let current = currentState
            guard let state = admit(current, core.now.index) else {
                let rejection = rejection(.notAllowed, of: terms, call)
                core.post(.rejected(rejection), call)
                throw rejection
            }
            let result: Result
            do {
                result = try body(state)
            } catch {
                let rejection = rejection(.actionFailed, of: terms, call, because: error)
                core.post(.rejected(rejection), at: place, call)
                throw error
            }
            core.post(.noted(.performed, terms.name ?? "", current, userInfo), at: place, call)
            return result
        }
    }

    private func inTurn<Result>(
        for terms: ActionTerms,
        _ call: borrowing Call,
        _ body: (_ place: Int) throws -> Result
    ) throws -> Result {
        do {
            return try core.perform(call, body)
        } catch let problem as NoTurn {
            let error = rejection(problem.reason, of: terms, call, machines: problem.machines)
            core.tellOutsideTurn(.rejected(error), call)
            throw error
        }
    }

    func rejection(
        _ reason: InvalidTransition.Reason,
        of terms: ActionTerms,
        _ call: borrowing Call,
        because error: (any Error)? = nil,
        machines: [String] = []
    ) -> InvalidTransition {
        let details = InvalidTransition.Details(underlyingError: error, machines: machines, action: terms)
        return core.invalidTransition(reason, details, call)
    }
}

extension MachineCore {
    /// Calls a body, which may fire, in a turn of its own.
    ///
    /// The body gets the reserved place of its notice to observers. Errors of the body are rethrown; a missing
    /// turn is a ``NoTurn``.
    func perform<Result>(
        _ call: borrowing Call,
        for purpose: CallPurpose = .fire,
        _ body: (_ place: Int) throws -> Result
    ) throws -> Result {
        let role = try acquire(call, for: purpose)
        defer { finish(role, call) }
        return try body(call.turn { $0.beginAction() })
    }
}

/// The description of an action for errors.
struct ActionTerms: Sendable {
    /// The name; `nil` for a block.
    let name: String?

    /// The allowed states; `nil` if any state allows the action.
    let expected: String?

    /// The numbers of the allowed states; `nil` if they are unknown.
    let states: [Int]?
}
