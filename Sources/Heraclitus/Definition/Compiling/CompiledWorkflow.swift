/// A definition together with the type that it is the definition of: the events, typed.
@frozen @usableFromInline
struct CompiledWorkflow<W: Workflow>: Sendable {
    @usableFromInline let definition: Definition

    @inlinable
    init(_ definition: Definition) { self.definition = definition }

    /// The workflow's own value, with its bound events.
    @inlinable var events: Immortal<W> { definition.content.value.eventValues.typed(as: W.self) }

    /// The number of an event; `nil` for a property that is computed from one and so belongs to no workflow.
    // Inlined to where the key path is written, which is an offset to the compiler there.
    @inlinable @inline(__always)
    func index<S, D>(of event: KeyPath<W, W.Event<S, D>>) -> Int? { events.value[keyPath: event].slot.index }

    /// The workflow, compiled when it is first used.
    @usableFromInline static var shared: CompiledWorkflow {
        CompiledWorkflow(definitions[W.self].map(Definition.init(content:)) ?? compile())
    }

    /// The definition of machines with a context, which may be their definition.
    @usableFromInline
    static func definition(given context: GivenContext?) -> Definition {
        context?.definition ?? shared.definition
    }

    /// The context that a decoder has for machines whose definition is their context.
    static func given(by decoder: any Decoder) -> GivenContext? {
        shared.definition.content.value.contextMaking.flatMap { make in
            decoder.userInfo[.dataWorkflow].flatMap { ($0 as? DataWorkflow).flatMap { make($0) } }
        }
    }

    static func diagnose() -> [WorkflowProblem] {
        let compiler = DefinitionCompiler(W.self, events: W(), initial: W.initialObject)
        let problems = compiler.problems + compiler.strangers { $0 is W.AnyState }
        return problems + compiler.wrongHolders + compiler.migrationsToUnknownStates + compiler.endlessDeadlines
            + compiler.completionsWithoutEnd + compiler.regionsWithoutContext + compiler.emptyStatesWithData
    }

    /// Whether there is a state that nothing leaves; it never stops the program.
    static var canEnd: Bool { DefinitionCompiler(W.self, events: W(), initial: W.initialObject).canEnd }

    private static func compile() -> Definition {
        // Under no lock: reading a definition calls its author's code, which may itself use another workflow. Of two
        // threads that get here at once, the first to finish wins.
        let compilation = Compilation()
        return Definition(content: definitions.add(for: W.self) { compilation.definition(.compared).content })
    }

    /// A definition of its own, beside the one that all machines share: tests compare what both do.
    static func compiledApart(_ layouts: LayoutTrust) -> Definition { Compilation().definition(layouts) }

    /// A definition that was read and found right.
    private struct Compilation {
        let events = W()
        let initial = W.initialObject
        let compiler: DefinitionCompiler

        private static func contextMaking<Own: ContextDefined>(_ workflow: Own.Type) -> ContextMaking {
            { ($0 as? Own.Context).map { Own.given($0) } }
        }

        init() {
            compiler = DefinitionCompiler(W.self, events: events, initial: initial)
            let problems = compiler.problems
            guard problems.isEmpty else {
                let list = problems.map { "\n  - \($0)" }.joined()
                fatalError("The definition of the workflow \(fullName(of: W.self)) is wrong:\(list)")
            }
        }

        func definition(_ layouts: LayoutTrust) -> Definition {
            compiler.definition(
                eventValues: ErasedImmortal(Immortal(events)),
                objectAccess: layouts == .compared ? initial.map(ObjectAccess.init(tryingWith:)) ?? .byCast : .byCast,
                findLayout: { object in
                    (object as? W.AnyState).map {
                        layouts == .compared ? ExistentialLayout(of: $0, madeOf: object) : .unknown
                    }
                },
                makeTable: { W.table(within: $0, knowing: $1) },
                contextMaking: (W.self as? any ContextDefined.Type).map { Self.contextMaking($0) }
            )
        }
    }
}

/// A workflow whose machines have the definition that is their context.
protocol ContextDefined: Workflow {
    /// What a machine keeps of the context.
    static func given(_ context: Context) -> GivenContext
}

/// Whether layouts of existentials that the language does not promise may be relied on.
enum LayoutTrust {
    /// Where they give what a cast gives.
    case compared

    /// Never, so that everything casts: what a platform with other layouts would do.
    case never
}

/// The definitions of the workflows that have been used.
private let definitions = PublishedTable<Definition.Content>()
