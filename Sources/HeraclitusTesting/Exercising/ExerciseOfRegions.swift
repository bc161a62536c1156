import Heraclitus
import HeraclitusInspecting

/// Drives the machines in states through their own transitions, starting from the ways on which the outer machine
/// reached the states.
struct ExerciseOfRegions<W: Workflow> {
    /// A way to a state that holds machines.
    struct Way {
        let start: String
        let trace: [ExerciseAction]
        let state: String
    }

    /// A transition of a machine in a state.
    private struct Step: Hashable {
        let path: [RegionPlace]
        let workflow: String
        let transition: ExercisedTransition
    }

    private let exercise: Exercise<W>
    private var done: Set<Step> = []

    /// All transitions of the machines in states, each with the reason why it was first tried in vain.
    private var known: [Step: (order: Int, transition: TransitionTable.Transition, reason: String?)] = [:]
    private(set) var machines = 0
    private(set) var steps = 0
    private(set) var restarts = 0

    init(_ exercise: Exercise<W>) { self.exercise = exercise }

    /// The transitions that were never carried out.
    var untried: [ExerciseReport.Untried] {
        known.filter { !done.contains($0.key) }.sorted { $0.value.order < $1.value.order }.map { step, known in
            ExerciseReport.Untried(
                event: (step.path.map(\.name) + [step.transition.event]).joined(separator: "."),
                transition: known.transition,
                reason: known.reason ?? "no machine fired it in \(known.transition.from)"
            )
        }
    }

    /// Carries out each transition of the regions that is reachable in a state, the nearest first.
    mutating func run(along way: Way) throws(ExerciseFailure) {
        var open: [[ExerciseAction]] = [[]]
        var reached: Set<Step> = []
        while !open.isEmpty {
            let actions = open.removeFirst()
            for (step, samples) in try steps(after: actions, along: way) where !reached.contains(step) {
                for sample in samples {
                    let action = ExerciseAction.fire(step.transition, sample: sample, path: step.path)
                    let result = try go(actions + [action], along: way)
                    if case .carriedOut = result.last {
                        reached.insert(step)
                        steps += 1
                        open.append(actions + [action])
                        break
                    }
                    if case .declined(let why) = result.last { miss(step, why) }
                    if case .notMade = result.last { miss(step, "no sample makes \(step.transition.to)") }
                }
            }
        }
        done.formUnion(reached)
    }

    private mutating func miss(_ step: Step, _ reason: String) {
        if known[step]?.reason == nil { known[step]?.reason = reason }
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
    ) throws(ExerciseFailure) -> [(Step, [Int?])] {
        var found: [(Step, [Int?])] = []
        var all = known
        let samples = exercise.samples
        try go(actions, along: way) { machine in
            // Another state holds other machines, or none.
            guard machine.state == way.state else { return }
            for (path, region) in machine.regions {
                for event in region.currentTable.events {
                    for transition in event.transitions {
                        let step = Step(
                            path: path,
                            workflow: region.definition.workflow,
                            transition: ExercisedTransition(event: event.name, from: transition.from, to: transition.to)
                        )
                        all[step] = all[step] ?? (all.count, transition, nil)
                        guard transition.from == region.stateName else { continue }
                        found.append((step, Self.fitting(samples, for: transition.to, of: region)))
                    }
                }
            }
        }
        known = all
        return found
    }

    /// Repeats the way, and carries out actions of machines in the state.
    /// - Returns: The result of each action.
    @discardableResult
    private mutating func go(
        _ actions: [ExerciseAction],
        along way: Way,
        _ look: (ExercisedMachine<W>) -> Void = { _ in }
    ) throws(ExerciseFailure) -> [ExercisedMachine<W>.Result] {
        machines += 1
        var machine: ExercisedMachine<W>?
        do throws(ExerciseFailure.Problem) {
            let begun = try ExercisedMachine(exercise, in: way.start)
            machine = begun
            var results: [ExercisedMachine<W>.Result] = []
            for action in way.trace + actions {
                let result = try begun.carryOut(action)
                guard case .fire(_, _, let path) = action, !path.isEmpty else { continue }
                results.append(result)
                if exercise.isRestarting { try begun.restart() }
            }
            look(begun)
            restarts += begun.trace.count { $0 == .restart }
            return results
        } catch {
            throw Shrinking(exercise, start: way.start, machine?.trace ?? [], error).failure
        }
    }
}
