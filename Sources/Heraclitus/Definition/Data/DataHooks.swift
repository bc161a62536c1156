// Closures of events and states by name: of one machine, or of each machine of a workflow of data.
//
// Those of a workflow are at each machine from the beginning, so they are called before the machine's own.

extension DataWorkflow {
    /// Adds a guard to an event of each machine, which throws to decline a transition.
    /// - Parameters:
    ///   - event: The event's name.
    ///   - body: Gets the state that is left, and the transition.
    /// - Returns: The workflow with this guard.
    /// - Throws: ``InvalidTransition`` for an event that the table does not have, with the names of those that it has.
    public func guarded(
        _ event: String,
        _ body: @escaping @Sendable (DataState, StateTransition) throws -> Void
    ) throws(InvalidTransition) -> DataWorkflow {
        adding(.guard(try definition.onEvent(event, body)))
    }

    /// Adds a closure that is called after an event's transitions, before observers.
    /// - Parameters:
    ///   - event: The event's name.
    ///   - body: Gets the state that was left, and the transition.
    /// - Returns: The workflow with this closure.
    /// - Throws: ``InvalidTransition`` for an event that the table does not have, with the names of those that it has.
    public func didFire(
        _ event: String,
        _ body: @escaping @Sendable (DataState, StateTransition) -> Void
    ) throws(InvalidTransition) -> DataWorkflow {
        adding(.hook(.didFire, Definition.hook(try definition.onEvent(event, body))))
    }

    /// Adds a closure that is called when a state has been entered; on activation, too.
    /// - Parameters:
    ///   - state: The state's name, or that of a state it is within.
    ///   - body: Gets the state that was entered, and the transition.
    /// - Returns: The workflow with this closure.
    /// - Throws: ``InvalidTransition`` for a state that the table does not have, with the names of those that it has.
    public func didEnter(
        _ state: String,
        _ body: @escaping @Sendable (DataState, StateTransition) -> Void
    ) throws(InvalidTransition) -> DataWorkflow {
        adding(.hook(.didEnter, try definition.onEntering(state, body)))
    }

    /// Adds a closure that is called when a state has been left.
    /// - Parameters:
    ///   - state: The state's name, or that of a state it is within.
    ///   - body: Gets the state that was left, and the transition.
    /// - Returns: The workflow with this closure.
    /// - Throws: ``InvalidTransition`` for a state that the table does not have, with the names of those that it has.
    public func didExit(
        _ state: String,
        _ body: @escaping @Sendable (DataState, StateTransition) -> Void
    ) throws(InvalidTransition) -> DataWorkflow {
        adding(.hook(.didExit, try definition.onLeaving(state, body)))
    }

    /// Adds an effect that each machine declares when it enters a state.
    ///
    /// ```swift
    /// let approval = try DataWorkflow(table)
    ///     .effect(entering: "Approved") { approved in SendMail(to: approved["owner"]?.stringValue ?? "") }
    /// ```
    ///
    /// A unit of work saves it together with the machine, as an ``Effecting`` state's. The workflow knows the type of the effect, so a store
    /// hands stored ones to the handler of that type.
    /// - Parameters:
    ///   - state: The state's name, or that of a state it is within.
    ///   - make: Gets the state, when it is certain to be entered, and makes the effect; `nil` for none.
    /// - Returns: The workflow with this effect.
    /// - Throws: ``InvalidTransition`` for a state that the table does not have, with the names of those that it has.
    public func effect<E: Effect>(
        entering state: String,
        _ make: @escaping @Sendable (DataState) -> E?
    ) throws(InvalidTransition) -> DataWorkflow {
        let index = try definition.index(ofStateNamed: state)
        let isFirst = declaredEffects.isEmpty
        let noting = Callback.hook(.willEnter) { transition in
            transition.treeMachine.withCore { $0.noteEffects(of: transition.destinationObject) }
        }
        var copy = isFirst ? adding(noting) : self
        copy.declaredEffects.append(
            EffectMaking(type: E.self) { [definition] object in
                guard let state = object as? DataState, let entered = definition.stateIndex(of: state),
                    definition.lineage(of: entered).contains(index)
                else { return nil }
                return make(state)
            }
        )
        return copy
    }

    private func adding(_ callback: Callback) -> DataWorkflow {
        var copy = self
        copy.callbacks.append(callback)
        return copy
    }
}

extension StateMachine where W == DataWorkflow {
    /// Adds a guard to an event of this machine, which throws to decline a transition.
    ///
    /// This machine's guards are asked last, in the order added. They must not fire the machine.
    /// - Parameters:
    ///   - event: The event's name.
    ///   - body: Gets the state that is left, and the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    /// - Throws: ``InvalidTransition`` for an event that the table does not have, with the names of those that it has.
    @discardableResult
    public func guarded(
        _ event: String,
        _ body: @escaping @Sendable (DataState, StateTransition) throws -> Void
    ) throws(InvalidTransition) -> Registration {
        add(.guard(try definition.onEvent(event, body)))
    }

    /// Adds a closure that is called after an event's transitions, before observers.
    /// - Parameters:
    ///   - event: The event's name.
    ///   - body: Gets the state that was left, and the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    /// - Throws: ``InvalidTransition`` for an event that the table does not have, with the names of those that it has.
    @discardableResult
    public func didFire(
        _ event: String,
        _ body: @escaping @Sendable (DataState, StateTransition) -> Void
    ) throws(InvalidTransition) -> Registration {
        add(.hook(.didFire, Definition.hook(try definition.onEvent(event, body))))
    }

    /// Adds a closure that is called when a state has been left.
    /// - Parameters:
    ///   - state: The state's name, or that of a state it is within.
    ///   - body: Gets the state that was left, and the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    /// - Throws: ``InvalidTransition`` for a state that the table does not have, with the names of those that it has.
    @discardableResult
    public func didExit(
        _ state: String,
        _ body: @escaping @Sendable (DataState, StateTransition) -> Void
    ) throws(InvalidTransition) -> Registration {
        add(.hook(.didExit, try definition.onLeaving(state, body)))
    }

    /// Adds a closure that is called when a state has been entered; on activation, too.
    /// - Parameters:
    ///   - state: The state's name, or that of a state it is within.
    ///   - body: Gets the state that was entered, and the transition.
    /// - Returns: A registration, with which the closure can be cancelled.
    /// - Throws: ``InvalidTransition`` for a state that the table does not have, with the names of those that it has.
    @discardableResult
    public func didEnter(
        _ state: String,
        _ body: @escaping @Sendable (DataState, StateTransition) -> Void
    ) throws(InvalidTransition) -> Registration {
        add(.hook(.didEnter, try definition.onEntering(state, body)))
    }
}

extension Definition {
    private typealias Place = @Sendable (StateTransition) -> DataState?

    fileprivate func onEvent(
        _ name: String,
        _ body: @escaping @Sendable (DataState, StateTransition) throws -> Void
    ) throws(InvalidTransition) -> @Sendable (StateTransition) throws -> Void {
        guard let index = eventIndex(named: name) else {
            throw unknown(
                .unknownEvent,
                Rejection.Details(event: name, attempt: "add a closure to \"\(name.shortened)\"")
            )
        }
        return { transition in
            guard transition.plan.event == index, let source = transition.sourceObject as? DataState else { return }
            try body(source, transition)
        }
    }

    /// A hook of a closure that never throws.
    fileprivate static func hook(
        _ body: @escaping @Sendable (StateTransition) throws -> Void
    ) -> @Sendable (StateTransition) -> Void {
        { try? body($0) }
    }

    fileprivate func onLeaving(
        _ name: String,
        _ body: @escaping @Sendable (DataState, StateTransition) -> Void
    ) throws(InvalidTransition) -> @Sendable (StateTransition) -> Void {
        let index = try index(ofStateNamed: name)
        return { transition in
            guard let source = transition.sourceObject as? DataState,
                lineage(of: transition.plan.source).contains(index)
            else { return }
            body(source, transition)
        }
    }

    fileprivate func onEntering(
        _ name: String,
        _ body: @escaping @Sendable (DataState, StateTransition) -> Void
    ) throws(InvalidTransition) -> @Sendable (StateTransition) -> Void {
        let index = try index(ofStateNamed: name)
        return { transition in
            guard let destination = transition.destinationObject as? DataState,
                lineage(of: transition.plan.destination).contains(index)
            else { return }
            body(destination, transition)
        }
    }

    fileprivate func index(ofStateNamed name: String) throws(InvalidTransition) -> Int {
        guard let index = stateIndex(named: name) else {
            throw unknown(
                .unknownState,
                Rejection.Details(source: name, attempt: "add a closure to \"\(name.shortened)\"")
            )
        }
        return index
    }

    private func unknown(_ reason: InvalidTransition.Reason, _ details: Rejection.Details) -> InvalidTransition {
        InvalidTransition(Rejection(reason, event: nil, from: nil, details), in: self, userInfo: [:])
    }
}
