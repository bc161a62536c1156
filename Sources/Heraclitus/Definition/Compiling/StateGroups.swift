/// A group of a workflow with its states.
struct CompiledGroup: Sendable {
    let declaration: GroupDeclaration

    /// The numbers of its states, in ascending order.
    let members: [Int]

    var name: String { declaration.name }
}

extension Definition {
    /// The numbers of the states of a type: a class with its subclasses, or the protocol of a group.
    /// - Returns: The numbers; `nil` for another protocol, whose conforming classes are unknown without objects.
    func states<S>(of type: S.Type) -> [Int]? {
        if S.self is AnyClass { return states.filter { $0.type is S.Type }.map(\.index) }
        if let group = content.value.groups.first(where: { $0.declaration.type == ObjectIdentifier(type) }) {
            return group.members
        }
        // Only the name of a metatype shows a protocol, a composition of protocols, or `Any`. The runtime writes
        // `P.Protocol` for a protocol, and `(any P<Int>).Type` for a protocol with arguments.
        let metatype = String(describing: Swift.type(of: type))
        // A state is an object, so other types have no states.
        return metatype.hasSuffix(".Protocol") || metatype.hasPrefix("(any ") ? nil : []
    }

    /// Stops the program if the first object of a class contradicts the definition.
    ///
    /// A group's closure was asked about the class when the workflow was compiled, for example to choose guards. Copies
    /// of the object must not share a machine.
    func check(_ object: AnyObject, in state: Int) {
        let name = states[state].name
        let mistakes = content.value.groups.compactMap { $0.mistake(about: object, in: state, named: name) }
        let problem = mistakes.first ?? RegionProblems.problem(of: object)
        guard let problem, problem.stopsTheProgram else { return }
        fatalError("The definition of the workflow \(workflow) is wrong: \(problem)")
    }
}

extension CompiledGroup {
    /// The problem of an object whose membership in the group differs from its class's membership.
    func mistake(about object: AnyObject, in state: Int, named stateName: String) -> WorkflowProblem? {
        if members.contains(state) == declaration.holds(object) { return nil }
        return WorkflowProblem("mistakenGroup", [name, stateName])
    }
}
