extension Workflow {
    /// An object of the state of a name, if that is an ``EmptyState``.
    package static func emptyState(named name: String) -> AnyState? {
        let definition = CompiledWorkflow<Self>.shared.definition
        return definition.stateIndex(named: name).flatMap { definition.states[$0].make() as? AnyState }
    }
}
