/// A workflow as its machines use it: every state and event by number, every question about them answered in advance.
///
/// There is one a workflow. It never changes and lives as long as the program; this is one word that says where it is.
@usableFromInline
struct Definition: Sendable {
    @usableFromInline let content: Immortal<Content>

    @usableFromInline
    struct Content: Sendable {
        let workflow: String

        /// The default name that the workflow had in earlier versions, if it was another one.
        let formerWorkflow: String?
        let version: Int
        let migrations: [Migration]
        let states: ImmortalArray<CompiledState>

        /// The numbers of the states that the workflow lists besides those that events name.
        let listed: [Int]

        /// The names of the states that the workflow says to be final.
        let declaredFinals: [String]
        let groups: [CompiledGroup]
        let actions: [CompiledAction]
        let events: ImmortalArray<CompiledEvent>

        /// The workflow's own value, with its bound events.
        @usableFromInline let eventValues: ErasedImmortal

        /// `nil` only while the definition is wrong.
        let initial: RegisteredClass?

        /// How the object is found that a value of the workflow's `AnyState` is.
        @usableFromInline let objectAccess: ObjectAccess

        /// How an object is handed out as the workflow's `AnyState`, if it can be one.
        let findLayout: @Sendable (AnyObject) -> ExistentialLayout?

        /// Makes the workflow's table, within other workflows, which also shows what an object holds.
        let makeTable: TableMaking

        /// How states are found by the names of objects, in a workflow of data.
        let namedStates: NamedStates?

        /// What machines get with their context, in a workflow whose definition is its context.
        let contextMaking: ContextMaking?

        /// Whether machines have to be given a context.
        let needsContext: Bool

        /// The contexts of machines in states.
        let regionContexts: [RegionContext]

        /// How much of what happens machines keep; `nil` for nothing.
        let journal: JournalLimit?

        /// The keys of user infos whose values machines do not keep.
        let secretKeys: Set<String>

        /// Whether anything goes on by itself in any state, or any holds machines.
        let hasActivity: Bool

        /// Whether any event is due by itself in any state.
        let hasDeadlines: Bool

        /// Whether any state holds machines.
        @usableFromInline let hasComposites: Bool
        let stateIndices: ClassTable
        let stateIndicesByName: [String: Int]
        let eventIndicesByName: [String: Int]
    }

    init(content: Immortal<Content>) { self.content = content }

    init(
        workflow: String,
        formerWorkflow: String?,
        version: Int,
        migrations: [Migration],
        states: [CompiledState],
        listed: [Int],
        declaredFinals: [String],
        groups: [CompiledGroup],
        actions: [CompiledAction],
        events: [CompiledEvent],
        eventValues: ErasedImmortal,
        initial: RegisteredClass?,
        objectAccess: ObjectAccess,
        findLayout: @escaping @Sendable (AnyObject) -> ExistentialLayout?,
        makeTable: @escaping TableMaking,
        namedStates: NamedStates?,
        contextMaking: ContextMaking?,
        needsContext: Bool,
        regionContexts: [RegionContext],
        journal: JournalLimit?,
        secretKeys: Set<String>
    ) {
        // Objects of one class that are of several states are found by their names.
        let classes = namedStates == nil ? states.map { RegisteredClass($0.type, index: $0.index) } : []
        let stateIndices = ClassTable(classes)
        content = Immortal(
            Content(
                workflow: workflow,
                formerWorkflow: formerWorkflow,
                version: version,
                migrations: migrations,
                states: ImmortalArray(states),
                listed: listed,
                declaredFinals: declaredFinals,
                groups: groups,
                actions: actions,
                events: ImmortalArray(events),
                eventValues: eventValues,
                initial: initial,
                objectAccess: objectAccess,
                findLayout: findLayout,
                makeTable: makeTable,
                namedStates: namedStates,
                contextMaking: contextMaking,
                needsContext: needsContext,
                regionContexts: regionContexts,
                journal: journal,
                secretKeys: secretKeys,
                hasActivity: states.contains(where: \.hasActivity),
                hasDeadlines: states.contains { !$0.deadlines.isEmpty },
                hasComposites: states.contains { $0.hooks.isComposite },
                stateIndices: stateIndices,
                stateIndicesByName: Self.indicesByName(of: states),
                eventIndicesByName: Dictionary(events.map { ($0.name, $0.index) }) { first, _ in first }
            )
        )
    }

    /// The numbers of states by their names, and by the default names of earlier versions where one state alone had it.
    private static func indicesByName(of states: [CompiledState]) -> [String: Int] {
        let former = Dictionary(grouping: states) { formerName(of: $0.type, named: $0.name) }
        var indices: [String: Int] = [:]
        for case (let name?, let states) in former where states.count == 1 { indices[name] = states[0].index }
        return indices.merging(states.reversed().map { ($0.name, $0.index) }) { $1 }
    }

    var workflow: String { content.value.workflow }

    /// Whether archives with a name of a workflow are of this one.
    func isNamed(_ workflow: String) -> Bool {
        workflow == self.workflow || workflow == content.value.formerWorkflow
    }

    var version: Int { content.value.version }

    var migrations: [Migration] { content.value.migrations }

    @inline(__always)
    var states: ImmortalArray<CompiledState> { content.value.states }

    @inline(__always)
    var events: ImmortalArray<CompiledEvent> { content.value.events }

    var hasActivity: Bool { content.value.hasActivity }

    @inlinable var hasComposites: Bool { content.value.hasComposites }

    var needsContext: Bool { content.value.needsContext }

    /// A context for a machine to keep; `nil` in a workflow without one.
    @usableFromInline
    func given<Context: Sendable>(_ context: Context) -> GivenContext? {
        needsContext ? content.value.contextMaking?(context) ?? GivenContext(context) : nil
    }

    var actions: [CompiledAction] { content.value.actions }

    var initial: Int? { content.value.initial?.index }

    /// The object that a state is, whether it is handed around as its class or as the workflow's `AnyState`.
    @inlinable @inline(__always)
    func object<State>(of state: consuming State) -> OwnedObject { content.value.objectAccess.object(of: state) }
}

/// Makes a table of a workflow within others; an object shows the machines that it holds.
typealias TableMaking = @Sendable (_ path: [ObjectIdentifier], _ object: AnyObject?) -> TransitionTable

/// Makes what machines keep of a context.
typealias ContextMaking = @Sendable (any Sendable) -> GivenContext?

/// How the states of objects are found that have one class.
struct NamedStates: Sendable {
    /// The number of the state of an object, tried first with a number.
    let index: @Sendable (AnyObject, _ likely: Int?) -> Int?

    /// Why an object is of no state, although there is one of its name.
    let mismatch: @Sendable (AnyObject) -> (any Error)?
}

// MARK: - Asking the table

extension Definition {
    /// Whether an event leads from a state, and to another one if one is given.
    @inline(__always)
    func verdict(on event: Int, from source: Int, to destination: Int? = nil) -> Verdict {
        events[event].reach.verdict(from: source, to: destination)
    }

    /// The number of the state that an object is of, if an event leads to it from a state and it can be handed out.
    @inline(__always)
    func destination(of event: Immortal<CompiledEvent>, from source: Int, _ object: AnyObject) -> Int? {
        guard let destination = stateIndex(of: object, likely: event.value.reach.onlyDestination),
            event.value.reach.verdict(from: source, to: destination) == .allowed,
            layout(of: object, of: destination) != nil
        else { return nil }
        return destination
    }

    /// The names of the events that lead from a state, in the order of the definition; an event that is ignored there does not.
    func eventNames(leaving source: Int) -> [String] {
        events.filter { $0.reach.verdict(from: source, to: nil) == .allowed }.map(\.name)
    }

    func stateIndex(named name: String) -> Int? { content.value.stateIndicesByName[name] }

    func eventIndex(named name: String) -> Int? { content.value.eventIndicesByName[name] }

    /// The states that an event leads to from a state, as they were declared and in that order.
    func declaredDestinations(of event: Immortal<CompiledEvent>, from source: Int) -> [Int] {
        if let only = onlyDestination(of: event, from: source) { return [only] }
        return event.value.routes.declaredDestinations(from: source)
    }

    /// The only state that an event leads to from a state, where the table says so at once.
    private func onlyDestination(of event: Immortal<CompiledEvent>, from source: Int) -> Int? {
        let row = event.value.reach.row(of: source)
        return row.only ?? (row.updates && !row.leaves ? source : nil)
    }

    /// A new object of the only state that an event leads to from a state, if that is an empty one.
    /// - Parameters:
    ///   - event: The event.
    ///   - source: The number of the state that is left.
    ///   - object: The object that is left.
    /// - Returns: The object; `nil` if somebody has to give one.
    func onlyEmptyState(
        of event: Immortal<CompiledEvent>,
        from source: Int,
        _ object: () -> AnyObject?
    ) -> (any WorkflowState)? {
        if let only = onlyDestination(of: event, from: source) { return states[only].make(leaving: object) }
        let destinations = declaredDestinations(of: event, from: source)
        return destinations.count == 1 ? states[destinations[0]].make(leaving: object) : nil
    }

    /// A state, then its superstates from the nearest to the farthest.
    func lineage(of state: Int) -> some Sequence<Int> { sequence(first: state) { states[$0].superstate } }
}

// MARK: - Classes and objects

extension Definition {
    /// The number of a class among the registered states; a subclass that is not registered has none.
    func stateIndex(of type: any AnyObject.Type) -> Int? { content.value.stateIndices[ObjectIdentifier(type)] }

    /// The number of the state that an object is of.
    func stateIndex(of object: AnyObject) -> Int? { stateIndex(of: object, likely: nil) }

    /// The number of the class of an object with which a machine is to begin.
    func stateIndex(ofBeginning object: AnyObject) -> Int? { stateIndex(of: object, likely: content.value.initial) }

    /// The number of the class of an object, tried first with the class that it is likely to be.
    @inline(__always)
    private func stateIndex(of object: AnyObject, likely: RegisteredClass?) -> Int? {
        let type = ObjectIdentifier(Swift.type(of: object))
        if let likely, likely.type == type { return likely.index }
        return content.value.stateIndices[type] ?? stateIndexByName(of: object, likely: likely?.index)
    }

    @inline(never)
    private func stateIndexByName(of object: AnyObject, likely: Int?) -> Int? {
        content.value.namedStates?.index(object, likely)
    }

    /// Why an object is of no state although there is one of its name.
    func mismatch(of object: AnyObject) -> (any Error)? { content.value.namedStates?.mismatch(object) }

    /// How an object of a registered class is handed out as the workflow's `AnyState`; `nil` if it cannot be one.
    @inline(__always)
    func layout(of object: AnyObject, of state: Int) -> ExistentialLayout? {
        states[state].layout.value?.value ?? learnLayout(of: object, of: state)
    }

    private func learnLayout(of object: AnyObject, of state: Int) -> ExistentialLayout? {
        guard let layout = content.value.findLayout(object) else { return nil }
        checkGroups(of: object, in: state)
        checkMachines(of: object)
        states[state].layout.publish(Immortal(layout))
        return layout
    }

    /// How objects of a class are handed out, one of which was found to suit.
    @inline(__always)
    func knownLayout(of state: Int) -> ExistentialLayout { states[state].layout.value?.value ?? .unknown }
}
