/// An event of a workflow with its name, its place and the table of what it allows.
@usableFromInline
final class BoundEvent: Sendable {
    @usableFromInline let index: Int
    @usableFromInline let name: String
    @usableFromInline let declaration: EventDeclaration

    /// The type of its values: a `WorkflowEvent` of this workflow.
    let valueType: any AnyWorkflowEvent.Type

    /// The name of the state that it leads to, if it leads to one only.
    let onlyDestination: String?

    /// From which registered state to which it leads, subclasses included; updates too.
    @usableFromInline let leads: StateMatrix

    /// Which of these keep the state and replace its data.
    @usableFromInline let updates: StateMatrix

    /// In which registered states it is ignored.
    @usableFromInline let ignored: StateMatrix

    init(
        index: Int,
        name: String,
        declaration: EventDeclaration,
        valueType: any AnyWorkflowEvent.Type,
        onlyDestination: String?,
        leads: StateMatrix,
        updates: StateMatrix,
        ignored: StateMatrix
    ) {
        self.index = index
        self.name = name
        self.declaration = declaration
        self.valueType = valueType
        self.onlyDestination = onlyDestination
        self.leads = leads
        self.updates = updates
        self.ignored = ignored
    }

    /// Whether firing the event in a state would not be refused by the table.
    @inlinable
    func isAccepted(in source: Int) -> Bool {
        leads.hasAny(in: source) || ignored[source, 0]
    }

    /// Whether the event leaves a state, if perhaps only to enter it again.
    func leaves(_ source: Int) -> Bool {
        leads.columns(in: source).contains { !updates[source, $0] }
    }
}
