import Heraclitus

extension Workflow {
    /// The names under which archives of this workflow may be stored: its own name, and its default name in earlier
    /// versions.
    static var storedNames: [String] { [name] + [formerName(of: self, named: name)].compactMap(\.self) }

    /// The names of the states of some classes in stored archives; `nil` if one is the class of all states.
    static func storedNames(of states: [any WorkflowState.Type]) -> [String]? {
        states.reduce([]) { names, state in
            guard let names, let more = storedNames(of: state) else { return nil }
            return names + more
        }
    }

    /// The names of a class's states in stored archives, like `storedNames`; `nil` if all states have that class.
    private static func storedNames(of state: any WorkflowState.Type) -> [String]? {
        let definition = TransitionValidator<Self>().definition
        // All states of a definition at run time share a registered class, and have their own names.
        if definition.contextDefined != nil, definition.stateIndex(of: state) != nil { return nil }
        guard let former = formerName(of: state, named: state.name), let index = definition.stateIndex(of: state),
            definition.stateIndex(named: former) == index
        else { return [state.name] }
        return [state.name, former]
    }
}
