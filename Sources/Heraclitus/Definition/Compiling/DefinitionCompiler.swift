/// Compiles a workflow's declarations into its definition, and lists all problems.
struct DefinitionCompiler<W: Workflow> {
    let parts: DefinitionParts
    let properties: DeclaredProperties
    let initialName: String
    let unsuitableType: String?

    /// The initial object, if there is one, which shows its groups and its machines.
    let initialObjects: [any WorkflowState]

    /// The name of the initial state's type if it is no object.
    let valueName: String?

    init(events workflowValue: W = W(), initial: W.AnyState? = W.initialObject) {
        properties = DeclaredProperties(of: workflowValue)
        let isSuitable = initial.map(Self.isHandedOutAsObject) ?? Self.mayBeHandedOutAsObject(W.AnyState.self)
        unsuitableType = isSuitable ? nil : String(describing: W.AnyState.self)
        // For an initial state with data, the class is known instead of an object.
        let initialType = W.initialClass ?? Swift.type(of: initial.map { $0 as Any } ?? W.initial)
        valueName =
            W.AnyState.self is any OptionalType.Type || initialType is AnyClass ? nil : ownName(of: initialType)
        var classes = Numbering<ObjectIdentifier, any WorkflowState.Type>()
        var declaredGroups = Numbering<[AnyHashable], GroupDeclaration>()
        func number(_ type: any WorkflowState.Type) -> Int { classes.number(of: type, ObjectIdentifier(type)) }
        func number(_ group: GroupDeclaration) -> Int { declaredGroups.number(of: group, [group.name, group.type]) }
        for case let group as any DeclaredGroup in W.groups { _ = number(group.declaration) }
        let rules = properties.events.map { event in
            (
                rules: event.declaration.rules.all.map { $0.map(states: number, groups: number) },
                ignored: event.declaration.ignored.map(number),
                ignoredGroups: event.declaration.ignoredGroups.map(number)
            )
        }
        let listed = W.states.map(number)
        for case .group(let group) in properties.actions.map(\.declaration.allowed) { _ = number(group) }
        let states = StateClasses(classes)
        let groups = declaredGroups.values.map { CompiledGroup(declaration: $0, members: states.numbers(in: $0)) }
        let initialClass = W.initialClass ?? (initial as? any WorkflowState).map { Swift.type(of: $0) }
        parts = DefinitionParts(
            facts: WorkflowFacts(
                name: W.name,
                formerName: formerName(of: W.self, named: W.name),
                version: W.version,
                migrations: W.migrations,
                initial: initialClass.flatMap { states.number(of: $0) },
                listed: listed,
                declaredFinals: states.names(ofDeclared: W.finals),
                context: ObjectIdentifier(W.Context.self),
                regionContexts: W.regionContexts,
                journal: W.journal,
                secretKeys: W.secretUserInfoKeys
            ),
            states: states,
            superstates: states.lineages.map { $0.dropFirst().first },
            groups: groups,
            events: properties.events,
            routes: rules.map {
                EventRoutes($0.rules, ignored: $0.ignored, ignoredGroups: $0.ignoredGroups, in: states, groups)
            },
            actions: properties.actions.map { CompiledAction($0, in: states) }
        )
        initialObjects = (initial as? any WorkflowState).map { [$0] } ?? []
        initialName = String(describing: initialType)
    }

    /// Whether a value of the type always begins with its object.
    private static func isHandedOutAsObject<State>(_ state: State) -> Bool {
        guard mayBeHandedOutAsObject(State.self) else { return false }
        // A value that is no state is a separate problem.
        guard let found = state as? any WorkflowState else { return true }
        return state as AnyObject === found
    }

    private static func mayBeHandedOutAsObject(_ type: Any.Type) -> Bool {
        !(type is any OptionalType.Type) && type != (any Error).self
    }

    var states: StateClasses { parts.states }

    var groups: [CompiledGroup] { parts.groups }

    var routes: [EventRoutes] { parts.routes }

    /// The group of all states, if the initial state's type is one.
    var groupOfAll: CompiledGroup? { groups.first { $0.declaration.type == ObjectIdentifier(W.AnyState.self) } }

    /// Makes the immortal definition, and binds the events to it.
    func definition(_ objects: ObjectHandling) -> Definition {
        for (index, event) in parts.events.enumerated() { event.slot.bind(to: index) }
        return Definition(parts, objects)
    }
}

/// A type whose values may contain no object.
private protocol OptionalType {}

extension Optional: OptionalType {}
