extension Workflow {
    /// An object of the state of a name; `nil` unless the state is an ``EmptyState``.
    package static func emptyState(named name: String) -> AnyState? {
        definition.stateIndex(named: name).flatMap { definition.states[$0].make() as? AnyState }
    }

    /// The class of the state of a name; `nil` for an unknown name.
    package static func stateClass(named name: String) -> (any WorkflowState.Type)? {
        definition.stateIndex(named: name).map { definition.states[$0].type }
    }

    /// Whether an event has a builder in the definition.
    package static func hasBuilder(_ event: String) -> Bool {
        definition.eventIndex(named: event).map { !definition.events[$0].declaration.builders.isEmpty } ?? false
    }
}
