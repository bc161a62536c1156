import Heraclitus
import HeraclitusInspecting

/// Drives machines along all paths, one after the other, and collects the results.
final class ExerciseTour<W: Workflow> {
    let exercise: Exercise<W>
    let graph: TableGraph

    // The walks write their results into these properties.
    var counts = ExerciseReport()

    /// The transitions and the pairs that were carried out.
    var done: Set<[ExercisedTransition]> = []
    var declined: [ExercisedTransition: String] = [:]

    /// The first way to each state that holds machines, in the order of arrival.
    var waysToComposites: [ExerciseOfRegions<W>.Way] = []

    /// The transitions that lacked a fitting sample at least once.
    var unmade: Set<ExercisedTransition> = []

    init(_ exercise: Exercise<W>) {
        self.exercise = exercise
        graph = TableGraph(exercise.table)
    }

    var report: ExerciseReport {
        var report = counts
        report.untried = exercise.table.events.flatMap { event in
            event.transitions.compactMap { transition in
                let found = ExercisedTransition(event: event.name, from: transition.from, to: transition.to)
                guard !done.contains([found]) else { return nil }
                let reason =
                    declined[found]
                    ?? (unmade.contains(found)
                        ? "no sample makes \(transition.to) from \(transition.from)"
                        : "no machine fired it in \(transition.from)")
                return ExerciseReport.Untried(event: event.name, transition: transition, reason: reason)
            }
        }
        return report
    }

    /// The transitions that were never fired, because samples for their destination are missing.
    ///
    /// Declined transitions are excluded, because they were fired.
    var neverMade: Set<ExercisedTransition> {
        unmade.filter { !done.contains([$0]) && declined[$0] == nil }
    }

    /// Drives a machine along a path.
    ///
    /// After a guard declines or a hook fires, the machine looks for another way back to the path.
    func go(along path: TransitionPath) throws(ExerciseFailure) {
        try walk(from: path.start) { walk throws(ExerciseFailure.Problem) in
            var from = path.start
            for step in path.steps {
                if try walk.come(to: from) {
                    _ = try walk.take(ExercisedTransition(event: step.event, from: from, to: step.to))
                }
                from = step.to
            }
        }
    }

    /// Retries a missed goal up to five times, each time with one more detour before it.
    func pursue(_ goal: ExerciseGoal) throws(ExerciseFailure) {
        guard !done.contains(goal.transitions), let place = goal.transitions.first?.from else { return }
        try walk(from: goal.start) { walk throws(ExerciseFailure.Problem) in
            for detours in 0..<5 {
                for _ in 0..<detours { _ = try walk.wander(andReturnTo: place) }
                var isThere = try walk.come(to: place)
                for transition in goal.transitions where isThere { isThere = try walk.take(transition) }
                if isThere { return }
            }
        }
    }

    /// Drives the machines in each reached state through their own transitions.
    func exerciseRegions() throws(ExerciseFailure) {
        var regions = ExerciseOfRegions(exercise)
        for way in waysToComposites { try regions.run(along: way) }
        counts.machines += regions.machines
        counts.steps += regions.steps
        counts.restarts += regions.restarts
        counts.untriedInRegions = regions.untried
    }

    private func walk(
        from start: String,
        _ body: (ExerciseWalk<W>) throws(ExerciseFailure.Problem) -> Void
    ) throws(ExerciseFailure) {
        let walk = ExerciseWalk(self, from: start)
        do {
            try walk.begin()
            try body(walk)
        } catch {
            throw Shrinking(exercise, start: start, walk.trace, error).failure
        }
        counts.machines += 1
    }
}
