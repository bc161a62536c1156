extension StateMachine {
    /// Runs a block during which no other thread makes a transition.
    ///
    /// The block may fire the machine. As in a `did…` hook, the fire is validated at once and carried out when the block has
    /// returned, before `perform` does, even if the block throws. Inside a callback of this machine the block runs at once. The
    /// machine is activated first, as by a fire. Reading `state`, `can` and the like does not wait for the block.
    /// - Parameter body: Gets the current state; runs once, on this thread. It has a label, or the key path of a misspelt action would
    ///   be taken for it.
    /// - Returns: The block's value.
    /// - Throws: The block's error; ``InvalidTransition`` if there is no turn: for the reasons `deadlock`, `missingContext`, `notCurrent`, `regionInUse`
    ///   and `transitionInProgress`.
    public func perform<Result>(block body: (W.AnyState) throws -> Result) throws -> Result {
        let terms = ActionTerms(name: nil, expected: nil, states: nil)
        return try inTurn(for: terms, Call(self, [:])) { _ in try body(state) }
    }

    /// Carries out an action of the caller's own that is allowed in one state and its subclasses only; other states reject it.
    ///
    /// The definition need not list it. For one that it does list there is ``perform(_:userInfo:)``.
    ///
    /// No other thread makes a transition meanwhile, as for ``perform(block:)``. Observers get the action or its rejection, and then what
    /// it has fired.
    /// - Parameters:
    ///   - name: The action's name, for observers and errors.
    ///   - allowed: The state's class, or a protocol of states.
    ///   - userInfo: Values passed to observers and carried by errors.
    ///   - body: Gets the state; runs once, on this thread.
    /// - Returns: The block's value.
    /// - Throws: ``InvalidTransition`` in another state or for a circle of waits; the block's error.
    public func perform<S, Result>(
        action name: String,
        in allowed: S.Type,
        userInfo: UserInfo = [:],
        _ body: (S) throws -> Result
    ) throws -> Result {
        let terms = ActionTerms(
            name: name,
            expected: S.self == W.AnyState.self
                ? nil : (S.self as? any WorkflowState.Type)?.name ?? String(describing: S.self),
            states: definition.states(of: S.self)
        )
        return try perform(terms, userInfo: userInfo) { current, _ in
            current as? S
        } body: {
            try body($0)
        }
    }

    /// Carries out an action where a state is found to allow it.
    /// - Parameters:
    ///   - terms: What errors say of the action.
    ///   - userInfo: Values passed to observers and carried by errors.
    ///   - admit: Gets the state and its number, and returns what the body gets; `nil` if the action is not allowed.
    ///   - body: Carries out the action.
    /// - Returns: What the body returns.
    /// - Throws: ``InvalidTransition``; what the body throws.
    func perform<Admitted, Result>(
        _ terms: ActionTerms,
        userInfo: UserInfo,
        _ admit: (any WorkflowState, Int) -> Admitted?,
        body: (Admitted) throws -> Result
    ) throws -> Result {
        let call = Call(self, userInfo)
        return try inTurn(for: terms, call) { place in
            let current = currentState
            guard let state = admit(current, core.now.index) else {
                throw rejected(.notAllowed, terms, call, at: nil)
            }
            let result: Result
            do {
                result = try body(state)
            } catch {
                _ = rejected(.actionFailed, terms, call, because: error, at: place)
                throw error
            }
            core.post(.noted(.performed, terms.name ?? "", current, userInfo), at: place, call)
            return result
        }
    }

    private func inTurn<Result>(
        for terms: ActionTerms,
        _ call: borrowing Call,
        _ body: (TurnPlace) throws -> Result
    ) throws -> Result {
        do {
            return try core.perform(call, body)
        } catch let problem as NoTurn {
            let error = rejection(problem.reason, of: terms, call, machines: problem.machines)
            core.tellOutsideTurn(.rejected(error), call)
            throw error
        }
    }

    /// Tells observers of a rejection, which is returned to be thrown.
    private func rejected(
        _ reason: InvalidTransition.Reason,
        _ terms: ActionTerms,
        _ call: borrowing Call,
        because error: (any Error)? = nil,
        at place: TurnPlace?
    ) -> InvalidTransition {
        let rejection = rejection(reason, of: terms, call, because: error)
        core.post(.rejected(rejection), at: place, call)
        return rejection
    }

    func rejection(
        _ reason: InvalidTransition.Reason,
        of terms: ActionTerms,
        _ call: borrowing Call,
        because error: (any Error)? = nil,
        machines: [String] = []
    ) -> InvalidTransition {
        let details = Rejection.Details(underlyingError: error, machines: machines, action: terms)
        return core.invalidTransition(Rejection(reason, event: nil, from: core.now.index, details), call)
    }
}

/// What errors say of an action.
struct ActionTerms: Sendable {
    /// Its name; `nil` for a block that has none.
    let name: String?

    /// What it is for; `nil` if any state allows it.
    let expected: String?

    /// The numbers of the states that allow it; `nil` if that is not known.
    let states: [Int]?
}
