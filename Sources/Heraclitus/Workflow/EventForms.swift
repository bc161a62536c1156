// What does an event lead from and to?
//
// A source is one class, which closures get as itself, several or none, which means any, a group, or a list that is computed; a
// destination is one class, several, or a list.

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

    /// Makes an event that leads from each of several states, or from any state, to a state.
    ///
    /// ```swift
    /// let load  = Event(from: IdleState.self, FailureState.self, to: LoadingState.self)
    /// let reset = Event(to: IdleState.self)         // from any state
    /// ```
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - sources: The states it is fired in; none means any state.
    ///   - destination: The state it leads to.
    public init(_ name: String? = nil, from sources: any WorkflowState.Type..., to destination: Destination.Type)
    where Source == W.AnyState, Destination: WorkflowState {
        self.init(EventDeclaration(name, from: Self.anyIfEmpty(sources), to: [destination]))
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

    /// Makes an event that leads from each of several states, or from any state, to one of several, which the caller chooses.
    ///
    /// For pairs that are no such product use ``or(from:_:to:)``.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - sources: The states it is fired in; none means any state.
    ///   - first: A state it leads to.
    ///   - second: Another one.
    ///   - more: Further ones.
    public init(
        _ name: String? = nil,
        from sources: any WorkflowState.Type...,
        to first: any WorkflowState.Type,
        _ second: any WorkflowState.Type,
        _ more: any WorkflowState.Type...
    ) where Source == W.AnyState, Destination == W.AnyState {
        self.init(EventDeclaration(name, from: Self.anyIfEmpty(sources), to: [first, second] + more))
    }

    private static func anyIfEmpty(_ sources: [any WorkflowState.Type]) -> EventDeclaration.Sources {
        sources.isEmpty ? .any : .states(sources)
    }
}

// MARK: - Groups

extension WorkflowEvent {
    /// Makes an event that leads from every state of a group to a state.
    ///
    /// Closures get the source as what the group is of: `any Live`.
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

    /// Not available, because a protocol is no source; a ``StateGroup`` of it is one.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - source: What is neither a class of states nor a group.
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

// MARK: - Lists

extension WorkflowEvent {
    /// Makes an event that leads from each state of a list, or from any state, to each of another list.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - sources: The states it is fired in; `nil` means any state.
    ///   - destinations: The states it leads to.
    public init(
        _ name: String? = nil,
        from sources: [any WorkflowState.Type]? = nil,
        to destinations: [any WorkflowState.Type]
    ) where Source == W.AnyState, Destination == W.AnyState {
        self.init(EventDeclaration(name, from: sources.map { .states($0) } ?? .any, to: destinations))
    }

    /// Makes an event that leads from each state of a list to a state.
    /// - Parameters:
    ///   - name: The event's name; the property's name if there is none.
    ///   - sources: The states it is fired in.
    ///   - destination: The state it leads to.
    public init(_ name: String? = nil, from sources: [any WorkflowState.Type], to destination: Destination.Type)
    where Source == W.AnyState, Destination: WorkflowState {
        self.init(EventDeclaration(name, from: .states(sources), to: [destination]))
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
    /// No guard and no hook of exit or entry runs; the event's own do, and the revision counts it. A subclass keeps its
    /// class.
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
    /// Pairs, not a product: a toggle that leads from A to B *or* from B to A does not lead from A to A. Put guards and hooks
    /// behind the last `or`: see ``guarded(_:)``.
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
