/// A group of a workflow with its states.
struct CompiledGroup: Sendable {
    let declaration: GroupDeclaration

    /// The numbers of its states, in ascending order.
    let members: [Int]

    var name: String { declaration.name }

    /// Finds the states of a group among classes.
    init(_ declaration: GroupDeclaration, in states: StateClasses) {
        self.init(
            declaration: declaration,
            members: states.types.indices.filter { declaration.includes(states.types[$0]) }
        )
    }

    init(declaration: GroupDeclaration, members: [Int]) { (self.declaration, self.members) = (declaration, members) }
}

extension Definition {
    /// The numbers of the states of a type: a class with its subclasses, or the protocol of a group.
    /// - Returns: The numbers; `nil` for another protocol, whose conforming classes are unknown without objects.
    func states<S>(of type: S.Type) -> [Int]? {
        if S.self is AnyClass { return states.filter { $0.type is S.Type }.map(\.index) }
        if let group = content.value.groups.first(where: { $0.declaration.type == ObjectIdentifier(type) }) {
            return group.members
        }
        // A state is an object, so other types have no states.
        return isProtocol(type) ? nil : []
    }

    /// Stops the program if a group's closure contradicts the first object of a class.
    ///
    /// The closure's answer was used when the workflow was compiled, for example to choose guards.
    func checkGroups(of object: AnyObject, in state: Int) {
        for group in content.value.groups where group.isMistaken(about: object, in: state) {
            fatalError(
                "The definition of the workflow \(workflow) is wrong: \(group.mistake(about: states[state].name))"
            )
        }
    }
}

extension CompiledGroup {
    /// Whether an object's membership in the group differs from its class's membership.
    func isMistaken(about object: AnyObject, in state: Int) -> Bool {
        members.contains(state) != declaration.holds(object)
    }

    func mistake(about state: String) -> WorkflowProblem { .init("mistakenGroup", [name, state]) }
}
