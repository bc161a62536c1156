extension StateMachine {
    /// Adds a closure that gets all occurrences: transitions, rejected and ignored fires, actions, announcements,
    /// failed work.
    ///
    /// The closure is called on the firing thread, in the machine's turn. All observers get the same order. A
    /// transition is reported after its hooks. Other occurrences are reported after all callbacks of the transition
    /// under way, before the fire throws or returns. The closure may fire the machine. Activations and rehearsals are
    /// left out.
    ///
    /// On a deadlock (see ``InvalidTransition/Reason-swift.enum/deadlock``) a rejection or announcement is reported at
    /// once, on the calling thread. Occurrences caused by observers themselves are limited to 10,000 in one turn.
    ///
    /// The machine keeps the closure. Capture the machine as `[weak machine]`, because a strong capture retains it.
    /// - Parameters:
    ///   - includesRegions: Whether the closure also gets the occurrences in the machines of the states, at any depth.
    ///     Such an occurrence has a ``Occurrence/path``. The closure may fire this machine before the region's fire
    ///     returns.
    ///   - body: Gets the occurrence.
    /// - Returns: A registration for cancelling the closure.
    @discardableResult
    public func observe(
        regions includesRegions: Bool = false,
        _ body: @escaping @Sendable (Occurrence) -> Void
    ) -> Registration {
        guard includesRegions else { return add(transitionClosure(body), .notice(.notices, body)) }
        let registration = add(transitionClosure(body), .notice(.notices, body), .notice(.regionNotices, body))
        core.observeRegions()
        return registration
    }

    /// A closure that gives another one every transition of this machine.
    private func transitionClosure(_ body: @escaping @Sendable (Occurrence) -> Void) -> MachineClosure {
        .hook(.observers) { transition in
            guard let machine = transition.machine else { return }
            body(machine.withCore { $0.occurrence(of: transition) })
        }
    }

    /// Sends an announcement of the program to the observers, in order with the transitions.
    ///
    /// In a callback of this machine, observers get it after all callbacks of the transition. The announcement
    /// activates the machine first, as a fire does. It is free without observers.
    /// - Parameters:
    ///   - name: The announcement's name.
    ///   - userInfo: Values passed to observers.
    public func announce(_ name: String, userInfo: UserInfo = [:]) {
        activate()
        core.announce(.noted(.announced, name, currentState, userInfo), Call(self, userInfo))
    }

    /// The current state without its workflow's type.
    package var currentState: any WorkflowState { core.currentState }

    /// The recorded occurrences of the machine, without their objects; empty without a journal.
    ///
    /// A machine keeps a journal if its workflow asks for one by ``Workflow/journal``, or its initializer by `journal`.
    /// The journal keeps its last lines up to that number. Once it has dropped lines, each read copies it.
    ///
    /// ```swift
    /// print(machine.journal.table)       // a line for each occurrence
    /// ```
    ///
    /// A line is written in the machine's turn. The line of a transition is written together with the new state, so
    /// each archive has the journal of its moment. Any thread may read the journal at any time, without waiting for
    /// callbacks.
    ///
    /// The journal has the occurrences of ``observe(regions:_:)``: transitions, rejected and ignored fires, actions,
    /// announcements, and failed work. Activations and rehearsals are left out. A machine within a state has its own
    /// journal, if its workflow asks for one.
    public var journal: [Occurrence] { core.journal?.journal.lines ?? [] }
}
