extension StateMachine {
    /// Runs a block during which no other thread makes a transition.
    ///
    /// The block may fire the machine. As in a `did…` hook, the fire is validated at once and carried out when the block has
    /// returned, before `perform` does, even if the block throws. Inside a callback of this machine the block runs at once. The
    /// machine is activated first, as by a fire. Reading `state`, `can` and the like does not wait for the block.
    /// - Parameter body: Gets the current state; runs once, on this thread.
    /// - Returns: The block's value.
    /// - Throws: The block's error; ``InvalidAction`` for a circle of waits.
    public func perform<Result>(_ body: (W.AnyState) throws -> Result) throws -> Result {
        try inTurn(for: nil, Call(self, [:])) { _ in try body(state) }
    }

    /// Carries out an action that is allowed in one state and its subclasses only; in other states it is refused.
    ///
    /// No other thread makes a transition meanwhile, as for ``perform(_:)``. Observers get the action or its refusal, and then what
    /// it has fired.
    /// - Parameters:
    ///   - name: The action's name, for observers and errors.
    ///   - allowed: The state's class, or a protocol of states.
    ///   - userInfo: Values passed to observers and carried by errors.
    ///   - body: Gets the state; runs once, on this thread.
    /// - Returns: The block's value.
    /// - Throws: ``InvalidAction`` in another state or for a circle of waits; the block's error.
    public func perform<S, Result>(
        action name: String,
        in allowed: S.Type,
        userInfo: UserInfo = [:],
        _ body: (S) throws -> Result
    ) throws -> Result {
        let call = Call(self, userInfo)
        return try inTurn(for: name, call) { place in
            let current = currentState
            guard let state = current as? S else {
                throw refused(.notInState, name, allowed, call, at: nil)
            }
            let result: Result
            do {
                result = try body(state)
            } catch {
                _ = refused(.failed, name, allowed, call, because: error, at: place)
                throw error
            }
            let action = PerformedAction(name: name, state: current, userInfo: userInfo)
            core.post(.performed(action), at: place, call)
            return result
        }
    }

    private func inTurn<Result>(
        for name: String?,
        _ call: borrowing Call,
        _ body: (TurnPlace) throws -> Result
    ) throws -> Result {
        do {
            return try core.perform(call, body)
        } catch let circle as Deadlock {
            let error = invalid(.deadlock, name, W.AnyState.self, userInfo: call.userInfo, machines: circle.machines)
            core.tellOutsideTurn(.refused(error), call)
            throw error
        }
    }

    /// Tells observers of a refusal, which is returned to be thrown.
    private func refused<S>(
        _ reason: InvalidAction.Reason,
        _ action: String,
        _ allowed: S.Type,
        _ call: borrowing Call,
        because error: (any Error)? = nil,
        at place: TurnPlace?
    ) -> InvalidAction {
        let refusal = invalid(reason, action, allowed, userInfo: call.userInfo, because: error)
        core.post(.refused(refusal), at: place, call)
        return refusal
    }

    private func invalid<S>(
        _ reason: InvalidAction.Reason,
        _ action: String?,
        _ allowed: S.Type,
        userInfo: UserInfo,
        because error: (any Error)? = nil,
        machines: [String] = []
    ) -> InvalidAction {
        let source = core.now.index
        let destinations = definition.states.filter { $0.type is S.Type }.map(\.index)
        return InvalidAction(
            reason: reason,
            workflow: definition.workflow,
            action: action,
            state: definition.states[source].name,
            expected: S.self == W.AnyState.self
                ? nil : (S.self as? any WorkflowState.Type)?.name ?? String(describing: S.self),
            leadingEvents: definition.events.filter { event in
                destinations.contains { event.reach.leads[source, $0] }
            }.map(\.name),
            knowsLeadingEvents: S.self is AnyClass,
            userInfo: userInfo,
            underlyingError: error,
            machines: machines
        )
    }
}
