// Closures of one machine. They belong to it and not to the definition: a copy and a restored machine have none of them.
// Each runs on the firing thread, right after what the definition has at the same place, in the order added. One that is
// added during a transition is called from the next place on. Each stays as long as the machine lives, or until it is cancelled.
//
// A state is a class, which hears its subclasses, or a protocol: `machine.didEnter((any DownloadState).self) { … }`.

extension StateMachine {
    // MARK: Guards

    /// Adds a guard to an event of this machine, which throws to decline a transition.
    ///
    /// This machine's guards are asked last, in the order added. They must not fire the machine.
    /// - Parameters:
    ///   - event: The event's property.
    ///   - body: Gets the source, the destination and the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func guarded<S, D>(
        _ event: KeyPath<W, W.Event<S, D>>,
        _ body: @escaping @Sendable (S, D, StateTransition) throws -> Void
    ) -> Registration {
        let objects = objects(of: event)
        return add(
            .guard { transition in
                if let (source, destination) = objects(transition) { try body(source, destination, transition) }
            }
        )
    }

    /// Adds a guard that is called before a state, or a subclass of it, is left, and throws to decline.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that is to be left, and the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func shouldExit<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) throws -> Void
    ) -> Registration {
        add(
            .guard { transition in
                guard !transition.isUpdate, let source = transition.sourceObject as? S else { return }
                try body(source, transition)
            }
        )
    }

    /// Adds a guard that is called before a state, or a subclass of it, is entered, and throws to decline.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that is to be entered, and the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func shouldEnter<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) throws -> Void
    ) -> Registration {
        add(
            .guard { transition in
                guard !transition.isUpdate, let destination = transition.destinationObject as? S else { return }
                try body(destination, transition)
            }
        )
    }

    // MARK: Hooks of a state

    /// Adds a closure that is called before a state, or a subclass of it, is left.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that is left, and the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func willExit<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        add(.hook(.willExit) { if let state = $0.sourceObject as? S { body(state, $0) } })
    }

    /// Adds a closure that is called before a state, or a subclass of it, is entered; on activation, too.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that is entered, and the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func willEnter<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        add(.hook(.willEnter) { if let state = $0.destinationObject as? S { body(state, $0) } })
    }

    /// Adds a closure that is called when a state, or a subclass of it, has been left.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that was left, and the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func didExit<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        add(.hook(.didExit) { if let state = $0.sourceObject as? S { body(state, $0) } })
    }

    /// Adds a closure that is called when a state, or a subclass of it, has been entered; on activation, too.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that was entered, and the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func didEnter<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        add(.hook(.didEnter) { if let state = $0.destinationObject as? S { body(state, $0) } })
    }

    /// Adds a closure that is called when a machine that was restored, in a state or a subclass of it, is activated.
    ///
    /// It is the form of ``Restoring/didRestore(_:)`` for closures. Add it before ``activate(userInfo:)`` and before the first fire, which
    /// activates. A machine is restored from an archive, or made with ``init(resumingIn:since:journal:scheduler:)``.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that the machine is in, and the transition, which has no event and no source.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func didRestore<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        add(.hook(.didRestore) { if let state = $0.destinationObject as? S { body(state, $0) } })
    }

    /// Adds a closure that is called when a state, or a subclass of it, has been entered or restored.
    ///
    /// Use it in an owner that starts work for a state, such as a timer or a request: the closure covers new machines and restored
    /// ones. It is called like ``didEnter(_:_:)`` and ``didRestore(_:_:)`` together, of which an activation calls one. An update calls neither. Add it before ``activate(userInfo:)`` and before the first fire.
    ///
    /// ```swift
    /// let machine = try StateMachine<Download>(archive: json)
    /// machine.didEnterOrRestore(LoadingState.self) { loading, _ in start(loading) }
    /// machine.activate()
    /// ```
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that the machine is in now, and the transition, which has no source on activation.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func didEnterOrRestore<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        let call: @Sendable (StateTransition) -> Void = { transition in
            if let state = transition.destinationObject as? S { body(state, transition) }
        }
        return add(.hook(.didEnter, call), .hook(.didRestore, call))
    }

    // MARK: Hooks of an event

    /// Adds a closure that is called before an event's transitions, after the guards.
    /// - Parameters:
    ///   - event: The event's property.
    ///   - body: Gets the source, the destination and the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func willFire<S, D>(
        _ event: KeyPath<W, W.Event<S, D>>,
        _ body: @escaping @Sendable (S, D, StateTransition) -> Void
    ) -> Registration {
        add(.hook(.willFire, hook(of: event, body)))
    }

    /// Adds a closure that is called after an event's transitions, before observers.
    /// - Parameters:
    ///   - event: The event's property.
    ///   - body: Gets the source, the destination and the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func didFire<S, D>(
        _ event: KeyPath<W, W.Event<S, D>>,
        _ body: @escaping @Sendable (S, D, StateTransition) -> Void
    ) -> Registration {
        add(.hook(.didFire, hook(of: event, body)))
    }

    // MARK: After every transition

    /// Adds an observer of the transitions from a state to a state, subclasses included.
    ///
    /// An update is a transition from a state to itself. Activation is not a transition.
    /// - Parameters:
    ///   - source: The class, or a protocol, of the state that was left.
    ///   - destination: The class, or a protocol, of the state that was entered.
    ///   - body: Gets both states and the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func onTransition<S, D>(
        from source: S.Type,
        to destination: D.Type,
        _ body: @escaping @Sendable (S, D, StateTransition) -> Void
    ) -> Registration {
        add(
            .hook(.observers) { transition in
                guard let (source, destination) = W.Event<S, D>.objects(of: transition) else { return }
                body(source, destination, transition)
            }
        )
    }

    /// Adds an observer of all transitions, which is called after all hooks.
    ///
    /// An update is a transition from a state to itself. Activation is not a transition. The machine keeps the closure:
    /// capture the machine as `[weak machine]`.
    /// - Parameter body: Gets the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    @discardableResult
    public func onTransition(_ body: @escaping @Sendable (StateTransition) -> Void) -> Registration {
        add(.hook(.observers, body))
    }

    // MARK: -

    func add(_ callbacks: Callback...) -> Registration {
        Registration(of: core.addCallbacks(callbacks), at: self)
    }

    /// Finds both objects of a transition, if it is one of an event.
    private func objects<S, D>(of event: KeyPath<W, W.Event<S, D>>) -> @Sendable (StateTransition) -> (S, D)? {
        guard let index = workflow.index(of: event) else {
            fatalError("\(event) is not a stored property of \(definition.workflow), and can never be fired.")
        }
        return { $0.plan.event == index ? W.Event<S, D>.objects(of: $0) : nil }
    }

    private func hook<S, D>(
        of event: KeyPath<W, W.Event<S, D>>,
        _ body: @escaping @Sendable (S, D, StateTransition) -> Void
    ) -> @Sendable (StateTransition) -> Void {
        let objects = objects(of: event)
        return { transition in
            if let (source, destination) = objects(transition) { body(source, destination, transition) }
        }
    }
}
