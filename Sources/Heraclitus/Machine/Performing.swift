import Synchronization

extension StateMachine {
    /// Runs a block in turn with the transitions: while it runs, no other thread's transition does.
    ///
    /// The block may fire the machine; as in a `did…` hook, that is decided at once and carried out when the block has
    /// returned, before `perform` does, also if the block throws. Inside a callback of this machine the block runs at once. The
    /// machine is activated first, as by a fire. `state`, `can` and the like do not wait for the block.
    /// - Parameter body: Gets the current state; runs once, on this thread.
    /// - Returns: What the block returns.
    /// - Throws: What the block throws; ``InvalidAction`` for a circle of waits.
    public func perform<Result>(_ body: (W.AnyState) throws -> Result) throws -> Result {
        try inTurn(for: nil, userInfo: [:]) { try body(state) }
    }

    /// Carries out an action that is allowed in one state, and in its subclasses, only.
    ///
    /// It runs in turn with the transitions, as ``perform(_:)``. Observers hear that it was performed or refused, and then what it
    /// has fired.
    /// - Parameters:
    ///   - name: The action's name, for observers and errors.
    ///   - allowed: The state's class, or a protocol of states.
    ///   - userInfo: What observers and errors get.
    ///   - body: Gets the state; runs once, on this thread.
    /// - Returns: What the block returns.
    /// - Throws: ``InvalidAction`` in another state or for a circle of waits; what the block throws.
    public func perform<S, Result>(
        action name: String,
        in allowed: S.Type,
        userInfo: UserInfo = [:],
        _ body: (S) throws -> Result
    ) throws -> Result {
        try inTurn(for: name, userInfo: userInfo) {
            let current = currentState
            guard let state = current as? S else {
                throw refused(.notInState, name, allowed, userInfo: userInfo)
            }
            let place = core.run.load(ordering: .relaxed)?.pointee.putOff
            let result: Result
            do {
                result = try body(state)
            } catch {
                _ = refused(.failed, name, allowed, userInfo: userInfo, because: error, at: place)
                throw error
            }
            let action = PerformedAction(name: name, state: current, userInfo: userInfo)
            core.tell(.performed(action), of: self, at: place)
            return result
        }
    }

    private func inTurn<Result>(for name: String?, userInfo: UserInfo, _ body: () throws -> Result) throws -> Result {
        let thread = FiringThread.current
        if core.turn.isOwned(by: thread) { return try body() }
        if let circle = core.waitForTurn(of: self, as: thread) {
            let error = invalid(.deadlock, name, W.AnyState.self, userInfo: userInfo, machines: circle)
            core.tellAtOnce(.refused(error), as: thread)
            throw error
        }
        var run = Run()
        return try withUnsafeMutablePointer(to: &run) { run in
            core.open(run, by: thread)
            defer { core.close(run, of: self) }
            if !core.now.isActive { core.completeActivation(of: self, userInfo: [:], in: run) }
            run.pointee.phase = .announcing
            return try body()
        }
    }

    /// Tells observers of a refusal, which is returned to be thrown.
    private func refused<S>(
        _ reason: InvalidAction.Reason,
        _ action: String,
        _ allowed: S.Type,
        userInfo: UserInfo,
        because error: (any Error)? = nil,
        at place: Int? = nil
    ) -> InvalidAction {
        let refusal = invalid(reason, action, allowed, userInfo: userInfo, because: error)
        core.tell(.refused(refusal), of: self, at: place)
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
