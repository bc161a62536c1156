/// An event with its property.
struct DeclaredEvent {
    /// The name of the property; `nil` in a table.
    let property: String?
    let slot: EventSlot
    let valueType: any AnyWorkflowEvent.Type

    var declaration: EventDeclaration { slot.declaration }

    var name: String { declaration.name ?? property ?? "" }
}

/// The properties of a workflow.
struct DeclaredProperties {
    /// The workflow's events, in order of declaration.
    private(set) var events: [DeclaredEvent] = []

    /// The workflow's actions, in order of declaration.
    private(set) var actions: [DeclaredAction] = []

    /// Other properties that contain events or actions.
    private(set) var hiding: [String] = []

    /// The properties with events or actions of other workflows.
    private(set) var foreign: [(property: String, workflow: String)] = []

    private var search = ValueSearch { $0 is any AnyWorkflowEvent.Type || $0 is any AnyWorkflowAction.Type }

    init<W: Workflow>(of workflow: W) {
        let mirrors = sequence(first: Mirror(reflecting: workflow), next: \.superclassMirror)
        for property in mirrors.reversed().flatMap(\.children) {
            let name = propertyName(property.label ?? "")
            // A cast of the value alone would find the event in an optional, but no key path leads there.
            guard let member = type(of: property.value) as? any WorkflowMember.Type else {
                if isHiding(property.value) { hiding.append(name) }
                continue
            }
            // An event of another workflow has that workflow's number, which must stay.
            if member.workflow != W.self {
                foreign.append((name, String(describing: member.workflow)))
            } else if let event = property.value as? any AnyWorkflowEvent {
                events.append(DeclaredEvent(property: name, slot: event.slot, valueType: type(of: event)))
            } else if let action = property.value as? any AnyWorkflowAction {
                actions.append(DeclaredAction(property: name, slot: action.slot))
            }
        }
    }

    private mutating func isHiding(_ value: Any) -> Bool {
        // Only an object's own properties are searched, because references may lead anywhere.
        let isObject = type(of: value) is AnyClass
        let mirror = isObject ? Mirror(reflecting: value) : Mirror(value, unlabeledChildren: [value])
        return !search.matches(in: mirror, limit: 1).isEmpty
    }
}
