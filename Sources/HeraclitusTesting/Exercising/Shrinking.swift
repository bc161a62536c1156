import Heraclitus

/// Shortens the path to a problem.
///
/// A shorter path counts if the same problem shows at its end. Shrinking tries to drop all restarts, to take the
/// shortest way to a later place, and to cut a loop. A restart that changes no state is a loop, too.
struct Shrinking<W: Workflow> {
    private let exercise: Exercise<W>
    private let start: String
    private var attempts = 0

    /// The path so far, with the state before each action.
    private var trace: [ExerciseAction]
    private var states: [String] = []
    private var problem: ExerciseFailure.Problem

    /// The largest number of machines that shrinking makes.
    private static var limit: Int { 3_000 }

    init(_ exercise: Exercise<W>, start: String, _ trace: [ExerciseAction], _ problem: ExerciseFailure.Problem) {
        (self.exercise, self.start, self.trace, self.problem) = (exercise, start, trace, problem)
        guard accept(trace) else { return }
        accept(trace.dropLast().filter { $0 != .restart } + trace.suffix(1))
        takeShortestWay()
        while cutLoop() {}
    }

    /// The failure at the end of the shortened path.
    var failure: ExerciseFailure {
        let transitions = trace.compactMap { action -> ExercisedTransition? in
            if case .fire(let transition, _) = action, transition.path.isEmpty { transition } else { nil }
        }
        let path = TransitionPath(start: start, transitions)
        let code = exercise.code(for: trace, along: path, of: problem)
        return ExerciseFailure(workflow: exercise.table.workflow, problem: problem, path: path, code: code)
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
        for index in trace.indices.reversed() {
            guard let path = exercise.table.shortestPath(from: start, to: states[index]), path.steps.count < index
            else { continue }
            let way = path.transitions.map { ExerciseAction.fire($0, sample: sampleUsed(for: $0)) }
            if accept(way + trace[index...]) { return }
        }
    }

    /// The sample that carried out the transition on the path; otherwise the first fitting sample.
    private func sampleUsed(for transition: ExercisedTransition) -> Int? {
        for case .fire(transition, let sample) in trace { return sample }
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
