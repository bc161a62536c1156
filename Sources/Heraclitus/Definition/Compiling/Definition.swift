/// A workflow as its machines use it: states and events by number, with all lookups done in advance.
///
/// Each workflow has one definition. It is immutable and lives as long as the program; this value is a single word.
@usableFromInline
package struct Definition: Sendable {
    @usableFromInline let content: Immortal<Content>

    @usableFromInline
    struct Content: Sendable {
        let facts: WorkflowFacts
        @usableFromInline let objects: ObjectHandling
        let states: ImmortalArray<CompiledState>
        let groups: [CompiledGroup]
        let actions: [CompiledAction]
        let events: ImmortalArray<CompiledEvent>

        /// Whether any state has deadlines, work or machines.
        let hasActivity: Bool

        /// Whether any state has a deadline.
        let hasDeadlines: Bool

        /// Whether any state holds machines.
        @usableFromInline let hasComposites: Bool
        let stateIndices: NumberTable
        let stateIndicesByName: [String: Int]
        let eventIndicesByName: [String: Int]
    }

    init(content: Immortal<Content>) { self.content = content }

    /// Makes the immortal definition.
    init(_ parts: DefinitionParts, _ objects: ObjectHandling) {
        let events = parts.compiledEvents
        let states = parts.compiledStates(events)
        // If a class has objects of several states, the objects' names decide.
        let classes = objects.namedStates == nil ? states : []
        content = Immortal(
            Content(
                facts: parts.facts,
                objects: objects,
                states: ImmortalArray(states),
                groups: parts.groups,
                actions: parts.actions,
                events: ImmortalArray(events),
                hasActivity: states.contains(where: \.hasActivity),
                hasDeadlines: states.contains { !$0.deadlines.isEmpty },
                hasComposites: states.contains { $0.hooks.isComposite },
                stateIndices: NumberTable(classes.map { (UInt(bitPattern: ObjectIdentifier($0.type)), $0.index) }),
                stateIndicesByName: Self.indicesByName(of: states),
                eventIndicesByName: Dictionary(events.map { ($0.name, $0.index) }) { first, _ in first }
            )
        )
    }

    /// The numbers of states by name, and by unique default names of earlier versions.
    private static func indicesByName(of states: [CompiledState]) -> [String: Int] {
        let former = Dictionary(grouping: states) { formerName(of: $0.type, named: $0.name) }
        var indices: [String: Int] = [:]
        for case (let name?, let states) in former where states.count == 1 { indices[name] = states[0].index }
        return indices.merging(states.reversed().map { ($0.name, $0.index) }) { $1 }
    }

    package var workflow: String { content.value.facts.name }

    /// Whether archives with a workflow's name are of this workflow.
    func isNamed(_ workflow: String) -> Bool {
        workflow == self.workflow || workflow == content.value.facts.formerName
    }

    package var version: Int { content.value.facts.version }

    package var migrations: [Migration] { content.value.facts.migrations }

    @inline(__always)
    var states: ImmortalArray<CompiledState> { content.value.states }

    @inline(__always)
    var events: ImmortalArray<CompiledEvent> { content.value.events }

    var hasActivity: Bool { content.value.hasActivity }

    @inlinable var hasComposites: Bool { content.value.hasComposites }

    /// Whether machines need a context.
    var needsContext: Bool { content.value.facts.context != ObjectIdentifier(Void.self) }

    package var contextDefined: (any ContextDefined.Type)? { content.value.objects.contextDefined }

    var actions: [CompiledAction] { content.value.actions }

    var initial: Int? { content.value.facts.initial }

    /// Makes an object of the initial state; `nil` if a caller has to pass one.
    func makeInitial() -> (any WorkflowState)? { initial.flatMap { states[$0].make() } }

    /// The number of an event; `nil` for a computed property, which belongs to no workflow.
    // Inlined where the key path is written, which the compiler turns into an offset.
    @inlinable @inline(__always)
    func index<W, S, D>(of event: KeyPath<W, WorkflowEvent<W, S, D>>) -> Int? {
        content.value.objects.eventValues.typed(as: W.self).value[keyPath: event].slot.index
    }

    /// The object of a state, passed as its class or as the workflow's `AnyState`.
    @inlinable @inline(__always)
    func object<State>(of state: consuming State) -> OwnedObject { content.value.objects.access.object(of: state) }
}

// MARK: - Table

extension Definition {
    /// The verdict of the table on an event from a state, and optionally to another one.
    @inline(__always)
    func verdict(on event: Int, from source: Int, to destination: Int? = nil) -> Verdict {
        events[event].reach.verdict(from: source, to: destination)
    }

    /// The number of an object's state, if an event leads to it and the object is suitable.
    @inline(__always)
    func destination(of event: Immortal<CompiledEvent>, from source: Int, _ object: AnyObject) -> Int? {
        guard let destination = stateIndex(of: object, likely: event.value.reach.onlyDestination),
            event.value.reach.verdict(from: source, to: destination) == .allowed,
            layout(of: object, of: destination) != nil
        else { return nil }
        return destination
    }

    /// The names of the events that lead from a state, in the order of the definition, without ignored events.
    func eventNames(leaving source: Int) -> [String] {
        events.filter { $0.reach.verdict(from: source, to: nil) == .allowed }.map(\.name)
    }

    package func stateIndex(named name: String) -> Int? { content.value.stateIndicesByName[name] }

    package func eventIndex(named name: String) -> Int? { content.value.eventIndicesByName[name] }

    /// A state followed by its superstates, the nearest first.
    package func lineage(of state: Int) -> some Sequence<Int> { sequence(first: state) { states[$0].superstate } }
}

// MARK: - Classes and objects

extension Definition {
    /// The number of a registered class; `nil` for an unregistered subclass.
    @inline(__always)
    package func stateIndex(of type: any AnyObject.Type) -> Int? {
        content.value.stateIndices[UInt(bitPattern: ObjectIdentifier(type))]
    }

    /// The number of an object's state; for states that share a class, a likely number is tried first.
    @inline(__always)
    package func stateIndex(of object: AnyObject, likely: Int? = nil) -> Int? {
        stateIndex(of: Swift.type(of: object))
            ?? content.value.objects.namedStates?.number(of: object, likely: likely)
    }

    /// The reason for which an object has no state, although there is one with its name.
    package func mismatch(of object: AnyObject) -> (any Error)? {
        content.value.objects.namedStates?.mismatch(of: object)
    }

    /// The name of an object's state, also of an unregistered one.
    package func name(of object: AnyObject) -> String {
        if let name = content.value.objects.namedStates?.name(of: object) { return name }
        let type: any AnyObject.Type = Swift.type(of: object)
        return (type as? any WorkflowState.Type)?.name ?? ownName(of: type)
    }

    /// The layout of a registered class's object in the workflow's `AnyState`; `nil` for an unsuitable object.
    @inline(__always)
    func layout(of object: AnyObject, of state: Int) -> ExistentialLayout? {
        states[state].layout.value?.value ?? learnLayout(of: object, of: state)
    }

    private func learnLayout(of object: AnyObject, of state: Int) -> ExistentialLayout? {
        guard let layout = content.value.objects.findLayout(object) else { return nil }
        check(object, in: state)
        states[state].layout.publish(Immortal(layout))
        return layout
    }

    /// The layout of a class's objects, one of which was found suitable.
    @inline(__always)
    func knownLayout(of state: Int) -> ExistentialLayout { states[state].layout.value?.value ?? .unknown }
}
