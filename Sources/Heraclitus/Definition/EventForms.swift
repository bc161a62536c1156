// What does an event lead from and to?
//
// The source is one class or a group, which closures get as what it is; several classes, a list that is computed, or left out for any
// state. The destination is one class, several, or a list.

extension WorkflowEvent {
    /// Makes an event that leads from a state to a state.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - source: The state it is fired in.
    ///   - destination: The state it leads to.
    public init(_ name: String? = nil, from source: Source.Type, to destination: Destination.Type)
    where Source: WorkflowState, Destination: WorkflowState {
        self.init(EventDeclaration(name, from: .states([source]), to: [destination]))
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
        self.init(EventDeclaration(name, from: .states([first, second] + more), to: [destination]))
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
        self.init(EventDeclaration(name, from: .states([source]), to: [first, second] + more))
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
                from: .states([firstSource, secondSource] + moreSources),
                to: [firstDestination, secondDestination] + moreDestinations
            )
        )
    }
}

// MARK: - Groups

extension WorkflowEvent {
    /// Makes an event that leads from every state of a group to a state.
    ///
    /// Closures get the source typed as the group's protocol: `any Live`.
    ///
    /// ```swift
    /// let cancel = Event(from: .live, to: CancelledState.self)
    /// let pause  = Event(from: StateGroup((any Live).self) { $0 is any Live.Type }, to: PausedState.self)
    /// ```
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - group: The states it is fired in.
    ///   - destination: The state it leads to.
    public init(_ name: String? = nil, from group: StateGroup<Source>, to destination: Destination.Type)
    where Destination: WorkflowState {
        self.init(EventDeclaration(name, from: .group(group.declaration), to: [destination]))
    }

    /// Makes an event that leads from every state of a group to one of several, which the caller chooses.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - group: The states it is fired in.
    ///   - first: A state it leads to.
    ///   - second: Another one.
    ///   - more: Further ones.
    public init(
        _ name: String? = nil,
        from group: StateGroup<Source>,
        to first: any WorkflowState.Type,
        _ second: any WorkflowState.Type,
        _ more: any WorkflowState.Type...
    ) where Destination == W.AnyState {
        self.init(EventDeclaration(name, from: .group(group.declaration), to: [first, second] + more))
    }

    /// Not available, because a protocol cannot be a source; a ``StateGroup`` of it can.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - source: A type that is neither a class of states nor a group.
    ///   - destination: The state it leads to.
    @available(
        *,
        unavailable,
        message: """
            the source is no class that conforms to 'WorkflowState'; for all states that conform to a protocol \
            make a group: 'StateGroup((any P).self) { $0 is any P.Type }'
            """
    )
    public init(_ name: String? = nil, from source: Source.Type, to destination: Destination.Type)
    where Destination: WorkflowState {
        fatalError("Not available.")
    }
}

// MARK: - Any state, and lists

extension WorkflowEvent {
    /// Makes an event that leads from any state, or from each state of a list, to a state.
    ///
    /// ```swift
    /// let reset = Event(to: IdleState.self)
    /// let stop  = Event(from: working, to: IdleState.self)          // an array of classes
    /// ```
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - sources: The states it is fired in; any state if they are left out.
    ///   - destination: The state it leads to.
    public init(
        _ name: String? = nil,
        from sources: [any WorkflowState.Type]? = nil,
        to destination: Destination.Type
    ) where Source == W.AnyState, Destination: WorkflowState {
        self.init(EventDeclaration(name, from: Self.anyIfMissing(sources), to: [destination]))
    }

    /// Makes an event that leads from any state, or from each state of a list, to one of several, which the caller chooses.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - sources: The states it is fired in; any state if they are left out.
    ///   - first: A state it leads to.
    ///   - second: Another one.
    ///   - more: Further ones.
    public init(
        _ name: String? = nil,
        from sources: [any WorkflowState.Type]? = nil,
        to first: any WorkflowState.Type,
        _ second: any WorkflowState.Type,
        _ more: any WorkflowState.Type...
    ) where Source == W.AnyState, Destination == W.AnyState {
        self.init(EventDeclaration(name, from: Self.anyIfMissing(sources), to: [first, second] + more))
    }

    /// Makes an event that leads from any state, or from each state of a list, to each state of another list.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - sources: The states it is fired in; any state if they are left out.
    ///   - destinations: The states it leads to.
    public init(
        _ name: String? = nil,
        from sources: [any WorkflowState.Type]? = nil,
        to destinations: [any WorkflowState.Type]
    ) where Source == W.AnyState, Destination == W.AnyState {
        self.init(EventDeclaration(name, from: Self.anyIfMissing(sources), to: destinations))
    }

    private static func anyIfMissing(_ sources: [any WorkflowState.Type]?) -> EventDeclaration.Sources {
        sources.map { .states($0) } ?? .any
    }

    /// Makes an event that leads from a state to each state of a list.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - source: The state it is fired in.
    ///   - destinations: The states it leads to.
    public init(_ name: String? = nil, from source: Source.Type, to destinations: [any WorkflowState.Type])
    where Source: WorkflowState, Destination == W.AnyState {
        self.init(EventDeclaration(name, from: .states([source]), to: destinations))
    }
}

// MARK: - Updates

extension WorkflowEvent {
    /// Makes an event that gives a state new data without leaving it.
    ///
    /// The guards and hooks of exit and entry do not run; those of the event do, and the revision counts the update. The new
    /// object has to be of the same class as the current one.
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

    /// Makes an event that gives each state of a group new data without leaving it.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - group: The states whose data it replaces.
    public init(_ name: String? = nil, updating group: StateGroup<Source>) where Destination == Source {
        self.init(EventDeclaration(name, updating: group.declaration))
    }

    /// Makes an event that gives each state of a list new data without leaving it, for lists that are computed.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - states: The states whose data it replaces.
    public init(_ name: String? = nil, updating states: [any WorkflowState.Type])
    where Source == W.AnyState, Destination == W.AnyState {
        self.init(EventDeclaration(name, updating: states))
    }
}

// MARK: - Further pairs

extension WorkflowEvent {
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
        .init(declaration.adding(from: .states([first] + more), to: [destination]))
    }

    /// Adds pairs of source and destination.
    ///
    /// It adds pairs, not a product: a toggle that leads from A to B *or* from B to A does not lead from A to A. Add guards and
    /// hooks after the last `or`: see ``guarded(_:)``.
    /// - Parameters:
    ///   - firstSource: A state it is fired in as well.
    ///   - moreSources: Further ones.
    ///   - firstDestination: A state it leads to from there.
    ///   - moreDestinations: Further ones.
    /// - Returns: The event with these.
    public func or(
        from firstSource: any WorkflowState.Type,
        _ moreSources: any WorkflowState.Type...,
        to firstDestination: any WorkflowState.Type,
        _ moreDestinations: any WorkflowState.Type...
    ) -> WorkflowEvent<W, W.AnyState, W.AnyState> {
        .init(
            declaration.adding(
                from: .states([firstSource] + moreSources),
                to: [firstDestination] + moreDestinations
            )
        )
    }

    /// Adds a group of sources from which the event leads to the same destination.
    /// - Parameters:
    ///   - group: The states it is fired in as well.
    ///   - destination: The state it leads to from there, as it does already.
    /// - Returns: The event with these.
    public func or<State>(
        from group: StateGroup<State>,
        to destination: Destination.Type
    ) -> WorkflowEvent<W, W.AnyState, Destination> where Destination: WorkflowState {
        .init(declaration.adding(from: .group(group.declaration), to: [destination]))
    }

    /// Adds pairs of each state of a group with some destinations.
    /// - Parameters:
    ///   - group: The states it is fired in as well.
    ///   - firstDestination: A state it leads to from there.
    ///   - moreDestinations: Further ones.
    /// - Returns: The event with these.
    public func or<State>(
        from group: StateGroup<State>,
        to firstDestination: any WorkflowState.Type,
        _ moreDestinations: any WorkflowState.Type...
    ) -> WorkflowEvent<W, W.AnyState, W.AnyState> {
        .init(declaration.adding(from: .group(group.declaration), to: [firstDestination] + moreDestinations))
    }

    /// Adds pairs of each state of a list with each of another, for lists that are computed.
    /// - Parameters:
    ///   - sources: The states it is fired in as well.
    ///   - destinations: The states it leads to from there.
    /// - Returns: The event with these.
    public func or(
        from sources: [any WorkflowState.Type],
        to destinations: [any WorkflowState.Type]
    ) -> WorkflowEvent<W, W.AnyState, W.AnyState> {
        .init(declaration.adding(from: .states(sources), to: destinations))
    }
}
