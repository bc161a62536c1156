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
///     let cancel = Event(from: .live, to: CancelledState.self)                             // from a group of states
///     let toggle = Event(from: OnState.self, to: OffState.self).or(from: OffState.self, to: OnState.self)
///     let progress = Event(updating: LoadingState.self)                                    // no exit, no enter
///     let view   = Event("View Message", from: UnreadState.self, to: ReadState.self)
/// }
/// ```
///
/// `Source` and `Destination` are the types that closures get and builders return: the class itself if there is only one,
/// the workflow's ``Workflow/AnyState`` if several are possible, and a group's protocol if the source is a ``StateGroup``. An event
/// for a class is one for its subclasses, too.
///
/// An event is an immutable value, and modifiers return another value. The events of `Download.events` are bound to their
/// workflow: they have their names, can be encoded, and equal the decoded event.
public struct WorkflowEvent<W: Workflow, Source, Destination>: Sendable {
    @usableFromInline let slot: EventSlot

    init(_ declaration: EventDeclaration) { slot = EventSlot(declaration) }

    init(_ slot: EventSlot) { self.slot = slot }

    var declaration: EventDeclaration { slot.declaration }
}

// MARK: - What belongs to it

extension WorkflowEvent {
    /// Adds a guard, which throws to decline a transition.
    ///
    /// An event's guards run before all others, in the order in which they were added, each exactly once per fire, on the
    /// firing thread. The closure belongs to the definition, and so to every machine, copy and restored machine. Add it after the
    /// last `or`: a guard that would not be asked for what `or` adds is a ``WorkflowProblem/unaskedGuard(event:)``. Hooks added before
    /// `or` are called only for pairs of their own types.
    /// - Parameter body: Gets the source, the destination and the transition.
    /// - Returns: The event with these.
    public func guarded(
        _ body: @escaping @Sendable (Source, Destination, StateTransition) throws -> Void
    ) -> Self {
        .init(
            declaration.adding(
                guard: { transition in
                    guard let (source, destination) = Self.objects(of: transition) else { return }
                    try body(source, destination, transition)
                },
                for: ClosureTypes(
                    source: ClosureTypes.Parameter(Source.self, of: W.AnyState.self),
                    destination: ClosureTypes.Parameter(Destination.self, of: W.AnyState.self)
                )
            )
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
    /// No guard and no hook runs, and the revision does not change. Observers get ``Occurrence/Kind-swift.enum/ignored``. `can` is `true`,
    /// because a fire would not throw.
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

    /// Adds a group of states in which firing the event does nothing, and is no error.
    /// - Parameter group: The states in which it is ignored, except those that the event names as sources.
    /// - Returns: The event with these.
    public func ignored<State>(in group: StateGroup<State>) -> Self { .init(declaration.ignoring(group.declaration)) }

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
