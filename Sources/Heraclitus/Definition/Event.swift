/// An event of a workflow, which leads from states to states.
///
/// Inside a workflow its name is `Event` (``Workflow/Event``). The event's name is the name of its property, unless one
/// is given:
///
/// ```swift
/// struct Download: Workflow {
///     static var initial: any DownloadState { IdleState() }
///
///     let load   = Event(from: IdleState.self, FailureState.self, to: LoadingState.self)   // several sources
///     let end    = Event(from: LoadingState.self, to: CompletedState.self, FailureState.self)
///     let reset  = Event(to: IdleState.self)                                               // from any state
///     let cancel = Event(fromAny: .live, to: CancelledState.self)                             // from a group of states
///     let toggle = Event(from: OnState.self, to: OffState.self).or(from: OffState.self, to: OnState.self)
///     let progress = Event(updating: LoadingState.self)                                    // no exit, no enter
///     let view   = Event("View Message", from: UnreadState.self, to: ReadState.self)
/// }
/// ```
///
/// `Source` and `Destination` are the types for closures and builders. They are the class itself if there is only one,
/// the workflow's ``Workflow/AnyState`` for several states, and the protocol of a ``StateGroup``. An event of a class
/// also covers its subclasses.
///
/// An event is an immutable value, and modifiers return another value. The events of `Download.events` are bound to
/// their workflow: they have names, can be encoded, and equal the decoded event.
public struct WorkflowEvent<W: Workflow, Source, Destination>: Sendable {
    @usableFromInline let slot: EventSlot

    init(_ declaration: EventDeclaration) { slot = EventSlot(declaration) }

    /// An event of the definition, for decoding by name.
    init(_ event: CompiledEvent) { slot = EventSlot(event.declaration, index: event.index) }

    /// The given name, or the name of the property.
    ///
    /// It is empty for an unnamed event outside ``Workflow/events``.
    public var name: String { slot.index.map { W.definition.events[$0].name } ?? declaration.name ?? "" }

    var declaration: EventDeclaration { slot.declaration }
}

// MARK: - Closures and ignored states

extension WorkflowEvent {
    /// Adds a guard, which throws to decline a transition.
    ///
    /// An event's guards run before all others, in the order of adding, each once per fire, on the firing thread. The
    /// closure belongs to the definition, and so to every machine, copy and restored machine. Add it after the last
    /// `or`: a guard that skips pairs of a later `or` is a ``WorkflowProblem``. Hooks added before `or` cover only pairs
    /// of their own types.
    /// - Parameter body: Gets the source, the destination and the transition.
    /// - Returns: The event with this guard.
    public func guarded(
        _ body: @escaping @Sendable (Source, Destination, StateTransition) throws -> Void
    ) -> Self {
        let (source, destination) = (StateCast<Source>(in: W.self), StateCast<Destination>(in: W.self))
        let covered = ClosureParameter(Destination.self, of: W.AnyState.self)
        return changed {
            $0.guards.append(({ try $0.withStates(source, destination, body) }, Self.sources, covered))
        }
    }

    /// Adds a closure called before the event's transitions, after the guards.
    /// - Parameter body: Gets the source, the destination and the transition.
    /// - Returns: The event with this closure.
    public func willFire(_ body: @escaping @Sendable (Source, Destination, StateTransition) -> Void) -> Self {
        changed { $0.hooks.append((.willFire, Self.hook(body))) }
    }

    /// Adds a closure called after the event's transitions, before observers.
    /// - Parameter body: Gets the source, the destination and the transition.
    /// - Returns: The event with this closure.
    public func didFire(_ body: @escaping @Sendable (Source, Destination, StateTransition) -> Void) -> Self {
        changed { $0.hooks.append((.didFire, Self.hook(body))) }
    }

    /// Adds states that ignore the event: firing it there does nothing, and is no error.
    ///
    /// Guards and hooks are skipped, and the revision stays. Observers get ``Occurrence/Kind-swift.enum/ignored``.
    /// `can` is `true`, because a fire would not throw.
    /// - Parameters:
    ///   - first: A state that ignores the event.
    ///   - more: Further states.
    /// - Returns: The event with these states.
    public func ignored(in first: any WorkflowState.Type, _ more: any WorkflowState.Type...) -> Self {
        changed { $0.ignored += [first] + more }
    }

    /// Adds a group of states that ignore the event: firing it there does nothing, and is no error.
    /// - Parameter group: The states that ignore the event, except its sources.
    /// - Returns: The event with this group.
    public func ignored<State>(in group: StateGroup<State>) -> Self {
        changed { $0.ignoredGroups.append(group.declaration) }
    }

    /// The event with a change of its declaration.
    func changed<S, D>(_ change: (inout EventDeclaration) -> Void) -> WorkflowEvent<W, S, D> {
        var declaration = declaration
        change(&declaration)
        return .init(declaration)
    }

    /// The states that a closure of the source covers.
    static var sources: ClosureParameter { ClosureParameter(Source.self, of: W.AnyState.self) }

    private static func hook(
        _ body: @escaping @Sendable (Source, Destination, StateTransition) -> Void
    ) -> EventDeclaration.Hook {
        let (source, destination) = (StateCast<Source>(in: W.self), StateCast<Destination>(in: W.self))
        return { $0.withStates(source, destination, body) }
    }
}

// Two values are equal if both are the same event of the workflow.
extension WorkflowEvent: Hashable {}
