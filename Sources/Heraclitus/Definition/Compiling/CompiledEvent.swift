/// An event of a workflow with its name, its number and the table of what it allows.
@usableFromInline
struct CompiledEvent: Sendable {
    let index: Int

    /// The name, where transitions share it.
    let sharedName: Immortal<String>
    let declaration: EventDeclaration

    /// The type of its values: a `WorkflowEvent` of this workflow.
    let valueType: any AnyWorkflowEvent.Type
    let routes: EventRoutes
    let reach: EventReach

    /// The phases in which the event has closures.
    let hooks: CallbackPhases

    init(
        index: Int,
        name: String,
        declaration: EventDeclaration,
        valueType: any AnyWorkflowEvent.Type,
        routes: EventRoutes,
        reach: EventReach
    ) {
        self.index = index
        sharedName = Immortal(name)
        self.declaration = declaration
        self.valueType = valueType
        self.routes = routes
        self.reach = reach
        hooks = CallbackPhases(listening: [
            (.guards, !declaration.guards.isEmpty),
            (.willFire, !declaration.willFire.isEmpty),
            (.didFire, !declaration.didFire.isEmpty),
        ])
    }

    var name: String { sharedName.value }
}

/// Where an event leads.
struct EventReach: Sendable {
    /// From which registered state to which it leads, subclasses included; updates too.
    let leads: StateMatrix

    /// The state that it leads to, if it is declared to lead to one only.
    let onlyDestination: RegisteredClass?

    /// Whether the event, where it leads from a state to a state, keeps that and replaces its data.
    @inline(__always)
    func updates(_ source: Int, to destination: Int) -> Bool {
        source == destination && leads.row(of: source).updates
    }
}

/// What the table says of an event in a state.
@usableFromInline
enum Verdict {
    case allowed
    case ignored
    case notAllowed
}

extension EventReach {
    /// Whether the event leads from a state, and to another one if one is given.
    ///
    /// Everybody who asks the table asks this: fires, `can`, and ``TransitionValidator``.
    @inline(__always)
    func verdict(from source: Int, to destination: Int?) -> Verdict {
        let row = leads.row(of: source)
        guard row.isAllowed else { return row.isIgnored ? .ignored : .notAllowed }
        guard let destination else { return .allowed }
        return leads[source, destination] ? .allowed : .notAllowed
    }
}
