/// The classes of a workflow's states by number, in the order in which the definition names them.
struct StateClasses {
    let types: [any WorkflowState.Type]
    let names: [String]

    /// The class itself, then its registered superclasses from the nearest to the farthest.
    let lineages: [[Int]]

    /// The class itself and its registered subclasses.
    let descendants: [[Int]]

    private let numbers: [ObjectIdentifier: Int]

    /// How the objects of each state come to be.
    let kinds: [StateKind]

    /// Gives each class the next number when it is named for the first time.
    struct Numbering {
        fileprivate var types: [any WorkflowState.Type] = []
        fileprivate var numbers: [ObjectIdentifier: Int] = [:]

        mutating func number(of type: any WorkflowState.Type) -> Int {
            if let number = numbers[ObjectIdentifier(type)] { return number }
            numbers[ObjectIdentifier(type)] = types.count
            types.append(type)
            return types.count - 1
        }
    }

    init(_ numbering: Numbering) {
        let numbers = numbering.numbers
        types = numbering.types
        names = types.map { $0.name }
        kinds = types.map { StateKind($0) }
        lineages = types.map { type in
            Self.superclasses(of: type).compactMap { numbers[ObjectIdentifier($0)] }
        }
        var descendants = types.map { _ in [Int]() }
        for (number, lineage) in lineages.enumerated() {
            for ancestor in lineage { descendants[ancestor].append(number) }
        }
        self.descendants = descendants
        self.numbers = numbers
    }

    /// States of data, of which each is told by its name and stands alone.
    init(named names: [String], _ kinds: [StateKind]) {
        types = kinds.map(\.type)
        self.names = names
        self.kinds = kinds
        lineages = names.indices.map { [$0] }
        descendants = lineages
        numbers = [:]
    }

    /// A state as objects are compared with it; `numbers` has no class whose objects are of several states.
    func registered(_ number: Int) -> RegisteredClass {
        self.number(of: types[number]) == nil
            ? RegisteredClass(NoClass.self, index: number) : RegisteredClass(types[number], index: number)
    }

    var count: Int { types.count }

    func number(of type: any WorkflowState.Type) -> Int? { numbers[ObjectIdentifier(type)] }

    /// The numbers of the states that are some classes or subclasses of them, in ascending order, whether these are states themselves or not.
    func numbers(ofSubclassesOf classes: [any WorkflowState.Type]) -> [Int] {
        let classes = Set(classes.map { ObjectIdentifier($0) })
        return types.indices.filter { number in
            Self.superclasses(of: types[number]).contains { classes.contains(ObjectIdentifier($0)) }
        }
    }

    /// The names of the states that are some classes or subclasses of them; a class that no state is one of has its own name.
    func names(ofDeclared classes: [any WorkflowState.Type]) -> [String] {
        guard !classes.isEmpty else { return [] }
        let strangers = classes.filter { number(of: $0) == nil && numbers(ofSubclassesOf: [$0]).isEmpty }
        return numbers(ofSubclassesOf: classes).map { names[$0] } + strangers.map { $0.name }
    }

    /// The class of no object.
    private final class NoClass {}

    /// A class and all its superclasses, the nearest first.
    static func superclasses(of type: AnyClass) -> some Sequence<AnyClass> {
        sequence(first: type, next: { _getSuperclass($0) })
    }
}
