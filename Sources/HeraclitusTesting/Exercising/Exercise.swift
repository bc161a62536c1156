public import Heraclitus

/// Drives machines through a workflow, restarts them between steps, and throws a short path to a failure.
///
/// ```swift
/// @Test func order() throws {
///     let report = try exercise(
///         Order.self,
///         samples: samples,
///         invariants: ["a paid order has a purchase": { !$0.isIn(PaidState.self) || $0.state.purchase != nil }]
///     )
///     #expect(report.untried.isEmpty, "\(report)")
/// }
/// ```
///
/// It looks for:
///
/// - states that an archive changes, and machines that cannot be archived,
/// - hooks that fire an event missing from `firedByHooks`,
/// - invariants that are false,
/// - transitions that the table allows and the machine rejects.
///
/// A guard that declines is no failure. The exercise retries the declined transition after other transitions, which
/// change the data that the guard reads. The report lists transitions that were still never carried out. A transition
/// without a sample for its destination is a failure, unless the destination has subclasses and may be abstract.
///
/// Machines in a state (its `Composite` regions) go through their own transitions, too. Samples for their states belong
/// in the same list.
///
/// All machines are fired on the calling thread with a clock that stands still. Later deadlines and the work of states
/// therefore do not run.
/// - Parameters:
///   - workflow: The workflow.
///   - context: The runtime dependencies of the states; `nil` for a workflow without a context.
///   - samples: Samples that make states; an `EmptyState` needs none.
///   - coverage: The paths to drive machines along.
///   - isRestarting: Whether each machine is archived, restored and activated before its first and after every
///     transition.
///   - hookEvents: The names of the events that hooks may fire. Events that fire by themselves are always allowed.
///   - except: Names of properties that may be lost in an archive.
///   - invariants: Facts about a machine, each with its name. They are checked before the first fire, and after every
///     fire with all events that its hooks fired. A state that a hook leaves at once is skipped.
/// - Returns: The counts of steps and restarts, and the untried transitions.
/// - Throws: ``ExerciseFailure``.
@discardableResult
public func exercise<W: Workflow>(
    _ workflow: W.Type,
    context: W.Context? = nil,
    samples: [Sample<W>] = [],
    covering coverage: PathCoverage = .transitionPairs,
    restartingAtEveryStep isRestarting: Bool = true,
    firedByHooks hookEvents: Set<String> = [],
    except: Set<String> = [],
    invariants: KeyValuePairs<String, (StateMachine<W>) throws -> Bool> = [:]
) throws(ExerciseFailure) -> ExerciseReport {
    let context = try Exercise<W>.context(context)
    let exercise = Exercise(
        table: W.given(context)?.table ?? W.table,
        context: context,
        samples: samples,
        isRestarting: isRestarting,
        hookEvents: hookEvents,
        except: except,
        invariants: invariants
    )
    return try exercise.report(covering: coverage)
}

/// The settings of one exercise: the workflow, the samples and the checks.
struct Exercise<W: Workflow> {
    let table: TransitionTable
    let context: W.Context
    let samples: [Sample<W>]
    let isRestarting: Bool
    let hookEvents: Set<String>
    let except: Set<String>
    let invariants: KeyValuePairs<String, (StateMachine<W>) throws -> Bool>

    /// Gets the effects of each state that is about to be entered.
    var collectEffects: (@Sendable (DeclaredEffects) -> Void)?

    /// The definition of the machines; that of a `DataWorkflow` belongs to the context.
    var definition: Definition { W.definition(given: W.given(context)) }

    /// The context of the machines; the empty one of a workflow without a context.
    static func context(_ context: W.Context?) throws(ExerciseFailure) -> W.Context {
        guard let context = context ?? (() as? W.Context) else {
            throw ExerciseFailure(workflow: W.name, problem: .missingContext, path: nil, code: "")
        }
        return context
    }

    func report(covering coverage: PathCoverage) throws(ExerciseFailure) -> ExerciseReport {
        let paths = table.paths(covering: coverage)
        let missing = missingSamples(for: paths)
        guard missing.isEmpty else {
            throw failure(missing: missing, code: missing.map { "// .state(\(className(of: $0))(…))," })
        }
        let tour = ExerciseTour(self)
        for path in paths { try tour.go(along: path) }
        for goal in goals(of: paths, coverage) { try tour.pursue(goal.transitions, from: goal.start) }
        try tour.exerciseRegions()
        // The tour has to end first: a sample gets the left state, so only firing shows whether the sample fits.
        let neverMade = tour.neverMade.intersection(paths.flatMap(\.transitions))
        let unmade = table.transitions().filter { neverMade.contains($0) && !table.superclasses.contains($0.to) }
        guard unmade.isEmpty else {
            let states = Set(unmade.map(\.to))
            throw failure(
                missing: table.states.filter(states.contains),
                code: unmade.map {
                    "// .state { (left: \(className(of: $0.from))) in \(className(of: $0.to))(…) },  // \($0.event)"
                }
            )
        }
        return tour.report
    }

    /// Starts a machine, and drives it.
    /// - Returns: The number of its restarts.
    /// - Throws: The problem that the machine meets, with a short path to it.
    func drive(
        from start: String,
        _ body: (ExercisedMachine<W>) throws(ExerciseFailure.Problem) -> Void
    ) throws(ExerciseFailure) -> Int {
        var machine: ExercisedMachine<W>?
        do throws(ExerciseFailure.Problem) {
            let begun = try ExercisedMachine(self, in: start)
            machine = begun
            try body(begun)
            return begun.trace.count { $0 == .restart }
        } catch {
            throw Shrinking(self, start: start, machine?.trace ?? [], error).failure
        }
    }

    private func failure(missing states: [String], code: [String]) -> ExerciseFailure {
        let (problem, code) = (ExerciseFailure.Problem.missingSamples(states: states), code.joined(separator: "\n"))
        return ExerciseFailure(workflow: table.workflow, problem: problem, path: nil, code: code)
    }

    /// Transitions to carry out directly one after the other, with a start state from which a machine can reach them.
    private typealias Goal = (start: String, transitions: [ExercisedTransition])

    /// The transitions of the paths, and the pairs if `coverage` asks for pairs, each with the start of its path.
    private func goals(of paths: [TransitionPath], _ coverage: PathCoverage) -> [Goal] {
        if case .randomWalks = coverage { return [] }
        var seen: Set<[ExercisedTransition]> = []
        let singles: [Goal] = paths.flatMap { path in path.transitions.map { (start: path.start, transitions: [$0]) } }
        let pairs: [Goal] = paths.flatMap { path in
            zip(path.transitions, path.transitions.dropFirst()).map { (start: path.start, transitions: [$0, $1]) }
        }
        let all = coverage == .transitionPairs ? singles + pairs : singles
        return all.filter { seen.insert($0.transitions).inserted }
    }

    /// The states on the paths that every sample fails to make.
    ///
    /// Superclasses are left out, because they may be abstract.
    private func missingSamples(for paths: [TransitionPath]) -> [String] {
        let superclasses = table.superclasses
        var missing: Set<String> = []
        for path in paths {
            if machine(in: path.start, scheduler: .system) == nil { missing.insert(path.start) }
            for step in path.steps where !missing.contains(step.to) && !superclasses.contains(step.to) {
                if samples(for: step.to, event: step.event).isEmpty { missing.insert(step.to) }
            }
        }
        return table.states.filter(missing.contains)
    }
}

// MARK: - Beginning

extension Exercise {
    /// A machine that begins in a state by itself, or with a sample that needs no source; `nil` without such a sample.
    func machine(in state: String, scheduler: Scheduler) -> StateMachine<W>? {
        if state == table.initial, let machine = StateMachine<W>.initial(W.given(context), scheduler: scheduler) {
            return machine
        }
        return beginning(in: state).map { beginning in
            StateMachine<W>(entering: beginning.state, context: context, scheduler: scheduler)
        }
    }

    /// Whether a machine begins in a state without a sample, because the state is the workflow's initial one.
    func beginsByItself(in state: String) -> Bool { state == table.initial && W.Initial.self == W.AnyState.self }

    /// A start state and the first sample that makes it without a source; the sample is `nil` for an empty state.
    func beginning(in name: String) -> (state: W.AnyState, sample: Int?)? {
        for sample in samples(for: name, event: "") {
            guard let sample else { return W.emptyState(named: name).map { (state: $0, sample: nil) } }
            // The sample may make another state, or need a source.
            if let state = try? samples[sample].make(()),
                definition.stateIndex(of: state) == definition.stateIndex(named: name), let state = state as? W.AnyState
            {
                return (state, sample)
            }
        }
        return nil
    }

    /// The numbers of the samples that may make the state for an event to enter, with the event's own samples first.
    ///
    /// `nil` stands for an empty state's object, or for the result of the event's builder; it comes last, because the
    /// samples may be for other sources.
    func samples(for state: String, event: String) -> [Int?] {
        let fitting = samples.indices.filter { samples[$0].mayMake(state, for: event) }
        let ordered: [Int?] = fitting.filter { samples[$0].event != nil } + fitting.filter { samples[$0].event == nil }
        // Each sample may make each state of a table, which may also make its states itself.
        let isMade = W.self is any ContextDefined.Type || W.emptyState(named: state) != nil || W.hasBuilder(event)
        return isMade ? ordered + [nil] : ordered
    }
}
