/// Turns what the author of a workflow wrote down into its definition, and lists everything that is wrong with it.
struct DefinitionCompiler {
    /// An event and the property it stands in.
    struct DeclaredEvent {
        let property: String
        let declaration: EventDeclaration
        let slot: EventSlot
        let valueType: any AnyWorkflowEvent.Type

        var name: String { declaration.name ?? property }
    }

    private let workflow: String
    private let version: Int
    private let migrations: [Migration]
    private let events: [DeclaredEvent]
    private let classes: [any WorkflowState.Type]
    private let names: [String]
    private let indices: [ObjectIdentifier: Int]
    private let lineages: [[Int]]
    private let descendants: [[Int]]
    private let initial: (any WorkflowState.Type)?
    private let initialName: String
    private let unsuitableType: String?
    private let common: AnyClass?
    private let hiding: [String]

    init<W: Workflow>(_ type: W.Type, events workflowValue: W, initial: W.AnyState) {
        workflow = W.name
        version = W.version
        migrations = W.migrations
        let properties = Self.properties(of: workflowValue)
        events = properties.compactMap(Self.event)
        hiding = properties.filter(Self.hidesEvent).map { $0.label ?? "" }
        unsuitableType = Self.isHandedOutAsObject(initial) ? nil : String(describing: W.AnyState.self)
        common = W.AnyState.self as? AnyClass
        classes = Self.classes(named: events, and: W.states)
        names = classes.map { $0.name }
        let indices = Dictionary(uniqueKeysWithValues: classes.enumerated().map { (ObjectIdentifier($1), $0) })
        self.indices = indices
        lineages = classes.map { type in
            Self.superclasses(of: type).compactMap { indices[ObjectIdentifier($0)] }
        }
        var descendants = Array(repeating: [Int](), count: classes.count)
        for (index, lineage) in lineages.enumerated() {
            for ancestor in lineage { descendants[ancestor].append(index) }
        }
        self.descendants = descendants
        self.initial = (initial as? any WorkflowState).map { Swift.type(of: $0) }
        initialName = String(describing: Swift.type(of: initial as Any))
    }

    func definition(
        eventValues: UnsafeRawPointer,
        casting cast: @escaping @Sendable (AnyObject) -> [UInt]?
    ) -> Definition {
        Definition(
            workflow: workflow,
            version: version,
            migrations: migrations,
            states: classes.indices.map {
                RegisteredState(index: $0, type: classes[$0], name: names[$0], lineage: lineages[$0])
            },
            events: events.indices.map { boundEvent($0) },
            eventValues: eventValues,
            cast: cast,
            initial: initial
        )
    }

    func bind() {
        for (index, event) in events.enumerated() { event.slot.bind(to: index) }
    }
}

// MARK: - Reading

extension DefinitionCompiler {
    /// The stored properties in the order in which they are written down.
    private static func properties(of workflow: some Workflow) -> [Mirror.Child] {
        sequence(first: Mirror(reflecting: workflow), next: \.superclassMirror).reversed().flatMap(\.children)
    }

    private static func event(_ property: Mirror.Child) -> DeclaredEvent? {
        // A cast of the value alone would find the event in an optional, but no key path leads to that.
        guard type(of: property.value) is any AnyWorkflowEvent.Type,
            let event = property.value as? any AnyWorkflowEvent
        else { return nil }
        return DeclaredEvent(
            property: property.label ?? "",
            declaration: event.declaration,
            slot: event.slot,
            valueType: type(of: event)
        )
    }

    /// Whether a state begins with its object, in every case that there is.
    private static func isHandedOutAsObject<State>(_ state: State) -> Bool {
        guard !(State.self is any OptionalType.Type), State.self as Any.Type != (any Error).self else { return false }
        // One that is no state at all is a problem of its own.
        guard let found = state as? any WorkflowState else { return true }
        return object(of: state).toOpaque() == object(of: found).toOpaque()
    }

    /// Whether a property is no event, but has one.
    private static func hidesEvent(_ property: Mirror.Child) -> Bool {
        guard event(property) == nil else { return false }
        return Mirror(reflecting: property.value).children.contains { $0.value is any AnyWorkflowEvent }
    }

    private static func classes(
        named events: [DeclaredEvent],
        and further: [any WorkflowState.Type]
    ) -> [any WorkflowState.Type] {
        var seen: Set<ObjectIdentifier> = []
        var classes: [any WorkflowState.Type] = []
        func add(_ type: any WorkflowState.Type) {
            if seen.insert(ObjectIdentifier(type)).inserted { classes.append(type) }
        }
        for event in events {
            for pair in event.declaration.pairs {
                if let source = pair.source { add(source) }
                add(pair.destination)
            }
            event.declaration.ignored.forEach(add)
        }
        further.forEach(add)
        return classes
    }
}

// MARK: - Tables

extension DefinitionCompiler {
    private func boundEvent(_ index: Int) -> BoundEvent {
        let event = events[index]
        let ignoring = ignoringStates(of: event.declaration)
        var leads: [Int: Set<Int>] = [:]
        var updates: Set<Int> = []
        for pair in event.declaration.pairs {
            let destinations = descendants[number(of: pair.destination)]
            for source in pair.source.map({ descendants[number(of: $0)] }) ?? Array(classes.indices)
            where !ignoring.contains(source) {
                // An update keeps the state, and so the class; another one would have to be entered.
                leads[source, default: []].formUnion(pair.isUpdate ? [source] : destinations)
                if pair.isUpdate { updates.insert(source) }
            }
        }
        return BoundEvent(
            index: index,
            name: event.name,
            declaration: event.declaration,
            valueType: event.valueType,
            reach: EventReach(
                leads: StateMatrix(leads, of: classes.count),
                updates: StateSet(updates, of: classes.count),
                ignored: StateSet(ignoring, of: classes.count),
                onlyDestination: onlyDestination(of: event.declaration),
                closures: event.declaration
            )
        )
    }

    /// The states in which an event is ignored.
    ///
    /// Where a class and a superclass of it are told different things, the
    /// nearer one counts, as inheritance has it; "from any state" counts least.
    private func ignoringStates(of declaration: EventDeclaration) -> Set<Int> {
        let ignored = Set(declaration.ignored.map(number))
        guard !ignored.isEmpty else { return [] }
        let sources = Set(declaration.pairs.compactMap(\.source).map(number))
        return Set(
            classes.indices.filter { state in
                let nearest = lineages[state].first { ignored.contains($0) || sources.contains($0) }
                return nearest.map(ignored.contains) ?? false
            }
        )
    }

    private func onlyDestination(of declaration: EventDeclaration) -> RegisteredClass? {
        guard let first = declaration.pairs.first?.destination,
            declaration.pairs.allSatisfy({ $0.destination == first })
        else { return nil }
        return RegisteredClass(first, index: number(of: first))
    }

    private func number(of type: any WorkflowState.Type) -> Int {
        guard let index = indices[ObjectIdentifier(type)] else {
            preconditionFailure("Every class that an event names was collected.")
        }
        return index
    }
}

// MARK: - Problems

extension DefinitionCompiler {
    var problems: [WorkflowProblem] {
        workflowProblems + stateProblems + eventNameProblems + events.flatMap(problems)
    }

    private var workflowProblems: [WorkflowProblem] {
        var problems: [WorkflowProblem] = []
        if Self.isBlank(workflow) { problems.append(.blankWorkflowName) }
        if version < 1 { problems.append(.badVersion(version)) }
        if initial.flatMap({ indices[ObjectIdentifier($0)] }) == nil {
            problems.append(.unregisteredInitialState(initialName))
        }
        if let unsuitableType { problems.append(.unsuitableStateType(unsuitableType)) }
        problems += migrationProblems
        return problems + hiding.map { .hiddenEvent(property: $0) }
    }

    private var migrationProblems: [WorkflowProblem] {
        let missing =
            version < 2 ? [] : (2...version).filter { version in !migrations.contains { $0.version == version } }
        let versions = migrations.map(\.version)
        let misplaced = migrations.indices.filter { index in
            !(2...max(2, version)).contains(versions[index]) || version < 2
                || versions[..<index].contains { $0 > versions[index] }
        }
        let duplicates = Self.groups(migrations) { "\($0.version) \($0.name)" }
        return missing.map { .missingMigration(version: $0) }
            + misplaced.map { .misplacedMigration(migrations[$0].name, version: migrations[$0].version) }
            + duplicates.map { .duplicateMigration($1[0].name, version: $1[0].version) }
    }

    private var stateProblems: [WorkflowProblem] {
        let blank = classes.indices.filter { Self.isBlank(names[$0]) }.map {
            WorkflowProblem.blankStateName(className: Self.className(classes[$0]))
        }
        let duplicates = Self.groups(Array(classes.indices), by: { names[$0] }).map {
            WorkflowProblem.duplicateStateName($0, classNames: $1.map { Self.className(classes[$0]) })
        }
        let foreign = common.map { common in
            classes.filter { !Self.superclasses(of: $0).contains { $0 == common } }.map {
                WorkflowProblem.foreignState(className: Self.className($0), expected: String(describing: common))
            }
        }
        return blank + duplicates + (foreign ?? [])
    }

    private var eventNameProblems: [WorkflowProblem] {
        let blank = events.filter { Self.isBlank($0.name) }.map {
            WorkflowProblem.blankEventName(property: $0.property)
        }
        let shared = Self.groups(events, by: { ObjectIdentifier($0.slot) }).map {
            WorkflowProblem.sharedEvent(properties: $1.map(\.property))
        }
        let duplicates = Self.groups(events, by: \.name).map {
            WorkflowProblem.duplicateEventName($0, properties: $1.map(\.property))
        }
        return blank + shared + duplicates
    }

    private func problems(of event: DeclaredEvent) -> [WorkflowProblem] {
        let pairs = event.declaration.pairs
        guard !pairs.isEmpty else { return [.emptyEvent(event.name)] }
        let sources = Set(pairs.compactMap(\.source).map { ObjectIdentifier($0) })
        let ignored = event.declaration.ignored.filter { sources.contains(ObjectIdentifier($0)) }
        let updated = classes.indices.filter { isContradictory(event.declaration, in: $0) }
        return ignored.map { .contradictoryIgnore(event: event.name, state: $0.name) }
            + updated.map { .contradictoryUpdate(event: event.name, state: classes[$0].name) }
    }

    /// Whether an event both updates a state and leads from it to itself, by its own pairs or those of superclasses.
    private func isContradictory(_ declaration: EventDeclaration, in state: Int) -> Bool {
        func isKind(of type: any WorkflowState.Type) -> Bool { lineages[state].contains(number(of: type)) }
        let pairs = declaration.pairs.filter { isKind(of: $0.destination) && $0.source.map(isKind) ?? true }
        return pairs.contains(where: \.isUpdate) && !pairs.allSatisfy(\.isUpdate)
    }

    /// The groups of several elements that share a key which is no blank, in the order of their first element.
    private static func groups<Element, Key: Hashable>(
        _ elements: [Element],
        by key: (Element) -> Key
    ) -> [(Key, [Element])] {
        let groups = Dictionary(grouping: elements, by: key)
        var seen: Set<Key> = []
        return elements.map(key).filter { seen.insert($0).inserted }.compactMap { key in
            guard let group = groups[key], group.count > 1 else { return nil }
            return (key, group)
        }
    }

    /// A class and all its superclasses, the nearest first.
    private static func superclasses(of type: AnyClass) -> [AnyClass] {
        Array(sequence(first: type, next: { _getSuperclass($0) }))
    }

    private static func isBlank(_ name: String) -> Bool { name.allSatisfy(\.isWhitespace) }

    private static func className(_ type: any WorkflowState.Type) -> String { String(reflecting: type) }
}

/// What might hold no object at all.
private protocol OptionalType {}

extension Optional: OptionalType {}
