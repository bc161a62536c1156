// The definition of a workflow, compiled at its first use.

extension Workflow {
    /// The workflow's events, bound to their names.
    ///
    /// The first use of a workflow reads its definition, and stops the program for an invalid one.
    public static var events: Self { definition.content.value.objects.eventValues.typed(as: Self.self).value }

    /// The workflow as plain data.
    public static var table: TransitionTable { table(within: []) }

    /// The workflow as plain data; without regions if it is within itself.
    /// - Parameters:
    ///   - path: The workflows around it.
    ///   - object: A state object, which shows its machines.
    /// - Returns: The table.
    static func table(within path: [ObjectIdentifier], knowing object: AnyObject? = nil) -> TransitionTable {
        let isInitialKnown = definition.initial.map { !definition.states[$0].hooks.isComposite } ?? true
        let objects = [object, isInitialKnown ? nil : initialObject as? any WorkflowState].compactMap { $0 }
        let own = ObjectIdentifier(Self.self)
        return definition.table(knowing: objects, within: path.contains(own) ? nil : path + [own])
    }

    /// All problems of this definition; empty for a valid one.
    ///
    /// Unlike any other use of a workflow, this never stops the program. It checks more than the first use: it makes an
    /// object of each ``EmptyState``, and finds problems that do not stop the program. `findings` lists warnings about
    /// a valid definition.
    public static var diagnostics: [WorkflowProblem] {
        let compiler = DefinitionCompiler<Self>()
        let problems =
            compiler.problems + compiler.groupProblems(of: compiler.emptyStates) + compiler.strangers
        let minor = compiler.parts.minorProblems + compiler.completionsWithoutEnd + compiler.regionsWithoutContext
        return (problems + compiler.initialHolder + compiler.emptyStateProblems + minor).once
    }

    /// The names of the states whose work may fail without a following event.
    package static var statesWithUnheardFailures: [String] {
        definition.states.filter { $0.hooks.working != nil && $0.followUp(.failure) == nil }.map(\.name)
    }

    /// The names of the states whose work may return without a following event, because no event leads on.
    package static var statesWithUnheardEnds: [String] {
        definition.states.filter { state in
            guard state.hooks.working != nil else { return false }
            let (failure, end) = (state.followUp(.failure)?.event, state.followUp(.done)?.event)
            // One event may follow both from a failure and from an end.
            let onlyAfterFailure = failure == end ? nil : failure
            return !definition.events.contains { $0.index != onlyAfterFailure && $0.reach.row(of: state.index).leaves }
        }
        .map(\.name)
    }

    /// An object of the state of a name; `nil` unless the state is an ``EmptyState``.
    package static func emptyState(named name: String) -> AnyState? {
        definition.stateIndex(named: name).flatMap { definition.states[$0].make() as? AnyState }
    }

    /// The class of the state of a name; `nil` for an unknown name.
    package static func stateClass(named name: String) -> (any WorkflowState.Type)? {
        definition.stateIndex(named: name).map { definition.states[$0].type }
    }

    /// The property of the event of a name; `nil` for an unknown name, and in a table.
    package static func property(ofEvent name: String) -> String? {
        definition.eventIndex(named: name).flatMap { definition.events[$0].property }
    }

    /// Whether an event has a builder in the definition.
    package static func hasBuilder(_ event: String) -> Bool {
        definition.eventIndex(named: event).map { !definition.events[$0].declaration.builders.isEmpty } ?? false
    }

    /// The current name of a stored state's name: the same name, except for default names of earlier versions.
    package static func nameToday(ofState name: String) -> String {
        definition.stateIndex(named: name).map { definition.states[$0].name } ?? name
    }

    /// The definition, compiled at its first use.
    static var definition: Definition { definitions[Self.self].map(Definition.init(content:)) ?? compile() }

    /// The definition of machines with a context, which may contain the definition.
    @usableFromInline
    package static func definition(given context: GivenContext?) -> Definition { context?.definition ?? definition }

    /// The context of a machine; `nil` in a workflow without one, and for a machine that gets it later.
    ///
    /// If the context of a machine is its definition, a missing context stops the program.
    @inlinable
    package static func given(_ context: Context?) -> GivenContext? {
        // Machines without a context, as in most workflows, are made with a single look-up of the definition.
        Context.self == Void.self ? nil : givenOfAnyType(context)
    }

    @usableFromInline
    static func givenOfAnyType(_ context: Context?) -> GivenContext? {
        let contextDefined = definition.contextDefined
        if let context { return contextDefined?.given(any: context) ?? GivenContext(context) }
        if contextDefined == nil { return nil }
        let name = writtenName(of: Self.self)
        fatalError(
            "A machine of \(name) needs its context at once, because the context is its definition: "
                + "write `StateMachine<\(name)>(entering: state, context: context)`, "
                + "`StateMachine<\(name)>(archive: archive, context: context)` "
                + "or `store.workflow(\(name).self, context: context)`."
        )
    }

    /// Reads the definition, and stops the program for an invalid one.
    private static func compile() -> Definition {
        // Outside locks, because reading a definition calls its author's code, which may use another workflow.
        let (events, initial) = (Self(), initialObject)
        let compiler = DefinitionCompiler<Self>(events: events, initial: initial)
        let problems = compiler.problems.once
        guard problems.isEmpty else {
            let list = problems.map { "\n  - \($0)" }.joined()
            fatalError("The definition of the workflow \(fullName(of: Self.self)) is wrong:\(list)")
        }
        // If two threads read it at once, the first one makes the immortal definition.
        let content = definitions.add(for: Self.self) {
            let objects = ObjectHandling(
                eventValues: ErasedImmortal(Immortal(events)),
                access: initial.map(ObjectAccess.init(tryingWith:)) ?? .byCast,
                findLayout: { object in (object as? AnyState).map { ExistentialLayout(of: $0, madeOf: object) } },
                makeTable: { table(within: $0, knowing: $1) },
                contextDefined: self as? any ContextDefined.Type
            )
            return compiler.definition(objects).content
        }
        return Definition(content: content)
    }

    /// The object of the initial state; `nil` if each machine begins with its own object.
    static var initialObject: AnyState? { initial as? AnyState }

    /// The class of the initial objects; `nil` if there is one initial object.
    static var initialClass: (any WorkflowState.Type)? {
        Initial.self == AnyState.self ? nil : initial as? any WorkflowState.Type
    }
}

/// The definitions of all used workflows.
private let definitions = PublishedTable<Definition.Content>()
