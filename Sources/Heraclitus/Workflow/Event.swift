/// An event of a workflow: it leads from states to states.
///
/// Inside a workflow it is called `Event` (``Workflow/Event``), and the property's name is its name unless one is given:
///
/// ```swift
/// struct Download: Workflow {
///     static var initial: any DownloadState { IdleState() }
///
///     let load   = Event(from: IdleState.self, FailureState.self, to: LoadingState.self)   // several sources
///     let end    = Event(from: LoadingState.self, to: CompletedState.self, FailureState.self)
///     let reset  = Event(to: IdleState.self)                                               // from any state
///     let toggle = Event(from: OnState.self, to: OffState.self).or(from: OffState.self, to: OnState.self)
///     let progress = Event(updating: LoadingState.self)                                    // no exit, no enter
///     let view   = Event("View Message", from: UnreadState.self, to: ReadState.self)
/// }
/// ```
///
/// `Source` and `Destination` are the types that closures get and builders return: the class itself if there is only one,
/// the workflow's ``Workflow/AnyState`` if several are possible. An event for a class is one for its subclasses, too.
///
/// An event is an immutable value, and modifiers return another value. The events of `Download.events` are bound to their
/// workflow: they have their names, can be encoded, and equal the decoded event.
public struct WorkflowEvent<W: Workflow, Source, Destination>: Sendable {
    @usableFromInline let slot: EventSlot

    init(_ declaration: EventDeclaration) { slot = EventSlot(declaration) }

    init(_ slot: EventSlot) { self.slot = slot }

    var declaration: EventDeclaration { slot.declaration }
}

// MARK: - What it leads from and to

extension WorkflowEvent {
    /// Makes an event that leads from a state to a state.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - source: The state it is fired in.
    ///   - destination: The state it leads to.
    public init(_ name: String? = nil, from source: Source.Type, to destination: Destination.Type)
    where Source: WorkflowState, Destination: WorkflowState {
        self.init(EventDeclaration(name, from: [source], to: [destination]))
    }

    /// Makes an event that leads from each of several states to a state.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - first: A state it is fired in.
    ///   - second: Another one.
    ///   - more: Further ones.
    ///   - destination: The state it leads to.
    public init(
        _ name: String? = nil,
        from first: any WorkflowState.Type,
        _ second: any WorkflowState.Type,
        _ more: any WorkflowState.Type...,
        to destination: Destination.Type
    ) where Source == W.AnyState, Destination: WorkflowState {
        self.init(EventDeclaration(name, from: [first, second] + more, to: [destination]))
    }

    /// Makes an event that leads from a state to one of several, which the caller chooses.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - source: The state it is fired in.
    ///   - first: A state it leads to.
    ///   - second: Another one.
    ///   - more: Further ones.
    public init(
        _ name: String? = nil,
        from source: Source.Type,
        to first: any WorkflowState.Type,
        _ second: any WorkflowState.Type,
        _ more: any WorkflowState.Type...
    ) where Source: WorkflowState, Destination == W.AnyState {
        self.init(EventDeclaration(name, from: [source], to: [first, second] + more))
    }

    /// Makes an event that leads from each of several states to each of several others.
    ///
    /// To add single pairs, use `or(from:to:)`.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - firstSource: A state it is fired in.
    ///   - secondSource: Another one.
    ///   - moreSources: Further ones.
    ///   - firstDestination: A state it leads to.
    ///   - secondDestination: Another one.
    ///   - moreDestinations: Further ones.
    public init(
        _ name: String? = nil,
        from firstSource: any WorkflowState.Type,
        _ secondSource: any WorkflowState.Type,
        _ moreSources: any WorkflowState.Type...,
        to firstDestination: any WorkflowState.Type,
        _ secondDestination: any WorkflowState.Type,
        _ moreDestinations: any WorkflowState.Type...
    ) where Source == W.AnyState, Destination == W.AnyState {
        self.init(
            EventDeclaration(
                name,
                from: [firstSource, secondSource] + moreSources,
                to: [firstDestination, secondDestination] + moreDestinations
            )
        )
    }

    /// Makes an event that leads from each state of a list to each of another, for lists that are computed.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - sources: The states it is fired in.
    ///   - destinations: The states it leads to.
    public init(
        _ name: String? = nil,
        from sources: [any WorkflowState.Type],
        to destinations: [any WorkflowState.Type]
    ) where Source == W.AnyState, Destination == W.AnyState {
        self.init(EventDeclaration(name, from: sources, to: destinations))
    }

    /// Makes an event that leads from each state of a list to a state, for a list that is computed.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - sources: The states it is fired in.
    ///   - destination: The state it leads to.
    public init(_ name: String? = nil, from sources: [any WorkflowState.Type], to destination: Destination.Type)
    where Source == W.AnyState, Destination: WorkflowState {
        self.init(EventDeclaration(name, from: sources, to: [destination]))
    }

    /// Makes an event that leads from a state to each state of a list, for a list that is computed.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - source: The state it is fired in.
    ///   - destinations: The states it leads to.
    public init(_ name: String? = nil, from source: Source.Type, to destinations: [any WorkflowState.Type])
    where Source: WorkflowState, Destination == W.AnyState {
        self.init(EventDeclaration(name, from: [source], to: destinations))
    }

    /// Makes an event that leads from any state to each state of a list, for a list that is computed.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - destinations: The states it leads to.
    public init(_ name: String? = nil, to destinations: [any WorkflowState.Type])
    where Source == W.AnyState, Destination == W.AnyState {
        self.init(EventDeclaration(name, from: nil, to: destinations))
    }

    /// Makes an event that leads from any state to a state.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - destination: The state it leads to.
    public init(_ name: String? = nil, to destination: Destination.Type)
    where Source == W.AnyState, Destination: WorkflowState {
        self.init(EventDeclaration(name, from: nil, to: [destination]))
    }

    /// Makes an event that leads from any state to one of several, which the caller chooses.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - first: A state it leads to.
    ///   - second: Another one.
    ///   - more: Further ones.
    public init(
        _ name: String? = nil,
        to first: any WorkflowState.Type,
        _ second: any WorkflowState.Type,
        _ more: any WorkflowState.Type...
    ) where Source == W.AnyState, Destination == W.AnyState {
        self.init(EventDeclaration(name, from: nil, to: [first, second] + more))
    }

    /// Makes an event that gives a state new data without leaving it.
    ///
    /// The guards and hooks of exit and entry do not run; those of the event do, and the revision counts the update. The new object
    /// has to be of the same class as the current one.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - state: The state whose data it replaces.
    public init(_ name: String? = nil, updating state: Source.Type)
    where Source: WorkflowState, Destination == Source {
        self.init(EventDeclaration(name, updating: [state]))
    }

    /// Makes an event that gives each of several states new data without leaving it.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - first: A state whose data it replaces.
    ///   - second: Another one.
    ///   - more: Further ones.
    public init(
        _ name: String? = nil,
        updating first: any WorkflowState.Type,
        _ second: any WorkflowState.Type,
        _ more: any WorkflowState.Type...
    ) where Source == W.AnyState, Destination == W.AnyState {
        self.init(EventDeclaration(name, updating: [first, second] + more))
    }

    /// Makes an event that gives each state of a list new data without leaving it, for lists that are computed.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - states: The states whose data it replaces.
    public init(_ name: String? = nil, updating states: [any WorkflowState.Type])
    where Source == W.AnyState, Destination == W.AnyState {
        self.init(EventDeclaration(name, updating: states))
    }

    /// Adds pairs of source and destination.
    ///
    /// It adds pairs, not a product: a toggle that leads from A to B *or* from B to A does not lead from A to A. Add guards and
    /// hooks after the last `or`: one before it is called only for pairs of its own types, and not for those that `or` adds.
    /// - Parameters:
    ///   - first: A state it is fired in as well.
    ///   - more: Further ones.
    ///   - destination: The state it leads to from there.
    /// - Returns: The event with these.
    public func or<D: WorkflowState>(
        from first: any WorkflowState.Type,
        _ more: any WorkflowState.Type...,
        to destination: D.Type
    ) -> WorkflowEvent<W, W.AnyState, W.AnyState> {
        .init(declaration.adding(from: [first] + more, to: [destination]))
    }

    /// Adds sources from which the event leads to the same destination.
    /// - Parameters:
    ///   - first: A state it is fired in as well.
    ///   - more: Further ones.
    ///   - destination: The state it leads to from there, as it does already.
    /// - Returns: The event with these.
    public func or(
        from first: any WorkflowState.Type,
        _ more: any WorkflowState.Type...,
        to destination: Destination.Type
    ) -> WorkflowEvent<W, W.AnyState, Destination> where Destination: WorkflowState {
        .init(declaration.adding(from: [first] + more, to: [destination]))
    }

    /// Adds pairs in which the caller chooses between several destinations.
    /// - Parameters:
    ///   - firstSource: A state it is fired in as well.
    ///   - moreSources: Further ones.
    ///   - firstDestination: A state it leads to from there.
    ///   - secondDestination: Another one.
    ///   - moreDestinations: Further ones.
    /// - Returns: The event with these.
    public func or(
        from firstSource: any WorkflowState.Type,
        _ moreSources: any WorkflowState.Type...,
        to firstDestination: any WorkflowState.Type,
        _ secondDestination: any WorkflowState.Type,
        _ moreDestinations: any WorkflowState.Type...
    ) -> WorkflowEvent<W, W.AnyState, W.AnyState> {
        .init(
            declaration.adding(
                from: [firstSource] + moreSources,
                to: [firstDestination, secondDestination] + moreDestinations
            )
        )
    }
}

extension WorkflowEvent {
    /// Adds pairs of each state of a list with each of another, for lists that are computed.
    /// - Parameters:
    ///   - sources: The states it is fired in as well.
    ///   - destinations: The states it leads to from there.
    /// - Returns: The event with these.
    public func or(
        from sources: [any WorkflowState.Type],
        to destinations: [any WorkflowState.Type]
    ) -> WorkflowEvent<W, W.AnyState, W.AnyState> {
        .init(declaration.adding(from: sources, to: destinations))
    }
}

// MARK: - What belongs to it

extension WorkflowEvent {
    /// Adds a guard, which throws to decline a transition.
    ///
    /// An event's guards run before all others, in the order in which they were added, each exactly once per fire, on the
    /// firing thread. The closure belongs to the definition, and so to every machine, copy and restored machine. If
    /// `or(from:to:)` is called after it, the closure is called only for pairs of its own types.
    /// - Parameter body: Gets the source, the destination and the transition.
    /// - Returns: The event with these.
    public func guarded(
        _ body: @escaping @Sendable (Source, Destination, StateTransition) throws -> Void
    ) -> Self {
        .init(
            declaration.adding(guard: { transition in
                guard let (source, destination) = Self.objects(of: transition) else { return }
                try body(source, destination, transition)
            })
        )
    }

    /// Adds a closure that is called before the event's transitions, after the guards.
    /// - Parameter body: Gets the source, the destination and the transition.
    /// - Returns: The event with these.
    public func willFire(_ body: @escaping @Sendable (Source, Destination, StateTransition) -> Void) -> Self {
        .init(declaration.adding(willFire: Self.hook(body)))
    }

    /// Adds a closure that is called after the event's transitions, before observers.
    /// - Parameter body: Gets the source, the destination and the transition.
    /// - Returns: The event with these.
    public func didFire(_ body: @escaping @Sendable (Source, Destination, StateTransition) -> Void) -> Self {
        .init(declaration.adding(didFire: Self.hook(body)))
    }

    /// Adds states in which firing the event does nothing, and is no error.
    ///
    /// No guard, hook or observer runs, and the revision does not change. `can` is `true`, because a fire would not throw.
    /// - Parameters:
    ///   - first: A state in which it is ignored.
    ///   - more: Further ones.
    /// - Returns: The event with these.
    public func ignored(in first: any WorkflowState.Type, _ more: any WorkflowState.Type...) -> Self {
        .init(declaration.ignoring([first] + more))
    }

    /// Adds a list of states in which firing the event does nothing, and is no error.
    /// - Parameter states: The states in which it is ignored.
    /// - Returns: The event with these.
    public func ignored(in states: [any WorkflowState.Type]) -> Self { .init(declaration.ignoring(states)) }

    private static func hook(
        _ body: @escaping @Sendable (Source, Destination, StateTransition) -> Void
    ) -> EventDeclaration.Hook {
        { transition in
            guard let (source, destination) = objects(of: transition) else { return }
            body(source, destination, transition)
        }
    }

    static func objects(of transition: StateTransition) -> (Source, Destination)? {
        guard let source = transition.sourceObject as? Source,
            let destination = transition.destinationObject as? Destination
        else { return nil }
        return (source, destination)
    }
}

// MARK: - Equality

extension WorkflowEvent: Hashable {
    /// Whether both are the same event of the workflow.
    ///
    /// Two values that are bound to no workflow are equal only if one is a copy of the other.
    public static func == (left: Self, right: Self) -> Bool {
        guard let index = left.slot.index else { return left.slot === right.slot }
        return index == right.slot.index
    }

    /// Feeds the event's identity to a hasher.
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        if let index = slot.index {
            hasher.combine(index)
        } else {
            hasher.combine(ObjectIdentifier(slot))
        }
    }
}

extension WorkflowEvent: CustomStringConvertible {
    /// The event's name.
    public var description: String { name }
}
