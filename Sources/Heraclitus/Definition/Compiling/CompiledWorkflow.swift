/// A definition with its workflow type, which gives typed access to the events.
@frozen @usableFromInline
struct CompiledWorkflow<W: Workflow>: Sendable {
    @usableFromInline let definition: Definition

    @inlinable
    init(_ definition: Definition) { self.definition = definition }

    /// The workflow's own value with its bound events.
    @inlinable var events: Immortal<W> { definition.content.value.objects.eventValues.typed(as: W.self) }

    /// The number of an event; `nil` for a computed property, which belongs to no workflow.
    // Inlined where the key path is written, which the compiler turns into an offset.
    @inlinable @inline(__always)
    func index<S, D>(of event: KeyPath<W, W.Event<S, D>>) -> Int? { events.value[keyPath: event].slot.index }

    /// The workflow, compiled at its first use.
    @usableFromInline static var shared: CompiledWorkflow {
        CompiledWorkflow(definitions[W.self].map(Definition.init(content:)) ?? compile())
    }

    /// The definition of machines with a context, which may contain the definition.
    @usableFromInline
    static func definition(given context: GivenContext?) -> Definition {
        context?.definition ?? shared.definition
    }

    /// The context of a machine; `nil` in a workflow without one.
    @usableFromInline
    static func given(_ context: W.Context) -> GivenContext? {
        let definition = shared.definition
        guard definition.needsContext else { return nil }
        return definition.contextDefined?.given(any: context) ?? GivenContext(context)
    }

    /// The context that a decoder has, for machines whose context is their definition.
    static func given(by decoder: any Decoder) -> GivenContext? {
        shared.definition.contextDefined?.given(by: decoder)
    }

    static func diagnose() -> [WorkflowProblem] {
        let compiler = DefinitionCompiler(W.self, events: W(), initial: W.initialObject)
        let problems = compiler.problems + compiler.strangers { $0 is W.AnyState }
        let minor = compiler.parts.minorProblems + compiler.completionsWithoutEnd + compiler.regionsWithoutContext
        return (problems + compiler.initialHolder + compiler.emptyStateProblems + minor).once
    }

    private static func compile() -> Definition {
        // Outside locks, because reading a definition calls its author's code, which may use another workflow.
        let make = validated(comparingLayouts: true)
        // If two threads read it at once, the first one makes the immortal definition.
        return Definition(content: definitions.add(for: W.self) { make().content })
    }

    /// A separate definition, with which tests compare the shared one.
    /// - Parameter comparingLayouts: Whether to rely on undocumented layouts of existentials that agree with a cast;
    ///   otherwise objects are always cast, as on a platform with other layouts.
    /// - Returns: The definition.
    static func compiledApart(comparingLayouts: Bool) -> Definition { validated(comparingLayouts: comparingLayouts)() }

    /// Reads the definition, and stops the program for an invalid one.
    /// - Parameter comparingLayouts: Whether to rely on undocumented layouts of existentials.
    /// - Returns: A function that makes the definition.
    private static func validated(comparingLayouts: Bool) -> () -> Definition {
        let (events, initial) = (W(), W.initialObject)
        let compiler = DefinitionCompiler(W.self, events: events, initial: initial)
        let problems = compiler.problems.once
        guard problems.isEmpty else {
            let list = problems.map { "\n  - \($0)" }.joined()
            fatalError("The definition of the workflow \(fullName(of: W.self)) is wrong:\(list)")
        }
        return {
            compiler.definition(
                ObjectHandling(
                    eventValues: ErasedImmortal(Immortal(events)),
                    access: comparingLayouts ? initial.map(ObjectAccess.init(tryingWith:)) ?? .byCast : .byCast,
                    findLayout: { object in
                        (object as? W.AnyState).map {
                            comparingLayouts ? ExistentialLayout(of: $0, madeOf: object) : .unknown
                        }
                    },
                    makeTable: { W.table(within: $0, knowing: $1) },
                    contextDefined: W.self as? any ContextDefined.Type
                )
            )
        }
    }
}

/// The definitions of all used workflows.
private let definitions = PublishedTable<Definition.Content>()
