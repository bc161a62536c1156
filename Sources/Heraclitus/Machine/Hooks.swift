import Synchronization

// Closures of one machine. They belong to it and not to the definition: a copy and a restored machine have none of them.
// Each runs on the firing thread, right after what the definition has at the same place, in the order added. One that is
// added during a transition is called from the next place on.
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
    /// - Returns: What keeps the closure there; it is cancelled when that is dropped.
    public func guarded<S, D>(
        _ event: KeyPath<W, W.Event<S, D>>,
        _ body: @escaping @Sendable (S, D, StateTransition) throws -> Void
    ) -> Registration {
        let objects = objects(of: event)
        return core.hooks.add(guard: { transition in
            if let (source, destination) = objects(transition) { try body(source, destination, transition) }
        })
    }

    /// Adds a guard against leaving a state and its subclasses, which throws to decline.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that is to be left, and the transition.
    /// - Returns: What keeps the closure there; it is cancelled when that is dropped.
    public func shouldExit<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) throws -> Void
    ) -> Registration {
        core.hooks.add(guard: { transition in
            guard !transition.isUpdate, let source = transition.sourceObject as? S else { return }
            try body(source, transition)
        })
    }

    /// Adds a guard against entering a state and its subclasses, which throws to decline.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that is to be entered, and the transition.
    /// - Returns: What keeps the closure there; it is cancelled when that is dropped.
    public func shouldEnter<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) throws -> Void
    ) -> Registration {
        core.hooks.add(guard: { transition in
            guard !transition.isUpdate, let destination = transition.destinationObject as? S else { return }
            try body(destination, transition)
        })
    }

    // MARK: Hooks of a state

    /// Adds a closure that is called before a state, or a subclass of it, is left.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that is left, and the transition.
    /// - Returns: What keeps the closure there; it is cancelled when that is dropped.
    public func willExit<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        core.hooks.add({ if let state = $0.sourceObject as? S { body(state, $0) } }, at: .willExit)
    }

    /// Adds a closure that is called before a state, or a subclass of it, is entered; on activation, too.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that is entered, and the transition.
    /// - Returns: What keeps the closure there; it is cancelled when that is dropped.
    public func willEnter<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        core.hooks.add({ if let state = $0.destinationObject as? S { body(state, $0) } }, at: .willEnter)
    }

    /// Adds a closure that is called when a state, or a subclass of it, has been left.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that was left, and the transition.
    /// - Returns: What keeps the closure there; it is cancelled when that is dropped.
    public func didExit<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        core.hooks.add({ if let state = $0.sourceObject as? S { body(state, $0) } }, at: .didExit)
    }

    /// Adds a closure that is called when a state, or a subclass of it, has been entered; on activation, too.
    /// - Parameters:
    ///   - state: The state's class, or a protocol of states.
    ///   - body: Gets the state that was entered, and the transition.
    /// - Returns: What keeps the closure there; it is cancelled when that is dropped.
    public func didEnter<S>(
        _ state: S.Type,
        _ body: @escaping @Sendable (S, StateTransition) -> Void
    ) -> Registration {
        core.hooks.add({ if let state = $0.destinationObject as? S { body(state, $0) } }, at: .didEnter)
    }

    // MARK: Hooks of an event

    /// Adds a closure that is called before an event's transitions, when the guards have let them pass.
    /// - Parameters:
    ///   - event: The event's property.
    ///   - body: Gets the source, the destination and the transition.
    /// - Returns: What keeps the closure there; it is cancelled when that is dropped.
    public func willFire<S, D>(
        _ event: KeyPath<W, W.Event<S, D>>,
        _ body: @escaping @Sendable (S, D, StateTransition) -> Void
    ) -> Registration {
        core.hooks.add(hook(of: event, body), at: .willFire)
    }

    /// Adds a closure that is called after an event's transitions, before observers.
    /// - Parameters:
    ///   - event: The event's property.
    ///   - body: Gets the source, the destination and the transition.
    /// - Returns: What keeps the closure there; it is cancelled when that is dropped.
    public func didFire<S, D>(
        _ event: KeyPath<W, W.Event<S, D>>,
        _ body: @escaping @Sendable (S, D, StateTransition) -> Void
    ) -> Registration {
        core.hooks.add(hook(of: event, body), at: .didFire)
    }

    // MARK: After every transition

    /// Adds a closure that is called last of all when the machine went from a state to a state, subclasses included.
    ///
    /// Updates are transitions from a state to itself. Activation is none.
    /// - Parameters:
    ///   - source: The class, or a protocol, of the state that was left.
    ///   - destination: The class, or a protocol, of the state that was entered.
    ///   - body: Gets both states and the transition.
    /// - Returns: What keeps the closure there; it is cancelled when that is dropped.
    public func onTransition<S, D>(
        from source: S.Type,
        to destination: D.Type,
        _ body: @escaping @Sendable (S, D, StateTransition) -> Void
    ) -> Registration {
        core.hooks.add(
            { transition in
                guard let (source, destination) = W.Event<S, D>.objects(of: transition) else { return }
                body(source, destination, transition)
            },
            at: .observe
        )
    }

    /// Adds a closure that is called last of all after every transition.
    ///
    /// Updates are transitions from a state to itself. Activation is none.
    /// - Parameter body: Gets the transition.
    /// - Returns: What keeps the closure there; it is cancelled when that is dropped.
    public func onTransition(_ body: @escaping @Sendable (StateTransition) -> Void) -> Registration {
        core.hooks.add(body, at: .observe)
    }

    // MARK: -

    /// Finds both objects of a transition, if it is one of an event.
    private func objects<S, D>(of event: KeyPath<W, W.Event<S, D>>) -> @Sendable (StateTransition) -> (S, D)? {
        guard let index = workflow.index(of: event) else {
            fatalError("\(event) is no stored property of \(definition.workflow) and can never be fired.")
        }
        return { $0.record.content.event?.pointee.index == index ? W.Event<S, D>.objects(of: $0) : nil }
    }

    private func hook<S, D>(
        of event: KeyPath<W, W.Event<S, D>>,
        _ body: @escaping @Sendable (S, D, StateTransition) -> Void
    ) -> OwnHooks.Hook {
        let objects = objects(of: event)
        return { transition in
            if let (source, destination) = objects(transition) { body(source, destination, transition) }
        }
    }
}
