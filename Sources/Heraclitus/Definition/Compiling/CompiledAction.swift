/// An action of a workflow with its name and allowed states.
struct CompiledAction: Sendable {
    let name: String
    let declaration: ActionDeclaration

    /// The numbers of the allowed states, in ascending order.
    let allowed: [Int]

    /// The allowed states for errors; `nil` if any state allows the action.
    private let expected: String?

    init(_ action: DeclaredAction, in states: StateClasses) {
        name = action.name
        declaration = action.declaration
        (allowed, expected) =
            switch action.declaration.allowed {
            case .any: (Array(states.types.indices), nil)
            case .states(let classes):
                (states.numbers(ofSubclassesOf: classes), classes.map { $0.name }.inText())
            case .group(let group): (states.numbers(in: group), group.name)
            }
    }

    func isAllowed(in state: Int) -> Bool { allowed.contains(state) }

    var terms: ActionTerms { ActionTerms(name: name, expected: expected, states: allowed) }
}

/// An action with its property.
struct DeclaredAction {
    let property: String
    let declaration: ActionDeclaration

    var name: String { declaration.name ?? property }
}

extension Definition {
    /// The compiled action of an action value; `nil` if the value is no stored property of the workflow.
    func action(of declaration: ActionDeclaration) -> CompiledAction? {
        actions.first { $0.declaration === declaration }
    }

    func action(named name: String) -> CompiledAction? { actions.first { $0.name == name } }

    /// The names of the actions that a state allows, in the order of the definition.
    func actionNames(allowedIn state: Int) -> [String] { actions.filter { $0.isAllowed(in: state) }.map(\.name) }
}
