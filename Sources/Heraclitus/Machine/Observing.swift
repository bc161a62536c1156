extension StateMachine {
    /// Adds a closure that is called last of all with everything that happens: transitions, refusals, ignored fires, actions,
    /// announcements.
    ///
    /// It is called on the thread that fired, in the machine's turn and in one order for all: of a transition after the hooks;
    /// of the rest when everyone has been called who hears of the transition under way, before the fire throws or returns. It
    /// may fire the machine. Activation is none of these, and neither is a rehearsal.
    ///
    /// Where waiting for the turn would never end, as for ``InvalidTransition/Reason-swift.enum/deadlock``, a refusal or an
    /// announcement is told without it, on the thread that would have waited. Of what observers themselves cause to be told
    /// while they are told something, ``chainLimit`` occurrences in one turn are.
    /// - Parameter body: Gets what happened.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func observe(_ body: @escaping @Sendable (Occurrence) -> Void) -> Registration {
        add(
            .hook(.observers) { transition in
                guard let machine = transition.machine(as: W.self) else { return }
                body(machine.core.occurrence(.transitioned(transition)))
            },
            .notice(body)
        )
    }

    /// Tells observers something of the program's own, in turn with the transitions.
    ///
    /// Inside a callback of this machine it is told when everyone has been called. The machine is activated first, as by a
    /// fire. It costs nothing where nobody observes.
    /// - Parameters:
    ///   - name: Its name.
    ///   - userInfo: What observers get.
    public func announce(_ name: String, userInfo: UserInfo = [:]) {
        activate()
        core.announce(
            .announced(Announcement(name: name, state: currentState, userInfo: userInfo)),
            Call(self, userInfo)
        )
    }

    /// The current state, as any workflow's.
    var currentState: any WorkflowState {
        let snapshot = core.snapshot
        return definition.states[snapshot.status.index].type.typed(snapshot.state)
    }
}
