/// The classes of a workflow's states by number, in the order of the definition.
struct StateClasses {
    let types: [any WorkflowState.Type]
    let names: [String]

    /// The class itself followed by its registered superclasses, the nearest first.
    let lineages: [[Int]]

    /// The class itself and its registered subclasses.
    let descendants: [[Int]]

    private let numbers: [ObjectIdentifier: Int]

    /// The kind of each state's objects.
    let kinds: [StateKind]

    init(_ numbering: Numbering<ObjectIdentifier, any WorkflowState.Type>) {
        let numbers = numbering.numbers
        types = numbering.values
        names = types.map { $0.name }
        kinds = types.map { StateKind($0) }
        lineages = types.map { type in
            superclasses(of: type).compactMap { numbers[ObjectIdentifier($0)] }
        }
        var descendants = types.map { _ in [Int]() }
        for (number, lineage) in lineages.enumerated() {
            for ancestor in lineage { descendants[ancestor].append(number) }
        }
        self.descendants = descendants
        self.numbers = numbers
    }

    /// States of data, which are known by name and have no hierarchy.
    init(named names: [String], _ kinds: [StateKind]) {
        types = kinds.map(\.type)
        self.names = names
        self.kinds = kinds
        lineages = names.indices.map { [$0] }
        descendants = lineages
        numbers = [:]
    }

    var count: Int { types.count }

    func number(of type: any WorkflowState.Type) -> Int? { numbers[ObjectIdentifier(type)] }

    /// The full name of a state's class; `nil` for a class with several states.
    func className(of number: Int) -> String? {
        self.number(of: types[number]).map { fullName(of: types[$0]) }
    }

    /// The numbers of the states that are or inherit from some classes, in ascending order.
    ///
    /// The classes need not be states.
    func numbers(ofSubclassesOf classes: [any WorkflowState.Type]) -> [Int] {
        let classes = Set(classes.map { ObjectIdentifier($0) })
        return types.indices.filter { number in
            superclasses(of: types[number]).contains { classes.contains(ObjectIdentifier($0)) }
        }
    }

    /// The numbers of the states in a group, in ascending order.
    func numbers(in group: GroupDeclaration) -> [Int] { types.indices.filter { group.includes(types[$0]) } }

    /// The names of the states that are or inherit from some classes.
    ///
    /// A class without states is listed by its own name.
    func names(ofDeclared classes: [any WorkflowState.Type]) -> [String] {
        guard !classes.isEmpty else { return [] }
        let strangers = classes.filter { number(of: $0) == nil && numbers(ofSubclassesOf: [$0]).isEmpty }
        return numbers(ofSubclassesOf: classes).map { names[$0] } + strangers.map { $0.name }
    }
}

/// A class and its superclasses, the nearest first.
package func superclasses(of type: AnyClass) -> some Sequence<AnyClass> {
    sequence(first: type, next: { _getSuperclass($0) })
}
