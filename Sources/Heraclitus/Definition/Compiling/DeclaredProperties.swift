/// An event with its property.
struct DeclaredEvent {
    /// The name of the property; `nil` in a table.
    let property: String?
    let slot: EventSlot
    let valueType: any WorkflowMember.Type

    var declaration: EventDeclaration { slot.declaration }

    var name: String { declaration.name ?? property ?? "" }
}

/// The properties of a workflow.
struct DeclaredProperties {
    /// The workflow's events, in order of declaration.
    var events: [DeclaredEvent] = []

    /// The workflow's actions, in order of declaration.
    var actions: [DeclaredAction] = []

    /// Other properties that contain events or actions.
    private(set) var hiding: [String] = []

    /// The properties with events or actions of other workflows.
    private(set) var foreign: [(property: String, workflow: String)] = []

    private var search = ValueSearch { $0 is any WorkflowMember.Type }

    init<W: Workflow>(of workflow: W) {
        let mirrors = sequence(first: Mirror(reflecting: workflow), next: \.superclassMirror)
        for property in mirrors.reversed().flatMap(\.children) {
            let name = propertyName(property.label ?? "")
            // A cast of the value alone would find the event in an optional, but no key path leads there.
            guard let type = Swift.type(of: property.value) as? any WorkflowMember.Type,
                let member = property.value as? any WorkflowMember
            else {
                if isHiding(property.value) { hiding.append(name) }
                continue
            }
            // An event of another workflow has that workflow's number, which must stay.
            if type.workflow != W.self {
                foreign.append((name, String(describing: type.workflow)))
            } else {
                member.add(to: &self, as: name)
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
