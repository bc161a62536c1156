/// A group of a workflow with its states.
struct CompiledGroup: Sendable {
    let declaration: GroupDeclaration

    /// The numbers of its states, in ascending order.
    let members: [Int]

    var name: String { declaration.name }
}

/// The groups of a workflow by number, in the order in which the definition names them.
struct StateGroups {
    let groups: [CompiledGroup]

    /// The names that groups of different types have in common.
    let ambiguousNames: [String]

    /// Gives each group the next number when it is named for the first time.
    struct Numbering {
        fileprivate struct Key: Hashable {
            let name: String
            let type: ObjectIdentifier
        }

        fileprivate var declarations: [GroupDeclaration] = []
        fileprivate var numbers: [Key: Int] = [:]

        mutating func number(of group: GroupDeclaration) -> Int {
            let key = Key(name: group.name, type: group.type)
            if let number = numbers[key] { return number }
            numbers[key] = declarations.count
            declarations.append(group)
            return declarations.count - 1
        }
    }

    init(_ numbering: Numbering, in states: StateClasses) {
        groups = numbering.declarations.map { group in
            CompiledGroup(
                declaration: group,
                members: states.types.indices.filter { group.includes(states.types[$0]) }
            )
        }
        var seen: Set<String> = []
        var ambiguous: Set<String> = []
        ambiguousNames = groups.map(\.name).filter { !seen.insert($0).inserted && ambiguous.insert($0).inserted }
    }

    /// Groups whose states are known.
    init(_ groups: [CompiledGroup]) {
        self.groups = groups
        ambiguousNames = []
    }

    func members(of group: Int) -> [Int] { groups[group].members }
}

extension Definition {
    /// The numbers of the states that are of a type: a class, subclasses included, or the protocol of a group.
    /// - Returns: `nil` for any other protocol: whether a class conforms to one is not known before there is an object.
    func states<S>(of type: S.Type) -> [Int]? {
        if S.self is AnyClass { return states.filter { $0.type is S.Type }.map(\.index) }
        if let group = content.value.groups.first(where: { $0.declaration.type == ObjectIdentifier(type) }) {
            return group.members
        }
        // A state is an object, so none is of another type.
        return isProtocol(type) ? nil : []
    }

    /// Stops the program if a group's closure has said something else of a class than the first object of it shows.
    ///
    /// What depends on it was decided when the workflow was compiled, such as which guards are asked.
    func checkGroups(of object: AnyObject, in state: Int) {
        for group in content.value.groups where group.isMistaken(about: object, in: state) {
            fatalError(
                "The definition of the workflow \(workflow) is wrong: \(group.mistake(about: states[state].name))"
            )
        }
    }
}

extension CompiledGroup {
    /// Whether an object is in the group and its class is said not to be, or the other way round.
    func isMistaken(about object: AnyObject, in state: Int) -> Bool {
        members.contains(state) != declaration.holds(object)
    }

    func mistake(about state: String) -> WorkflowProblem { .mistakenGroup(name, state: state) }
}
