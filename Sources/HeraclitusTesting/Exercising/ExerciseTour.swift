import Heraclitus
import HeraclitusInspecting

/// Drives machines along all paths, one after the other, and collects the results.
final class ExerciseTour<W: Workflow> {
    private let exercise: Exercise<W>
    private let graph: TableGraph
    private var counts = ExerciseReport()

    /// The transitions and the pairs that were carried out.
    private var done: Set<[ExercisedTransition]> = []
    private var declined: [ExercisedTransition: String] = [:]

    /// The first way to each state that holds machines, in the order of arrival.
    private var waysToComposites: [ExerciseOfRegions<W>.Way] = []

    /// The transitions that lacked a fitting sample at least once.
    private var unmade: Set<ExercisedTransition> = []

    /// The machine on its way through the table, and its start state.
    private var machine: ExercisedMachine<W>?
    private var start = ""

    /// The transitions that were declined since the machine last changed; retrying them is useless.
    private var inVain: Set<ExercisedTransition> = []

    /// The number of the machine's attempts for each transition.
    private var tries: [ExercisedTransition: Int] = [:]
    private var last: ExercisedTransition?

    init(_ exercise: Exercise<W>) { (self.exercise, graph) = (exercise, TableGraph(exercise.table)) }

    var report: ExerciseReport {
        var report = counts
        report.untried = exercise.table.transitions().filter { !done.contains([$0]) }.map { transition in
            let isUnmade = unmade.contains(transition)
            let reason = isUnmade ? "no sample makes \(transition.to) from \(transition.from)" : nil
            return ExerciseReport.Untried(transition, because: declined[transition] ?? reason)
        }
        return report
    }

    /// The transitions that were never fired, because samples for their destination are missing.
    ///
    /// Declined transitions are excluded, because they were fired.
    var neverMade: Set<ExercisedTransition> { unmade.filter { !done.contains([$0]) && declined[$0] == nil } }

    /// Drives a machine along a path.
    ///
    /// After a guard declines or a hook fires, the machine looks for another way back to the path.
    func go(along path: TransitionPath) throws(ExerciseFailure) {
        try walk(from: path.start) { () throws(ExerciseFailure.Problem) in
            for transition in path.transitions {
                if try come(to: transition.from) { try take(transition) }
            }
        }
    }

    /// Retries missed transitions up to five times, each time with one more detour before them.
    func pursue(_ transitions: [ExercisedTransition], from start: String) throws(ExerciseFailure) {
        guard !done.contains(transitions), let place = transitions.first?.from else { return }
        try walk(from: start) { () throws(ExerciseFailure.Problem) in
            for detours in 0..<5 {
                for _ in 0..<detours {
                    if let detour = detour(before: place) { try take(detour) }
                }
                var isThere = try come(to: place)
                for transition in transitions where isThere { isThere = try take(transition) }
                if isThere { return }
            }
        }
    }

    /// Drives the machines in each reached state through their own transitions.
    func exerciseRegions() throws(ExerciseFailure) {
        var regions = ExerciseOfRegions(exercise, counts)
        for way in waysToComposites { try regions.run(along: way) }
        counts = regions.report
    }

    /// Starts a machine, and drives it.
    private func walk(from start: String, _ body: () throws(ExerciseFailure.Problem) -> Void) throws(ExerciseFailure) {
        (self.start, inVain, tries, last) = (start, [], [:], nil)
        let restarts = try exercise.drive(from: start) { (begun: ExercisedMachine<W>) throws(ExerciseFailure.Problem) in
            machine = begun
            if exercise.isRestarting { try begun.restart() }
            noteRegions(of: begun)
            try body()
        }
        counts.machines += 1
        counts.restarts += restarts
    }

    private func noteRegions(of machine: ExercisedMachine<W>) {
        let state = machine.state
        if waysToComposites.contains(where: { $0.state == state }) || machine.regions.isEmpty { return }
        waysToComposites.append(ExerciseOfRegions.Way(start: start, trace: machine.trace, state: state))
    }

    /// Goes to a state by the shortest way that was not declined; if every way was declined, makes another transition
    /// first.
    /// - Parameter state: The name of the state.
    /// - Returns: Whether the machine has arrived.
    /// - Throws: The problem.
    private func come(to state: String) throws(ExerciseFailure.Problem) -> Bool {
        // The count is limited: a guard may decline for good, and a hook may lead away from every state.
        for _ in 0..<(10 + 2 * graph.count) where machine?.state != state {
            guard let step = firstStep(to: state) ?? detour(before: state) else { return false }
            try take(step)
        }
        return machine?.state == state
    }

    /// The number of the machine's state.
    private var here: Int? { machine.flatMap { graph.number(of: $0.state) } }

    /// The first step of the shortest way to a state on which nothing was declined; `nil` if there is none.
    private func firstStep(to state: String) -> ExercisedTransition? {
        guard let here, let end = graph.number(of: state) else { return nil }
        let edges = graph.shortestWay(from: here, to: end) { !inVain.contains(exercise.table.transition($0)) }
        return edges?.first.map { exercise.table.transition(graph.edges[$0]) }
    }

    /// The least-tried transition after which the machine can still reach a state; `nil` if there is none.
    private func detour(before state: String) -> ExercisedTransition? {
        guard let here, let end = graph.number(of: state) else { return nil }
        let home = graph.reaching([end])
        let steps = graph.leaving[here].filter { home.contains(graph.edges[$0].to) }
            .map { exercise.table.transition(graph.edges[$0]) }.filter { !inVain.contains($0) }
        return steps.min { tries[$0, default: 0] < tries[$1, default: 0] }
    }

    /// Fires an event, trying the samples in order until a guard accepts one.
    /// - Parameter transition: The event and its states.
    /// - Returns: Whether the machine is in the transition's destination.
    /// - Throws: The problem.
    @discardableResult
    private func take(_ transition: ExercisedTransition) throws(ExerciseFailure.Problem) -> Bool {
        guard let machine else { return false }
        tries[transition, default: 0] += 1
        var reason: String?
        for sample in exercise.samples(for: transition.to, event: transition.event) {
            switch try machine.carryOut(.fire(transition, sample: sample)) {
            case .carriedOut:
                counts.steps += 1
                done.insert([transition])
                if let last { done.insert([last, transition]) }
                last = transition
                inVain = []
                if exercise.isRestarting { try machine.restart() }
                noteRegions(of: machine)
                if machine.state != transition.to { last = nil }
                return last != nil
            case .declined(let why): reason = reason ?? why
            case .notMade: continue
            }
        }
        if let reason { declined[transition] = reason } else { unmade.insert(transition) }
        inVain.insert(transition)
        return false
    }
}
