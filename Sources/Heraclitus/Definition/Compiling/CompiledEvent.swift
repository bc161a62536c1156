/// An event of a workflow with its name, its number and its table.
@usableFromInline
struct CompiledEvent: Sendable {
    let index: Int

    /// The name in shared storage.
    let sharedName: Immortal<String>
    let declaration: EventDeclaration

    /// The type of the event value: a `WorkflowEvent` of this workflow.
    let valueType: any WorkflowMember.Type
    let routes: EventRoutes
    let reach: EventReach

    /// The phases with closures of the event.
    let hooks: CallbackPhases

    init(_ event: DeclaredEvent, index: Int, _ routes: EventRoutes, _ reach: EventReach) {
        self.index = index
        sharedName = Immortal(event.name)
        declaration = event.declaration
        valueType = event.valueType
        self.routes = routes
        self.reach = reach
        hooks = CallbackPhases([
            .guards: !declaration.guards.isEmpty,
            .willFire: !declaration.willFire.isEmpty,
            .didFire: !declaration.didFire.isEmpty,
        ])
    }

    var name: String { sharedName.value }
}
