// Definitions at run time: a context defines the workflow of its machines, whose states share a class.
import HeraclitusEssentials
package import HeraclitusJSON

/// A workflow whose machines have their definition from their context.
package protocol ContextDefined: Workflow {
    /// The key of the context in a decoder's user info.
    static var contextKey: CodingUserInfoKey { get }

    /// The context of a machine, with the definition.
    static func given(_ context: Context) -> GivenContext
}

extension ContextDefined {
    static func given(any context: any Sendable) -> GivenContext? { (context as? Context).map(given) }

    /// The context that a decoder has, for machines whose context is their definition.
    static func given(by decoder: any Decoder) -> GivenContext? {
        (decoder.userInfo[contextKey] as? Context).map(given)
    }
}

/// The states of a definition by name, whose objects share a class.
package protocol NamedStates: AnyObject, Sendable {
    /// The class of all objects.
    var type: any WorkflowState.Type { get }

    /// The number of a state; `nil` for an unknown name.
    func number(named name: String) -> Int?

    /// The number of an object's state; a likely number is tried first.
    func number(of object: AnyObject, likely: Int?) -> Int?

    /// The name of an object's state, also of an unknown one.
    func name(of object: AnyObject) -> String?

    /// The reason for which an object has no state, although there is one with its name.
    func mismatch(of object: AnyObject) -> (any Error)?

    /// Reads an object of a state.
    func read(_ data: JSONValue, of state: Int, at path: [any CodingKey]) throws -> any WorkflowState

    /// Makes an object of a state without a caller's object, if possible.
    func make(_ state: Int, leaving source: AnyObject?) -> (any WorkflowState)?
}

extension StateKind {
    /// A state that shares its class with others.
    init(_ state: Int, of named: some NamedStates) {
        type = named.type
        read = { try named.read(JSONValue(from: $0), of: state, at: $0.codingPath) }
        readMember = {
            try named.read($0.decode(JSONValue.self, forKey: .data), of: state, at: $0.codingPath + [EnvelopeKey.data])
        }
        make = { named.make(state, leaving: $0()) }
    }
}

extension DefinitionParts {
    /// Reads a table, in linear time and memory.
    ///
    /// For a wrong table, the result leaves out pairs and lists that name unknown states.
    /// - Parameters:
    ///   - table: The table.
    ///   - workflow: The type of the workflow.
    ///   - named: The states of the table.
    ///   - migrations: The steps of the table.
    ///   - rules: The rules of an event.
    package init<W: ContextDefined>(
        _ table: TransitionTable,
        of workflow: W.Type,
        _ named: some NamedStates,
        migrations: [Migration],
        rules: (TransitionTable.Event) -> [NumberedRule]
    ) {
        func numbers(_ states: [String]) -> [Int] { states.compactMap(named.number(named:)) }
        let states = StateClasses(named: table.states, table.states.indices.map { StateKind($0, of: named) })
        let groups = table.groups.map { group in
            CompiledGroup(
                // Its states are known by name, so it has no classes.
                declaration: GroupDeclaration(Never.self, group.name) { _ in false },
                members: Set(numbers(group.states)).sorted()
            )
        }
        self.init(
            facts: WorkflowFacts(
                name: table.workflow,
                version: table.version,
                migrations: migrations,
                initial: named.number(named: table.initial),
                listed: numbers(table.listed),
                declaredFinals: table.declaredFinals,
                context: ObjectIdentifier(W.Context.self)
            ),
            states: states,
            superstates: table.states.map { table.superstates[$0].flatMap(named.number(named:)) },
            groups: groups,
            events: table.events.map { event in
                DeclaredEvent(
                    property: nil,
                    slot: EventSlot(EventDeclaration(event)),
                    valueType: W.Event<W.AnyState, W.AnyState>.self
                )
            },
            routes: table.events.map { event in
                EventRoutes(rules(event), ignored: numbers(event.ignored), ignoredGroups: [], in: states, groups)
            },
            actions: []
        )
    }
}

extension EventDeclaration {
    fileprivate init(_ event: TransitionTable.Event) {
        self.init(event.name, from: .states([]), to: [])
        guard let seconds = event.dueAfter, event.hasValidDeadline else { return }
        let after = Duration.seconds(seconds)
        add(Trigger(sources: .any, kind: .due({ $1 + after }, isSinceEntry: true, after: after)))
    }
}

extension Definition {
    /// Makes the immortal definition of a valid table.
    /// - Parameters:
    ///   - parts: The parts of the table.
    ///   - table: The table.
    ///   - workflow: The type of the workflow.
    ///   - named: The states of the table.
    ///   - sample: Any object of the states' class.
    package init<W: ContextDefined>(
        _ parts: DefinitionParts,
        _ table: TransitionTable,
        of workflow: W.Type,
        _ named: some NamedStates,
        sample: W.AnyState
    ) {
        let layout = Immortal(ExistentialLayout(of: sample, madeOf: sample as AnyObject))
        self.init(
            parts,
            ObjectHandling(
                eventValues: W.definition.content.value.objects.eventValues,
                access: ObjectAccess(tryingWith: sample),
                findLayout: { $0 is W.AnyState ? layout.value : nil },
                makeTable: { _, _ in table },
                namedStates: named
            )
        )
        // The check of groups, with the first object of a state, asks for classes, which these states share.
        for state in states { state.layout.publish(layout) }
    }

    /// The error of an attempt other than a fire, such as adding a closure.
    package func rejection(
        _ reason: InvalidTransition.Reason,
        event: String? = nil,
        state: String? = nil,
        because underlyingError: (any Error)? = nil,
        attempt: String
    ) -> InvalidTransition {
        let details = InvalidTransition.Details(
            event: event,
            source: state,
            underlyingError: underlyingError,
            attempt: attempt
        )
        return InvalidTransition(reason, in: self, event: nil, from: nil, details)
    }
}
