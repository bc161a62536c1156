import Heraclitus

/// Drives the machines in states through their own transitions, starting from the ways on which the outer machine
/// reached the states.
struct ExerciseOfRegions<W: Workflow> {
    /// A way to a state that holds machines.
    struct Way {
        let start: String
        let trace: [ExerciseAction]
        let state: String
    }

    private let exercise: Exercise<W>
    private var counts: ExerciseReport
    private var done: Set<ExercisedTransition> = []

    /// All transitions of the machines in states.
    private var known: [ExercisedTransition] = []

    /// The reason why a transition was first tried in vain.
    private var reasons: [ExercisedTransition: String] = [:]

    init(_ exercise: Exercise<W>, _ counts: ExerciseReport) { (self.exercise, self.counts) = (exercise, counts) }

    /// The counts, and the transitions that were never carried out.
    var report: ExerciseReport {
        var report = counts
        report.untriedInRegions = known.filter { !done.contains($0) }
            .map { ExerciseReport.Untried($0, because: reasons[$0]) }
        return report
    }

    /// Carries out each transition of the regions that is reachable in a state, the nearest first.
    mutating func run(along way: Way) throws(ExerciseFailure) {
        let restart: [ExerciseAction] = exercise.isRestarting ? [.restart] : []
        var open: [[ExerciseAction]] = [[]]
        var reached: Set<ExercisedTransition> = []
        while !open.isEmpty {
            let actions = open.removeFirst()
            for (transition, samples) in try steps(after: actions, along: way) {
                for sample in samples where !reached.contains(transition) {
                    let fire = ExerciseAction.fire(transition, sample: sample)
                    let more = actions + [fire] + restart
                    switch try go(more, along: way) {
                    case .carriedOut:
                        reached.insert(transition)
                        counts.steps += 1
                        open.append(more)
                    case .declined(let why): reasons[transition] = reasons[transition] ?? why
                    case .notMade: reasons[transition] = reasons[transition] ?? "no sample makes \(transition.to)"
                    }
                }
            }
        }
        done.formUnion(reached)
    }

    /// The samples that make a state of a machine from its current one; `nil` stands for the result of the definition.
    private static func fitting(_ samples: [Sample<W>], for state: String, of region: any ExercisedRegion) -> [Int?] {
        let fitting = samples.indices.filter { index in
            let sample = samples[index]
            guard sample.event == nil else { return false }
            do {
                return try sample.make(region.currentState).map { region.definition.isObject($0, of: state) } ?? false
            } catch {
                // The attempt to fire reports the error.
                return sample.stateClass?.name == state
            }
        }
        return fitting + [nil]
    }

    /// The transitions that the machines in the state can make now, each with its samples.
    private mutating func steps(
        after actions: [ExerciseAction],
        along way: Way
    ) throws(ExerciseFailure) -> [(ExercisedTransition, [Int?])] {
        var found: [(ExercisedTransition, [Int?])] = []
        var all = known
        let samples = exercise.samples
        try go(actions, along: way) { machine in
            // Another state holds other machines, or none.
            guard machine.state == way.state else { return }
            for (path, region) in machine.regions {
                let transitions = region.currentTable.transitions(of: path)
                all += transitions
                for transition in transitions where transition.from == region.stateName {
                    found.append((transition, Self.fitting(samples, for: transition.to, of: region)))
                }
            }
        }
        known = all.once
        return found
    }

    /// Repeats the way, and carries out actions of machines in the state.
    /// - Returns: The result of the last event.
    @discardableResult
    private mutating func go(
        _ actions: [ExerciseAction],
        along way: Way,
        _ look: (ExercisedMachine<W>) -> Void = { _ in }
    ) throws(ExerciseFailure) -> ExercisedMachine<W>.Result {
        var result = ExercisedMachine<W>.Result.notMade
        let restarts = try exercise.drive(from: way.start) {
            (machine: ExercisedMachine<W>) throws(ExerciseFailure.Problem) in
            for action in way.trace + actions {
                let next = try machine.carryOut(action)
                if action != .restart { result = next }
            }
            look(machine)
        }
        counts.machines += 1
        counts.restarts += restarts
        return result
    }
}
