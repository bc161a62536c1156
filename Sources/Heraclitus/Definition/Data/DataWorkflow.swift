public import HeraclitusEssentials

/// A workflow that is data: its states and events have names from a table, and its machines are made at run time.
///
/// Use it where the steps come from a file, a database or a customer. A workflow that a program knows when it is compiled is better a
/// ``Workflow`` of its own, whose names and types the compiler checks.
///
/// ```swift
/// let approval = try DataWorkflow(table)                        // throws every mistake of the table at once
/// let machine = try StateMachine(approval, entering: DataState("Draft", ["amount": 1200]))
/// try machine.fire(named: "submit", entering: DataState("Review", ["amount": 1200]))
/// machine.state["amount"]
/// let later = try StateMachine(archive: machine.archive(), of: approval)
/// ```
///
/// All its machines are `StateMachine<DataWorkflow>`, with the order, threads, archives, observers and deadlines of every machine. A table is
/// exact: only the listed pairs of states are allowed. An event that is fired without an object keeps the data, as far as the next state has its
/// keys, and so does an event that is due.
///
/// The workflow is the ``Workflow/Context`` of its machines, so generic code gives it to each machine that it makes or restores:
/// `store.workflow(DataWorkflow.self, context: approval)`.
///
/// The first machine compiles the table. Compiled tables stay in memory as long as the program runs, and equal tables share one.
public struct DataWorkflow: Workflow {
    /// The table that it was made from.
    public let table: TransitionTable

    /// The closures that each machine has from the beginning.
    var callbacks: [Callback] = []

    /// What entering states declares.
    var declaredEffects: [EffectMaking] = []
    private let compiled: LateDefinition

    /// Makes a workflow from a table.
    /// - Parameter table: The table.
    /// - Throws: ``InvalidWorkflow`` with everything that is wrong with the table.
    public init(_ table: TransitionTable) throws(InvalidWorkflow) {
        let problems = table.problems.filter(\.stopsTheProgram)
        guard problems.isEmpty else { throw InvalidWorkflow(workflow: table.workflow, problems: problems) }
        self.table = table
        compiled = LateDefinition(table)
    }

    /// Makes the workflow without events, whose only state has an empty name.
    public init() {
        table = TransitionTable("DataWorkflow", states: [""], initial: "", events: [])
        compiled = LateDefinition(table)
    }

    var definition: Definition { compiled.definition }
}

extension DataWorkflow {
    /// The context of a machine is its workflow.
    public typealias Context = DataWorkflow

    /// The class of all states.
    public typealias AnyState = DataState

    /// The class of all states: a table names the initial one, which may need data.
    public static var initial: DataState.Type { DataState.self }

    /// The class of all states.
    public static var states: [any WorkflowState.Type] { [DataState.self] }
}

extension DataWorkflow: ContextDefined {
    static func given(_ context: DataWorkflow) -> GivenContext {
        let definition = context.definition
        return GivenContext(
            context,
            definition: definition,
            initial: { definition.initial.flatMap { definition.states[$0].make() } },
            callbacks: context.callbacks,
            effects: context.declaredEffects
        )
    }
}

/// The error of a table from which no workflow can be made.
public struct InvalidWorkflow: Error, Hashable, Sendable {
    /// The name of the workflow.
    public let workflow: String

    /// Everything that is wrong with the table.
    public let problems: [WorkflowProblem]
}

extension InvalidWorkflow: CustomStringConvertible, LocalizedError {
    /// The first twenty problems, and how many there are.
    public var description: String {
        let shown = problems.prefix(20).map { "\n  - \($0.description.shortenedExplanation)" }.joined()
        let rest = problems.count > 20 ? "\n  and \(problems.count - 20) more." : ""
        return "The table of the workflow \"\(workflow.shortened)\" is wrong:\(shown)\(rest)"
    }

    /// The first twenty problems, and how many there are.
    public var errorDescription: String? { description }
}

/// The definition of a table, made when it is first needed.
private final class LateDefinition: Sendable {
    private let table: TransitionTable
    private let made = Lock<Definition?>(nil)

    init(_ table: TransitionTable) { self.table = table }

    var definition: Definition {
        if let made = made.withLock({ $0 }) { return made }
        let definition = Self.shared(for: table)
        made.withLock { $0 = definition }
        return definition
    }

    /// The definitions that were made: they are never freed, so equal tables have to share one.
    private static let known = Lock<[TransitionTable: Definition]>([:])

    private static func shared(for table: TransitionTable) -> Definition {
        if let known = known.withLock({ $0[table] }) { return known }
        // Outside the lock: it takes time in proportion to the table.
        let made = TableCompiler(table).definition
        return known.withLock { known in
            if let known = known[table] { return known }
            known[table] = made
            return made
        }
    }
}
