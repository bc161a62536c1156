// Closures of events and states by name, of each machine of a workflow of data.
//
// They are added to each machine first, so they are called before the machine's own. For one machine, a copy of the
// workflow has closures of its own.

public import Heraclitus

extension DataWorkflow {
    /// Adds a guard to an event of each machine, which the ``table`` shows.
    ///
    /// The guard throws to decline a transition.
    /// - Parameters:
    ///   - event: The event's name.
    ///   - body: Gets the state being left, and the transition.
    /// - Returns: The workflow with this guard.
    /// - Throws: `InvalidTransition` for an unknown event, with the known names.
    public func guarded(
        _ event: String,
        _ body: @escaping @Sendable (DataState, StateTransition) throws -> Void
    ) throws(InvalidTransition) -> DataWorkflow {
        adding(.guard(try definition.onEvent(event, body)), to: event, \.isGuarded, "missingGuard")
    }

    /// Adds a closure called after an event's transitions, before observers.
    /// - Parameters:
    ///   - event: The event's name.
    ///   - body: Gets the state that was left, and the transition.
    /// - Returns: The workflow with this closure.
    /// - Throws: `InvalidTransition` for an unknown event, with the known names.
    public func didFire(
        _ event: String,
        _ body: @escaping @Sendable (DataState, StateTransition) -> Void
    ) throws(InvalidTransition) -> DataWorkflow {
        let hook = Definition.hook(try definition.onEvent(event, body))
        return adding(.hook(.didFire, hook), to: event, \.hasHooks, "missingHook")
    }

    /// Adds a closure called after a state was entered, also on activation.
    /// - Parameters:
    ///   - state: The name of the state or of an outer state.
    ///   - body: Gets the state that was entered, and the transition.
    /// - Returns: The workflow with this closure.
    /// - Throws: `InvalidTransition` for an unknown state, with the known names.
    public func didEnter(
        _ state: String,
        _ body: @escaping @Sendable (DataState, StateTransition) -> Void
    ) throws(InvalidTransition) -> DataWorkflow {
        adding(.hook(.didEnter, try definition.onState(state, { $0.destination }, body)))
    }

    /// Adds a closure called after a state was left.
    /// - Parameters:
    ///   - state: The name of the state or of an outer state.
    ///   - body: Gets the state that was left, and the transition.
    /// - Returns: The workflow with this closure.
    /// - Throws: `InvalidTransition` for an unknown state, with the known names.
    public func didExit(
        _ state: String,
        _ body: @escaping @Sendable (DataState, StateTransition) -> Void
    ) throws(InvalidTransition) -> DataWorkflow {
        adding(.hook(.didExit, try definition.onState(state, { $0.source }, body)))
    }

    /// Adds an effect, which each machine declares on entering a state.
    ///
    /// ```swift
    /// let approval = try DataWorkflow(table)
    ///     .effect(entering: "Approved") { approved in SendMail(to: approved["owner"]?.stringValue ?? "") }
    /// ```
    ///
    /// A unit of work saves the effect together with the machine, like the effects of an `Effecting` state. The
    /// workflow knows the type of the effect, so a store passes saved effects to the handler of that type.
    /// - Parameters:
    ///   - state: The name of the state or of an outer state.
    ///   - make: Gets the state once its entering is certain, and makes the effect; `nil` for none.
    /// - Returns: The workflow with this effect.
    /// - Throws: `InvalidTransition` for an unknown state, with the known names.
    public func effect<E: Effect>(
        entering state: String,
        _ make: @escaping @Sendable (DataState) -> E?
    ) throws(InvalidTransition) -> DataWorkflow {
        let declare: @Sendable (DataState, StateTransition) -> Void = { state, transition in
            if let effect = make(state) { transition.declare(effect) }
        }
        var copy = adding(.hook(.willEnter, try definition.onState(state, { $0.destination }, declare)))
        copy.effectTypes.append(E.self)
        return copy
    }

    private func adding(_ closure: MachineClosure) -> DataWorkflow {
        var copy = self
        copy.closures.append(closure)
        return copy
    }

    /// Adds a closure of an event, which the table shows, and which ends a problem.
    private func adding(
        _ closure: MachineClosure,
        to event: String,
        _ mark: WritableKeyPath<TransitionTable.Event, Bool>,
        _ problem: String
    ) -> DataWorkflow {
        var copy = adding(closure)
        copy.missingClosures.removeAll { $0.kind == problem && $0.names == [event] }
        if let index = definition.eventIndex(named: event) { copy.table.events[index][keyPath: mark] = true }
        return copy
    }
}

extension Definition {
    fileprivate func onEvent(
        _ name: String,
        _ body: @escaping @Sendable (DataState, StateTransition) throws -> Void
    ) throws(InvalidTransition) -> @Sendable (StateTransition) throws -> Void {
        if eventIndex(named: name) == nil {
            throw rejection(.unknownEvent, event: name, attempt: "add a closure to \"\(name.shortened)\"")
        }
        return { transition in
            guard transition.event == name, let source = transition.source as? DataState else { return }
            try body(source, transition)
        }
    }

    /// A hook of a nonthrowing closure.
    fileprivate static func hook(
        _ body: @escaping @Sendable (StateTransition) throws -> Void
    ) -> @Sendable (StateTransition) -> Void {
        { try? body($0) }
    }

    /// A hook for changes whose left or entered object is of a state or of a state within it.
    fileprivate func onState(
        _ name: String,
        _ object: @escaping @Sendable (StateTransition) -> (any WorkflowState)?,
        _ body: @escaping @Sendable (DataState, StateTransition) -> Void
    ) throws(InvalidTransition) -> @Sendable (StateTransition) -> Void {
        guard let index = stateIndex(named: name) else {
            throw rejection(.unknownState, state: name, attempt: "add a closure to \"\(name.shortened)\"")
        }
        return { transition in
            guard let state = object(transition) as? DataState, let current = stateIndex(named: state.name),
                lineage(of: current).contains(index)
            else { return }
            body(state, transition)
        }
    }
}
