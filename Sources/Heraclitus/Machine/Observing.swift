extension StateMachine {
    /// Adds a closure that gets everything that happens: transitions, rejected and ignored fires, actions, announcements, failed work.
    ///
    /// It is called on the thread that fired, during the machine's turn, and all observers get everything in the same order.
    /// A transition is reported after its hooks. Anything else is reported after the transition under way has called every
    /// callback, and before the fire throws or returns. The closure may fire the machine. Activations and rehearsals are not
    /// reported.
    ///
    /// If waiting for the turn would never end, as for ``InvalidTransition/Reason-swift.enum/deadlock``, the rejection or
    /// announcement is reported without waiting, on the thread that would have waited. What observers themselves cause to be
    /// reported is limited to ``chainLimit`` occurrences in one turn.
    ///
    /// The machine keeps the closure. Capture the machine as `[weak machine]`, because a closure that captures it strongly keeps it alive.
    /// - Parameters:
    ///   - includesRegions: Whether the closure also gets what happens in the machines that the states hold, at any depth. Such an occurrence has
    ///     a ``Occurrence/path``. When the closure fires this machine then, that is carried out before the region's fire returns.
    ///   - body: Gets what happened.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func observe(
        regions includesRegions: Bool = false,
        _ body: @escaping @Sendable (Occurrence) -> Void
    ) -> Registration {
        guard includesRegions else { return add(hearing(body), .notice(body)) }
        let registration = add(hearing(body), .notice(body), .regionNotice(body))
        core.letRegionsBeHeard()
        return registration
    }

    /// What gives a closure every transition of this machine.
    private func hearing(_ body: @escaping @Sendable (Occurrence) -> Void) -> Callback {
        .hook(.observers) { transition in
            guard let machine = transition.machine else { return }
            body(machine.withCore { $0.occurrence(of: transition) })
        }
    }

    /// Sends an announcement of the program's own to the observers, in one order with the transitions.
    ///
    /// Inside a callback of this machine, observers get it when the transition has called everyone. The machine is activated
    /// first, as by a fire. It costs nothing if nobody observes.
    /// - Parameters:
    ///   - name: The announcement's name.
    ///   - userInfo: Values passed to observers.
    public func announce(_ name: String, userInfo: UserInfo = [:]) {
        activate()
        core.announce(.noted(.announced, name, currentState, userInfo), Call(self, userInfo))
    }

    /// The current state, as any workflow's.
    package var currentState: any WorkflowState {
        let snapshot = core.snapshot
        return definition.states[snapshot.status.index].type.typed(snapshot.state)
    }
}
