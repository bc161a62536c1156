public import Heraclitus

/// Drives machines through a workflow, restarts them between any two steps, and throws the shortest way to what goes wrong.
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
/// It looks for states that an archive changes, for machines that cannot be archived, for hooks that fire what they are not said to fire,
/// for invariants that do not hold, and for transitions that the table allows and the machine does not. What a guard declines is no
/// failure but a way that is not taken. What was missed for it is tried again, with other transitions before, which change the data that
/// the guard looks at. The report lists the transitions that were never carried out all the same. A transition that is never fired, because no
/// sample makes its state from the one that is left, is a failure: a sample is missing.
///
/// The machines in a state, as `Composite` says, go through their own transitions, too: with samples that make their states, in the same list.
///
/// Machines are fired on this thread alone: with a clock that stands still, so that no deadline comes, and without the work of their states.
/// - Parameters:
///   - workflow: The workflow.
///   - context: What states need and archives do not keep.
///   - samples: How states are made; an `EmptyState` needs none.
///   - coverage: Which ways are gone.
///   - isRestarting: Whether each machine is archived, restored and activated before its first and after every transition.
///   - hookEvents: The names of the events that hooks may fire. Those that fire under a condition, or when regions have ended, need not be named.
///   - except: Names of properties that need not survive an archive.
///   - invariants: What has to be true of a machine before its first fire, and after every fire with all that its hooks have fired. A
///     state that a hook leaves at once is not asked about.
/// - Returns: What was done.
/// - Throws: ``ExerciseFailure``.
@discardableResult
public func exercise<W: Workflow>(
    _ workflow: W.Type,
    context: W.Context,
    samples: [Sample<W>] = [],
    covering coverage: PathCoverage = .transitionPairs,
    restartingAtEveryStep isRestarting: Bool = true,
    firedByHooks hookEvents: Set<String> = [],
    except: Set<String> = [],
    invariants: KeyValuePairs<String, (StateMachine<W>) throws -> Bool> = [:]
) throws(ExerciseFailure) -> ExerciseReport {
    let exercise = Exercise(
        table: W.table,
        context: context,
        samples: samples,
        isRestarting: isRestarting,
        hookEvents: hookEvents,
        except: except,
        invariants: invariants
    )
    return try exercise.report(covering: coverage)
}

/// Drives machines of a workflow without a context, as
/// ``exercise(_:context:samples:covering:restartingAtEveryStep:firedByHooks:except:invariants:)`` does.
/// - Parameters:
///   - workflow: The workflow.
///   - samples: How states are made; an `EmptyState` needs none.
///   - coverage: Which ways are gone.
///   - isRestarting: Whether each machine is archived, restored and activated before its first and after every transition.
///   - hookEvents: The names of the events that hooks may fire. Those that fire under a condition, or when regions have ended, need not be named.
///   - except: Names of properties that need not survive an archive.
///   - invariants: What has to be true of a machine before its first fire, and after every fire with all that its hooks have fired. A
///     state that a hook leaves at once is not asked about.
/// - Returns: What was done.
/// - Throws: ``ExerciseFailure``.
@discardableResult
public func exercise<W: Workflow>(
    _ workflow: W.Type,
    samples: [Sample<W>] = [],
    covering coverage: PathCoverage = .transitionPairs,
    restartingAtEveryStep isRestarting: Bool = true,
    firedByHooks hookEvents: Set<String> = [],
    except: Set<String> = [],
    invariants: KeyValuePairs<String, (StateMachine<W>) throws -> Bool> = [:]
) throws(ExerciseFailure) -> ExerciseReport where W.Context == Void {
    try exercise(
        workflow,
        context: (),
        samples: samples,
        covering: coverage,
        restartingAtEveryStep: isRestarting,
        firedByHooks: hookEvents,
        except: except,
        invariants: invariants
    )
}

/// What is exercised, and how.
struct Exercise<W: Workflow> {
    let table: TransitionTable
    let context: W.Context
    let samples: [Sample<W>]
    let isRestarting: Bool
    let hookEvents: Set<String>
    let except: Set<String>
    let invariants: KeyValuePairs<String, (StateMachine<W>) throws -> Bool>

    func report(covering coverage: PathCoverage) throws(ExerciseFailure) -> ExerciseReport {
        let paths = table.paths(covering: coverage)
        let missing = missingSamples(for: paths)
        guard missing.isEmpty else {
            throw failure(missing: missing, code: missing.map { "// .state(\($0)(…))," })
        }
        let tour = ExerciseTour(self)
        for path in paths { try tour.go(along: path) }
        for goal in goals(of: paths, coverage) { try tour.pursue(goal) }
        try tour.exerciseRegions()
        // Only now: what a sample gets, and so whether it fits, is known when the state is left.
        let unmade = inOrder(tour.neverMade.intersection(paths.flatMap(\.transitions)))
        guard unmade.isEmpty else {
            let states = Set(unmade.map(\.to))
            throw failure(
                missing: table.states.filter(states.contains),
                code: unmade.map { "// .state { (left: \($0.from)) in \($0.to)(…) },  // \($0.event)" }
            )
        }
        return tour.report
    }

    private func failure(missing states: [String], code: [String]) -> ExerciseFailure {
        ExerciseFailure(
            workflow: table.workflow,
            problem: .missingSamples(states: states),
            path: nil,
            code: code.joined(separator: "\n")
        )
    }

    /// Transitions in the order of the definition.
    private func inOrder(_ transitions: Set<ExercisedTransition>) -> [ExercisedTransition] {
        table.events.flatMap { event in
            event.transitions.map { ExercisedTransition(event: event.name, from: $0.from, to: $0.to) }
        }.filter(transitions.contains)
    }

    /// What the paths go through: each transition, and each pair if pairs are asked for, with the state that the path begins in.
    private func goals(of paths: [TransitionPath], _ coverage: PathCoverage) -> [ExerciseGoal] {
        if case .randomWalks = coverage { return [] }
        var seen: Set<[ExercisedTransition]> = []
        let singles = paths.flatMap { path in
            path.transitions.map { ExerciseGoal(start: path.start, transitions: [$0]) }
        }
        var pairs: [ExerciseGoal] = []
        if coverage == .transitionPairs {
            pairs = paths.flatMap { path in
                zip(path.transitions, path.transitions.dropFirst()).map { first, second in
                    ExerciseGoal(start: path.start, transitions: [first, second])
                }
            }
        }
        return (singles + pairs).filter { seen.insert($0.transitions).inserted }
    }

    /// The states that have to be made and that no sample makes.
    private func missingSamples(for paths: [TransitionPath]) -> [String] {
        var missing: Set<String> = []
        for path in paths {
            if !beginsByItself(in: path.start), samples(for: path.start, event: "").isEmpty {
                missing.insert(path.start)
            }
            for step in path.steps where !missing.contains(step.to) {
                if samples(for: step.to, event: step.event).isEmpty { missing.insert(step.to) }
            }
        }
        return table.states.filter(missing.contains)
    }

    /// Whether a machine begins in a state without a sample: in that of the workflow's initial object.
    func beginsByItself(in state: String) -> Bool { state == table.initial && W.Initial.self == W.AnyState.self }

    /// The numbers of the samples that may make a state for an event to enter, those of the event first; `nil` for an empty
    /// state's object, or for what the event's builder makes.
    func samples(for state: String, event: String) -> [Int?] {
        let superstates = Array(sequence(first: state) { table.superstates[$0] }.dropFirst())
        let fitting = samples.indices.filter { samples[$0].mayMake(state, below: superstates, for: event) }
        let ordered: [Int?] = fitting.filter { samples[$0].event != nil } + fitting.filter { samples[$0].event == nil }
        let isMade = W.emptyState(named: state) != nil || W.hasBuilder(event)
        return ordered.isEmpty && isMade ? [nil] : ordered
    }
}

/// A transition of a table by its names.
struct ExercisedTransition: Hashable {
    let event: String
    let from: String
    let to: String
}

/// Transitions that are to be carried out one right after the other.
struct ExerciseGoal {
    /// The name of a state in which a machine may begin that can come there.
    let start: String
    let transitions: [ExercisedTransition]
}

extension TransitionPath {
    /// The steps with the states that they leave.
    fileprivate var transitions: [ExercisedTransition] {
        zip([start] + steps.map(\.to), steps).map { from, step in
            ExercisedTransition(event: step.event, from: from, to: step.to)
        }
    }
}

/// What is done with a machine that is exercised.
enum ExerciseAction: Hashable {
    /// It is fired, with the object of a sample, that of an empty state, or what the event's builder makes.
    case fire(ExercisedTransition, sample: Int?)

    /// A machine in its state is fired, in the same way.
    case fireRegion(path: [String], ExercisedTransition, sample: Int?)

    /// It is archived and restored.
    case restart
}
