// The forms of events, by source and destination.
//
// The source is one class or a group, which closures get typed; or several classes, a list, or any state. The
// destination is one class or a list. Several classes need no list if the other side is one class.

extension WorkflowEvent {
    /// Makes an event from a state to a state.
    /// - Parameters:
    ///   - name: The event's name; by default the name of the property.
    ///   - source: The source.
    ///   - destination: The destination.
    public init(_ name: String? = nil, from source: Source.Type, to destination: Destination.Type)
    where Source: WorkflowState, Destination: WorkflowState {
        self.init(EventDeclaration(name, from: .states([source]), to: [destination]))
    }

    /// Makes an event from several states to a state.
    /// - Parameters:
    ///   - name: The event's name; by default the name of the property.
    ///   - first: A source.
    ///   - second: A second source.
    ///   - more: Further sources.
    ///   - destination: The destination.
    public init(
        _ name: String? = nil,
        from first: any WorkflowState.Type,
        _ second: any WorkflowState.Type,
        _ more: any WorkflowState.Type...,
        to destination: Destination.Type
    ) where Source == W.AnyState, Destination: WorkflowState {
        self.init(EventDeclaration(name, from: .states([first, second] + more), to: [destination]))
    }

    /// Makes an event from a state to one of several states, which the caller chooses.
    /// - Parameters:
    ///   - name: The event's name; by default the name of the property.
    ///   - source: The source.
    ///   - first: A destination.
    ///   - second: A second destination.
    ///   - more: Further destinations.
    public init(
        _ name: String? = nil,
        from source: Source.Type,
        to first: any WorkflowState.Type,
        _ second: any WorkflowState.Type,
        _ more: any WorkflowState.Type...
    ) where Source: WorkflowState, Destination == W.AnyState {
        self.init(EventDeclaration(name, from: .states([source]), to: [first, second] + more))
    }
}

// MARK: - Groups

extension WorkflowEvent {
    /// Makes an event from every state of a group to a state.
    ///
    /// Closures get the source typed as the group's protocol: `any LiveState`.
    ///
    /// ```swift
    /// let cancel = Event(fromAny: .live, to: CancelledState.self)
    /// let pause  = Event(fromAny: StateGroup((any LiveState).self) { $0 is any LiveState.Type }, to: PausedState.self)
    /// ```
    /// - Parameters:
    ///   - name: The event's name; by default the name of the property.
    ///   - group: The sources.
    ///   - destination: The destination.
    public init(_ name: String? = nil, fromAny group: StateGroup<Source>, to destination: Destination.Type)
    where Destination: WorkflowState {
        self.init(EventDeclaration(name, from: .group(group.declaration), to: [destination]))
    }

    /// Makes an event from every state of a group to each state of a list.
    /// - Parameters:
    ///   - name: The event's name; by default the name of the property.
    ///   - group: The sources.
    ///   - destinations: The destinations.
    public init(_ name: String? = nil, fromAny group: StateGroup<Source>, to destinations: [any WorkflowState.Type])
    where Destination == W.AnyState {
        self.init(EventDeclaration(name, from: .group(group.declaration), to: destinations))
    }

    /// Unavailable: a protocol cannot be a source, but its ``StateGroup`` can.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - source: A type that is neither a class of states nor a group.
    ///   - destination: The destination.
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
    /// Makes an event from any state, or from each state of a list, to a state.
    ///
    /// Any state includes the destination, which the event leaves and enters again.
    ///
    /// ```swift
    /// let reset = Event(to: IdleState.self)
    /// let stop  = Event(from: working, to: IdleState.self)          // an array of classes
    /// ```
    /// - Parameters:
    ///   - name: The event's name; by default the name of the property.
    ///   - sources: The sources; `nil` for any state.
    ///   - destination: The destination.
    public init(
        _ name: String? = nil,
        from sources: [any WorkflowState.Type]? = nil,
        to destination: Destination.Type
    ) where Source == W.AnyState, Destination: WorkflowState {
        self.init(EventDeclaration(name, from: Self.anyIfMissing(sources), to: [destination]))
    }

    /// Makes an event from any state, or from each state of a list, to each state of another list.
    ///
    /// ```swift
    /// let judge = Event(from: [WrittenState.self, SpokenState.self], to: [PassedState.self, FailedState.self])
    /// let close = Event(to: [WonState.self, LostState.self])        // from any state
    /// ```
    /// - Parameters:
    ///   - name: The event's name; by default the name of the property.
    ///   - sources: The sources; `nil` for any state.
    ///   - destinations: The destinations.
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

    /// Makes an event from a state to each state of a list.
    /// - Parameters:
    ///   - name: The event's name; by default the name of the property.
    ///   - source: The source.
    ///   - destinations: The destinations.
    public init(_ name: String? = nil, from source: Source.Type, to destinations: [any WorkflowState.Type])
    where Source: WorkflowState, Destination == W.AnyState {
        self.init(EventDeclaration(name, from: .states([source]), to: destinations))
    }
}

// MARK: - Updates

extension WorkflowEvent {
    /// Makes an event that gives a state new data without leaving it.
    ///
    /// Guards and hooks of exit and entry are skipped; those of the event run, and the revision counts the update. The
    /// new object has to be of the class of the current one.
    /// - Parameters:
    ///   - name: The event's name; by default the name of the property.
    ///   - state: The updated state.
    public init(_ name: String? = nil, updating state: Source.Type)
    where Source: WorkflowState, Destination == Source {
        self.init(EventDeclaration(name, updating: [state]))
    }

    /// Makes an event that gives each state of a group new data without leaving it.
    /// - Parameters:
    ///   - name: The event's name; by default the name of the property.
    ///   - group: The updated states.
    public init(_ name: String? = nil, updatingAny group: StateGroup<Source>) where Destination == Source {
        self.init(EventDeclaration(name, from: .group(group.declaration), to: [], isUpdate: true))
    }

    /// Makes an event that gives each state of a list new data without leaving it.
    /// - Parameters:
    ///   - name: The event's name; by default the name of the property.
    ///   - states: The updated states.
    public init(_ name: String? = nil, updating states: [any WorkflowState.Type])
    where Source == W.AnyState, Destination == W.AnyState {
        self.init(EventDeclaration(name, updating: states))
    }
}

// MARK: - Further pairs

extension WorkflowEvent {
    /// Adds sources with the same destination.
    /// - Parameters:
    ///   - first: An additional source.
    ///   - more: Further sources.
    ///   - destination: The event's destination.
    /// - Returns: The event with these sources.
    public func or(
        from first: any WorkflowState.Type,
        _ more: any WorkflowState.Type...,
        to destination: Destination.Type
    ) -> WorkflowEvent<W, W.AnyState, Destination> where Destination: WorkflowState {
        changed { $0.add(from: .states([first] + more), to: [destination]) }
    }

    /// Adds pairs of source and destination.
    ///
    /// The event gets pairs rather than a product: a toggle from A to B *or* from B to A has no pair from A to A. Add
    /// guards and hooks after the last `or`: see ``guarded(_:)-((Source,Destination,StateTransition)->Void)``.
    /// - Parameters:
    ///   - firstSource: An additional source.
    ///   - moreSources: Further sources.
    ///   - firstDestination: A destination from there.
    ///   - moreDestinations: Further destinations.
    /// - Returns: The event with these pairs.
    public func or(
        from firstSource: any WorkflowState.Type,
        _ moreSources: any WorkflowState.Type...,
        to firstDestination: any WorkflowState.Type,
        _ moreDestinations: any WorkflowState.Type...
    ) -> WorkflowEvent<W, W.AnyState, W.AnyState> {
        changed { $0.add(from: .states([firstSource] + moreSources), to: [firstDestination] + moreDestinations) }
    }
}
