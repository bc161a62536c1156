import Heraclitus
import HeraclitusInspecting

/// Shortens the path to a problem.
///
/// A shorter path counts if the same problem shows at its end. Shrinking tries to drop all restarts, to take the
/// shortest way to a later place, and to cut a loop. A restart that changes no state is a loop, too.
struct Shrinking<W: Workflow> {
    private let exercise: Exercise<W>
    private let start: String
    private let graph: TableGraph
    private var attempts = 0

    /// The path so far, with the state before each action.
    private var trace: [ExerciseAction]
    private var states: [String] = []
    private var problem: ExerciseFailure.Problem

    /// The largest number of machines that shrinking makes.
    private static var limit: Int { 3_000 }

    init(_ exercise: Exercise<W>, start: String, _ trace: [ExerciseAction], _ problem: ExerciseFailure.Problem) {
        self.exercise = exercise
        self.start = start
        self.trace = trace
        self.problem = problem
        graph = TableGraph(exercise.table)
        guard accept(trace) else { return }
        accept(trace.dropLast().filter { $0 != .restart } + trace.suffix(1))
        takeShortestWay()
        while cutLoop() {}
    }

    /// The failure at the end of the shortened path.
    var failure: ExerciseFailure {
        let steps = trace.compactMap { action -> TransitionPath.Step? in
            guard case .fire(let transition, _, []) = action else { return nil }
            let isUpdate = exercise.table[transition.event]?.transitions
                .contains { $0.isUpdate && $0.from == transition.from && $0.to == transition.to }
            return TransitionPath.Step(event: transition.event, to: transition.to, isUpdate: isUpdate ?? false)
        }
        return ExerciseFailure(
            workflow: exercise.table.workflow,
            problem: problem,
            path: TransitionPath(start: start, steps: steps),
            code: exercise.code(for: trace, from: start, showing: problem)
        )
    }

    /// Repeats the actions, and keeps them if the same problem shows.
    @discardableResult
    private mutating func accept(_ actions: [ExerciseAction]) -> Bool {
        attempts += 1
        guard attempts <= Self.limit else { return false }
        var machine: ExercisedMachine<W>?
        do {
            let begun = try ExercisedMachine(exercise, in: start)
            machine = begun
            for action in actions {
                guard case .carriedOut = try begun.carryOut(action) else { return false }
            }
            return false
        } catch {
            guard error.identity == problem.identity else { return false }
            (problem, trace, states) = (error, machine?.trace ?? [], machine?.states ?? [])
            return true
        }
    }

    /// Replaces the beginning by the shortest way to the latest possible place.
    private mutating func takeShortestWay() {
        guard let first = graph.number(of: start) else { return }
        for index in trace.indices.reversed() {
            guard let place = graph.number(of: states[index]),
                let edges = graph.shortestWay(from: first, to: place, where: { _ in true }), edges.count < index
            else { continue }
            let way = edges.map { number in
                let transition = exercise.table.transition(graph.edges[number])
                return ExerciseAction.fire(transition, sample: sampleUsed(for: transition))
            }
            if accept(way + trace[index...]) { return }
        }
    }

    /// The sample that carried out the transition on the path; otherwise the first fitting sample.
    private func sampleUsed(for transition: ExercisedTransition) -> Int? {
        for case .fire(transition, let sample, []) in trace { return sample }
        return exercise.samples(for: transition.to, event: transition.event).first ?? nil
    }

    private mutating func cutLoop() -> Bool {
        for length in (1...max(trace.count, 1)).reversed() {
            for begin in trace.indices where begin + length < trace.count && states[begin] == states[begin + length] {
                if accept(Array(trace[..<begin] + trace[(begin + length)...])) { return true }
            }
        }
        return false
    }
}
