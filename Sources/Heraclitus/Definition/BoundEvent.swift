/// An event of a workflow with its name, its place and the table of what it allows.
@usableFromInline
struct BoundEvent: Sendable {
    @usableFromInline let index: Int
    let name: String
    let declaration: EventDeclaration

    /// The type of its values: a `WorkflowEvent` of this workflow.
    let valueType: any AnyWorkflowEvent.Type

    @usableFromInline let reach: EventReach
}

/// Where an event leads.
///
/// A fire reads it where it is: it has no references, so that nobody counts any.
@usableFromInline
struct EventReach: Sendable {
    /// From which registered state to which it leads, subclasses included; updates too.
    @usableFromInline let leads: StateMatrix

    /// Which states it keeps, and replaces their data.
    @usableFromInline let updates: StateSet

    /// In which registered states it is ignored.
    @usableFromInline let ignored: StateSet

    /// The state that it leads to, if it is declared to lead to one only.
    let onlyDestination: RegisteredClass?

    /// Where closures of the event itself listen.
    @usableFromInline let places: Places

    init(
        leads: StateMatrix,
        updates: StateSet,
        ignored: StateSet,
        onlyDestination: RegisteredClass?,
        closures declaration: EventDeclaration
    ) {
        self.leads = leads
        self.updates = updates
        self.ignored = ignored
        self.onlyDestination = onlyDestination
        places = Places([
            (.ask, !declaration.guards.isEmpty),
            (.willFire, !declaration.willFire.isEmpty),
            (.didFire, !declaration.didFire.isEmpty),
        ])
    }

    /// What becomes of an event in a state.
    enum Reception {
        case leads
        case ignored
        case refused
    }

    func reception(in source: Int) -> Reception {
        if leads.hasAny(in: source) { return .leads }
        return ignored.contains(source) ? .ignored : .refused
    }

    /// Whether firing the event in a state would not be refused by the table.
    @inlinable
    func isAccepted(in source: Int) -> Bool { leads.hasAny(in: source) || ignored.contains(source) }

    /// Whether the event, where it leads from a state to a state, keeps that and replaces its data.
    @inlinable
    func updates(_ source: Int, to destination: Int) -> Bool { source == destination && updates.contains(source) }

    /// Whether the event leaves a state, if perhaps only to enter it again.
    func leaves(_ source: Int) -> Bool { leads.columns(in: source).contains { !updates(source, to: $0) } }
}
