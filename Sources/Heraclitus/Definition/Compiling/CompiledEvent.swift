/// An event of a workflow with its name, its number and its table.
@usableFromInline
struct CompiledEvent: Sendable {
    let index: Int
    let name: String

    /// The name of the property; `nil` in a table.
    let property: String?
    let declaration: EventDeclaration

    /// The type of the event value: a `WorkflowEvent` of this workflow.
    let valueType: any WorkflowMember.Type
    let routes: EventRoutes
    let reach: EventReach

    /// The phases with hooks of the event.
    let hookPhases: CallbackPhases

    init(_ event: DeclaredEvent, index: Int, _ routes: EventRoutes, _ reach: EventReach) {
        self.index = index
        name = event.name
        property = event.property
        declaration = event.declaration
        valueType = event.valueType
        self.routes = routes
        self.reach = reach
        let guards = declaration.guards.isEmpty ? [] : CallbackPhases.guards
        hookPhases = CallbackPhases(declaration.hooks.map(\.phase)).union(guards)
    }
}
