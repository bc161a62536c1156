// Closures of one machine. Copies and restored machines start without them.
//
// Each closure runs on the firing thread, right after the definition's hook of the same place, in the order of adding.
// A closure added during a transition is called from the next place on. It stays until the machine ends or it is
// cancelled.
//
// A state is a class, including its subclasses, or a protocol: `machine.didEnter((any DownloadState).self) { … }`.

extension StateMachine {
    // MARK: Guards

    /// Adds a guard to an event of this machine.
    ///
    /// The guard throws to decline a transition.
    ///
    /// The machine's guards are asked last, in the order of adding. They must not fire the machine.
    /// - Parameters:
    ///   - event: The event's property.
    ///   - body: Gets the source, the destination and the transition.
    /// - Returns: A registration for cancelling the closure.
    @discardableResult
    public func guarded<S, D>(
        _ event: KeyPath<W, W.Event<S, D>>,
        _ body: @escaping @Sendable (S, D, StateTransition) throws -> Void
    ) -> Registration {
        let index = index(of: event)
        let (source, destination) = (StateCast<S>(in: W.self), StateCast<D>(in: W.self))
        return add(.guard { if $0.plan.event == index { try $0.withStates(source, destination, body) } })
    }

    // MARK: Hooks of a state

    /// Adds a closure called before a state or a subclass of it is left.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state being left, and the transition.
    /// - Returns: A registration for cancelling the closure.
    @discardableResult
    public func willExit<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        let source = StateCast<S>(in: W.self)
        return add(.hook(.willExit) { $0.withSource(source, body) })
    }

    /// Adds a closure called before a state or a subclass of it is entered, also on activation.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state being entered, and the transition.
    /// - Returns: A registration for cancelling the closure.
    @discardableResult
    public func willEnter<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        let destination = StateCast<S>(in: W.self)
        return add(.hook(.willEnter) { $0.withDestination(destination, body) })
    }

    /// Adds a closure called after a state or a subclass of it was left.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that was left, and the transition.
    /// - Returns: A registration for cancelling the closure.
    @discardableResult
    public func didExit<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        let source = StateCast<S>(in: W.self)
        return add(.hook(.didExit) { $0.withSource(source, body) })
    }

    /// Adds a closure called after a state or a subclass of it was entered, also on activation.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that was entered, and the transition.
    /// - Returns: A registration for cancelling the closure.
    @discardableResult
    public func didEnter<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        let destination = StateCast<S>(in: W.self)
        return add(.hook(.didEnter) { $0.withDestination(destination, body) })
    }

    /// Adds a closure called when a machine restored in a state or a subclass of it is activated.
    ///
    /// It is the closure form of ``Restoring/didRestore(_:)``. Add it before ``activate(context:userInfo:)`` and before
    /// the first fire, which also activates. A machine is restored from an archive, or made with
    /// ``init(resumingIn:since:context:journal:scheduler:)``.
    ///
    /// If you start work for a state, such as a timer or a request, add one closure for both ways into the state:
    /// ```swift
    /// let start = { @Sendable (loading: LoadingState, _: StateTransition) in request(loading.url) }
    /// machine.didEnter(LoadingState.self, start)
    /// machine.didRestore(LoadingState.self, start)
    /// machine.activate()
    /// ```
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the current state, and the transition, which has neither event nor source.
    /// - Returns: A registration for cancelling the closure.
    @discardableResult
    public func didRestore<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        let destination = StateCast<S>(in: W.self)
        return add(.hook(.didRestore) { $0.withDestination(destination, body) })
    }

    // MARK: Hooks of an event

    /// Adds a closure called before an event's transitions, after the guards.
    /// - Parameters:
    ///   - event: The event's property.
    ///   - body: Gets the source, the destination and the transition.
    /// - Returns: A registration for cancelling the closure.
    @discardableResult
    public func willFire<S, D>(
        _ event: KeyPath<W, W.Event<S, D>>,
        _ body: @escaping @Sendable (S, D, StateTransition) -> Void
    ) -> Registration {
        add(.hook(.willFire, hook(of: event, body)))
    }

    /// Adds a closure called after an event's transitions, before observers.
    /// - Parameters:
    ///   - event: The event's property.
    ///   - body: Gets the source, the destination and the transition.
    /// - Returns: A registration for cancelling the closure.
    @discardableResult
    public func didFire<S, D>(
        _ event: KeyPath<W, W.Event<S, D>>,
        _ body: @escaping @Sendable (S, D, StateTransition) -> Void
    ) -> Registration {
        add(.hook(.didFire, hook(of: event, body)))
    }

    // MARK: After every transition

    /// Adds an observer of all transitions, called after all hooks.
    ///
    /// An update is a transition from a state to itself. Activation is not a transition. The machine keeps the closure:
    /// capture the machine as `[weak machine]`.
    /// - Parameter body: Gets the transition.
    /// - Returns: A registration for cancelling the closure.
    @discardableResult
    public func onTransition(_ body: @escaping @Sendable (StateTransition) -> Void) -> Registration {
        add(.hook(.observers, body))
    }

    // MARK: -

    package func add(_ closures: MachineClosure...) -> Registration {
        Registration(of: core.addClosures(closures), at: self)
    }

    /// The event's number in the workflow.
    private func index<S, D>(of event: KeyPath<W, W.Event<S, D>>) -> Int {
        guard let index = definition.index(of: event) else {
            fatalError("\(event) is no stored property of \(definition.workflow). Store the event in one.")
        }
        return index
    }

    private func hook<S, D>(
        of event: KeyPath<W, W.Event<S, D>>,
        _ body: @escaping @Sendable (S, D, StateTransition) -> Void
    ) -> @Sendable (StateTransition) -> Void {
        let index = index(of: event)
        let (source, destination) = (StateCast<S>(in: W.self), StateCast<D>(in: W.self))
        return { if $0.plan.event == index { $0.withStates(source, destination, body) } }
    }
}
