public import Heraclitus
import HeraclitusEssentials
import HeraclitusJSON

/// A workflow from data: a table names its states and events, and its machines are made at run time.
///
/// Use it if the steps come from a file, a database or a customer. For a workflow that is known at compile time, use a
/// `Workflow`, whose names and types the compiler checks.
///
/// ```swift
/// let approval = try DataWorkflow(table)                        // throws every mistake of the table at once
/// let machine = try StateMachine(approval, entering: DataState("Draft", ["amount": 1200]))
/// try machine.fire[named: "submit"](DataState("Review", ["amount": 1200]))
/// machine.state["amount"]
/// let later = try StateMachine(archive: machine.archive(), of: approval)
/// ```
///
/// All its machines are `StateMachine<DataWorkflow>`, with the order, threads, archives, observers and deadlines of
/// every machine. A table is exact: it allows only the listed pairs of states. An event without an object keeps the
/// data for the next state's keys, and so does an automatic event, which has one destination from each source.
///
/// The workflow is the context of its machines. Generic code passes it to each machine that it makes or
/// restores: `store.workflow(DataWorkflow.self, context: approval)`. Making a machine without it stops the program.
///
/// Making a workflow compiles its table. Compiled tables stay in memory as long as the program runs; tables that
/// differ at most in unknown members share one.
public struct DataWorkflow: Workflow {
    /// The table of the workflow, whose events show the workflow's guards and hooks.
    public internal(set) var table: TransitionTable

    /// The closures of each machine.
    var closures: [MachineClosure] = []

    /// The problems of events whose guards or hooks are in the table alone.
    var missingClosures: [WorkflowProblem] = []

    /// The types of the effects of entering states.
    var effectTypes: [any Effect.Type] = []

    /// The definition; `nil` for an empty workflow, with which the type itself is compiled.
    private let compiled: Definition?

    /// Makes a workflow from a table.
    ///
    /// To check a table only, read its `problems`, which keep nothing in memory.
    /// - Parameter table: The table.
    /// - Throws: ``InvalidWorkflow`` with all problems of the table.
    public init(_ table: TransitionTable) throws(InvalidWorkflow) {
        compiled = try Self.definition(of: table.withoutUnknownMembers)
        self.table = table
        missingClosures = table.events.flatMap(\.closuresInTable)
    }

    /// Makes an empty workflow: without events, and with one state of an empty name.
    public init() {
        table = TransitionTable("DataWorkflow", states: [""], initial: "", events: [])
        compiled = nil
    }

    var definition: Definition { compiled ?? Self.emptyDefinition }
}

extension DataWorkflow {
    private static let emptyDefinition = TableCompiler(DataWorkflow().table).definition

    /// All definitions of tables so far.
    ///
    /// They are never freed, so equal tables share one.
    private static let known = Lock<[TransitionTable: Definition]>([:])

    private static func definition(of table: TransitionTable) throws(InvalidWorkflow) -> Definition {
        if let known = known.withLock({ $0[table] }) { return known }
        // Outside the lock, because it takes time proportional to the table.
        let compiler = TableCompiler(table)
        let problems = compiler.problems.filter(\.stopsTheProgram)
        guard problems.isEmpty else { throw InvalidWorkflow(workflow: table.workflow, problems: problems) }
        let made = compiler.definition
        return known.withLock { known in
            let definition = known[table] ?? made
            known[table] = definition
            return definition
        }
    }
}

extension DataWorkflow {
    /// The context of a machine is its workflow.
    public typealias Context = DataWorkflow

    /// The class of all states.
    public typealias AnyState = DataState

    /// The class of all states.
    ///
    /// A table names the initial state, which may need data.
    public static var initial: DataState.Type { DataState.self }

    /// The class of all states.
    public static var states: [any WorkflowState.Type] { [DataState.self] }
}

extension DataWorkflow: ContextDefined {
    package static var contextKey: CodingUserInfoKey { .dataWorkflow }

    package static func given(_ workflow: DataWorkflow) -> GivenContext {
        GivenContext(
            workflow,
            definition: workflow.definition,
            makeTable: { workflow.table.withoutUnknownMembers },
            closures: workflow.closures,
            effectTypes: workflow.effectTypes
        )
    }
}

/// The error of a table that cannot become a workflow.
public struct InvalidWorkflow: Error, Hashable, Sendable {
    /// The name of the workflow.
    public let workflow: String

    /// All problems of the table.
    public let problems: [WorkflowProblem]
}

extension InvalidWorkflow: DescribedError {
    /// The first twenty problems and their number.
    public var description: String {
        let shown = problems.prefix(20).map { "\n  - \($0.description.shortenedExplanation)" }.joined()
        let rest = problems.count > 20 ? "\n  and \(problems.count - 20) more." : ""
        return "The table of the workflow \"\(workflow.shortened)\" is wrong:\(shown)\(rest)"
    }
}
