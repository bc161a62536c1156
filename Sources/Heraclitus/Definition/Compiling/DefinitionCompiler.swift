/// Compiles a workflow's declarations into its definition, and lists all problems.
struct DefinitionCompiler {
    let workflow: String

    /// The default name of the workflow in earlier versions; `nil` if it is unchanged.
    let formerWorkflow: String?
    let version: Int
    let migrations: [Migration]
    let context: ObjectIdentifier
    let regionContexts: [RegionContext]
    let effects: [any Effect.Type]
    let journal: JournalLimit?
    let secretKeys: Set<String>

    /// The type of the workflow.
    let workflowType: ObjectIdentifier
    let properties: DeclaredProperties

    /// The routes of each event.
    let routes: [EventRoutes]
    let states: StateClasses
    let groups: StateGroups
    let actions: [CompiledAction]
    let initial: (any WorkflowState.Type)?
    let initialName: String
    let unsuitableType: String?

    /// The initial object, which shows its groups and its machines.
    let initialObject: AnyObject?
    let common: AnyClass?

    /// The type of the initial state: a protocol or a class.
    let anyState: (type: ObjectIdentifier, name: String)

    /// The name of the initial state's type if it is no object.
    let valueName: String?

    /// The numbers of the states that are listed in addition to those of events.
    let listed: [Int]

    /// The names of the states that are declared as final.
    let declaredFinals: [String]

    init<W: Workflow>(_ type: W.Type, events workflowValue: W, initial: W.AnyState?) {
        workflow = W.name
        formerWorkflow = formerName(of: type, named: workflow)
        version = W.version
        migrations = W.migrations
        context = ObjectIdentifier(W.Context.self)
        regionContexts = W.regionContexts
        effects = W.effects
        journal = W.journal
        secretKeys = W.secretUserInfoKeys
        workflowType = ObjectIdentifier(type)
        properties = DeclaredProperties(of: workflowValue)
        let isSuitable = initial.map(Self.isHandedOutAsObject) ?? Self.mayBeHandedOutAsObject(W.AnyState.self)
        unsuitableType = isSuitable ? nil : String(describing: W.AnyState.self)
        common = W.AnyState.self as? AnyClass
        anyState = (ObjectIdentifier(W.AnyState.self), ownName(of: W.AnyState.self))
        // For an initial state with data, the class is known instead of an object.
        let initialType = W.initialClass ?? Swift.type(of: initial.map { $0 as Any } ?? W.initial)
        valueName =
            W.AnyState.self is any OptionalType.Type || initialType is AnyClass ? nil : ownName(of: initialType)
        var numbering = StateClasses.Numbering()
        var groupNumbering = StateGroups.Numbering()
        for case let group as any DeclaredGroup in W.groups { _ = groupNumbering.number(of: group.declaration) }
        let rules = properties.events.map { event in
            (
                rules: event.declaration.rules.all.map { rule in
                    rule.map {
                        numbering.number(of: $0)
                    } groups: {
                        groupNumbering.number(of: $0)
                    }
                },
                ignored: event.declaration.ignored.map { numbering.number(of: $0) },
                ignoredGroups: event.declaration.ignoredGroups.map { groupNumbering.number(of: $0) }
            )
        }
        listed = W.states.map { numbering.number(of: $0) }
        for case .group(let group) in properties.actions.map(\.slot.declaration.allowed) {
            _ = groupNumbering.number(of: group)
        }
        let states = StateClasses(numbering)
        self.states = states
        declaredFinals = states.names(ofDeclared: W.finals)
        let groups = StateGroups(groupNumbering, in: states)
        self.groups = groups
        routes = rules.map {
            EventRoutes($0.rules, ignored: $0.ignored, ignoredGroups: $0.ignoredGroups, in: states, groups)
        }
        actions = properties.actions.map { CompiledAction($0, in: states, groups) }
        initialObject = initial as? any WorkflowState
        self.initial = W.initialClass ?? (initial as? any WorkflowState).map { Swift.type(of: $0) }
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

    /// Makes the immortal definition, and binds the events to it.
    func definition(
        eventValues: ErasedImmortal,
        objectAccess: ObjectAccess,
        findLayout: @escaping @Sendable (AnyObject) -> ExistentialLayout?,
        makeTable: @escaping TableMaking,
        contextMaking: ContextMaking?
    ) -> Definition {
        for (index, event) in properties.events.enumerated() { event.slot.bind(to: index) }
        let parts = DefinitionParts(
            workflow: workflow,
            formerWorkflow: formerWorkflow,
            version: version,
            migrations: migrations,
            states: states,
            superstates: states.lineages.map { $0.dropFirst().first },
            events: properties.events.map { event in
                .init(name: event.name, declaration: event.declaration, valueType: event.valueType)
            },
            routes: routes,
            groups: groups.groups,
            actions: actions,
            initial: initial.flatMap { states.number(of: $0) },
            listed: listed,
            declaredFinals: declaredFinals,
            needsContext: context != ObjectIdentifier(Void.self),
            regionContexts: regionContexts,
            journal: journal,
            secretKeys: secretKeys,
            namedStates: nil,
            contextMaking: contextMaking
        )
        return parts.definition(
            eventValues: eventValues,
            objectAccess: objectAccess,
            findLayout: findLayout,
            makeTable: makeTable
        ) {
            isCalled($0, with: [$1])
        }
    }
}

/// A type whose values may contain no object.
private protocol OptionalType {}

extension Optional: OptionalType {}
