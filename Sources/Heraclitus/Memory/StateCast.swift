// The states of a transition, typed as a closure takes them.

/// Gives the objects of states the type of a closure's parameter.
///
/// A cast to a generic type asks the runtime for the type's conformances, and then for its `Optional`. The class of a
/// state is compared instead, and the workflow's `AnyState` is made with the layout of the class.
///
/// Measured: a transition with a guard and two hooks of a machine took 10,900 instructions with casts, and takes 4,600
/// with the comparison.
///
/// Invariant: an object becomes a `State` by its bits only if `State` is a class, and the object's.
struct StateCast<State>: Sendable {
    /// `State`, if it is the class of a state.
    private let stateClass: (any WorkflowState.Type)?
    private let isAnyState: Bool

    init<W: Workflow>(in workflow: W.Type) {
        stateClass = State.self as? any WorkflowState.Type
        isAnyState = State.self == W.AnyState.self
    }

    /// Calls a closure with an object, if the object has the type.
    /// - Parameters:
    ///   - object: The object; `nil` for no state.
    ///   - layout: The layout of the object in the workflow's `AnyState`.
    ///   - body: The closure.
    /// - Returns: The closure's value; `nil` for an object of another type.
    @inline(__always) @discardableResult
    func with<Result>(
        _ object: AnyObject?,
        _ layout: @autoclosure () -> ExistentialLayout,
        _ body: (State) throws -> Result
    ) rethrows -> Result? {
        guard let object else { return nil }
        if let stateClass {
            return stateClass.isClass(of: object) ? try body(unsafe unsafeBitCast(object, to: State.self)) : nil
        }
        if isAnyState, case let layout = layout(), layout.isKnown {
            return try body(layout.handedOut(object, as: State.self))
        }
        return try withCast(of: object, body)
    }

    /// Not inlined, because merely entering this function looks up the type `Optional<State>`.
    @inline(never)
    private func withCast<Result>(of object: AnyObject, _ body: (State) throws -> Result) rethrows -> Result? {
        if let state = object as? State { try body(state) } else { nil }
    }

    /// The object of a state.
    @inline(__always)
    func object(of state: State, in definition: Definition) -> AnyObject {
        stateClass == nil ? castObject(of: state, in: definition) : unsafe unsafeBitCast(state, to: AnyObject.self)
    }

    /// Not inlined, for the same reason as the cast above.
    @inline(never)
    private func castObject(of state: State, in definition: Definition) -> AnyObject {
        definition.object(of: state).handedOn()
    }
}

extension WorkflowState {
    /// Whether an object is of this class or a subclass.
    fileprivate static func isClass(of object: AnyObject) -> Bool { object is Self }
}

extension StateTransition {
    /// Calls a closure with the source, if there is one of the closure's type.
    func withSource<Source>(
        _ cast: StateCast<Source>,
        _ body: (Source, StateTransition) throws -> Void
    ) rethrows {
        try cast.with(sourceObject, sourceLayout) { try body($0, self) }
    }

    /// Calls a closure with the destination, if it is of the closure's type.
    func withDestination<Destination>(
        _ cast: StateCast<Destination>,
        _ body: (Destination, StateTransition) throws -> Void
    ) rethrows {
        try cast.with(destinationObject, destinationLayout) { try body($0, self) }
    }

    /// Calls a closure with both states, if they are of the closure's types.
    func withStates<Source, Destination>(
        _ sourceCast: StateCast<Source>,
        _ destinationCast: StateCast<Destination>,
        _ body: (Source, Destination, StateTransition) throws -> Void
    ) rethrows {
        try sourceCast.with(sourceObject, sourceLayout) { source in
            try destinationCast.with(destinationObject, destinationLayout) { try body(source, $0, self) }
        }
    }
}
