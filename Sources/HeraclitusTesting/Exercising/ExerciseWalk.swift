import Heraclitus
import HeraclitusInspecting

/// A machine on its way through the table.
final class ExerciseWalk<W: Workflow> {
    private let tour: ExerciseTour<W>
    private let start: String
    private let exercise: Exercise<W>
    private let graph: TableGraph
    private var machine: ExercisedMachine<W>?

    /// The transitions that were declined since the machine last changed; retrying them is useless.
    private var inVain: Set<ExercisedTransition> = []

    /// The number of attempts for each transition.
    private var tries: [ExercisedTransition: Int] = [:]
    private var last: ExercisedTransition?

    /// Prepares a walk of a tour, which gets the results.
    init(_ tour: ExerciseTour<W>, from start: String) {
        self.tour = tour
        self.start = start
        exercise = tour.exercise
        graph = tour.graph
    }

    /// All actions so far, including the failed one.
    var trace: [ExerciseAction] { machine?.trace ?? [] }

    func begin() throws(ExerciseFailure.Problem) {
        let machine = try ExercisedMachine(exercise, in: start)
        self.machine = machine
        try restart(machine)
        noteRegions(of: machine)
    }

    private func noteRegions(of machine: ExercisedMachine<W>) {
        let state = machine.state
        if tour.waysToComposites.contains(where: { $0.state == state }) || machine.regions.isEmpty { return }
        tour.waysToComposites.append(ExerciseOfRegions.Way(start: start, trace: machine.trace, state: state))
    }

    /// Goes to a state by the shortest way that was not declined; if every way was declined, makes another transition
    /// first.
    /// - Parameter state: The name of the state.
    /// - Returns: Whether the machine has arrived.
    /// - Throws: The problem.
    func come(to state: String) throws(ExerciseFailure.Problem) -> Bool {
        // The count is limited: a guard may decline for good, and a hook may lead away from every state.
        for _ in 0..<(10 + 2 * graph.count) where machine?.state != state {
            if let step = firstStep(to: state) {
                _ = try take(step)
            } else if try !wander(andReturnTo: state) {
                return false
            }
        }
        return machine?.state == state
    }

    /// Carries out the least-tried transition after which the machine can still reach a state.
    /// - Parameter state: The name of that state.
    /// - Returns: Whether there is such a transition.
    /// - Throws: The problem.
    func wander(andReturnTo state: String) throws(ExerciseFailure.Problem) -> Bool {
        guard let machine, let here = graph.number(of: machine.state), let end = graph.number(of: state) else {
            return false
        }
        let home = graph.reaching([end])
        let steps = graph.leaving[here].filter { home.contains(graph.edges[$0].to) }
            .map { exercise.table.transition(graph.edges[$0]) }.filter { !inVain.contains($0) }
        guard let step = steps.min(by: { tries[$0, default: 0] < tries[$1, default: 0] }) else { return false }
        _ = try take(step)
        return true
    }

    /// Fires an event, trying the samples in order until a guard accepts one.
    /// - Parameter transition: The event and its states.
    /// - Returns: Whether the machine is in the transition's destination.
    /// - Throws: The problem.
    func take(_ transition: ExercisedTransition) throws(ExerciseFailure.Problem) -> Bool {
        guard let machine else { return false }
        tries[transition, default: 0] += 1
        var reason: String?
        for sample in exercise.samples(for: transition.to, event: transition.event) {
            switch try machine.carryOut(.fire(transition, sample: sample)) {
            case .carriedOut:
                tour.counts.steps += 1
                tour.done.insert([transition])
                if let last { tour.done.insert([last, transition]) }
                last = transition
                inVain = []
                try restart(machine)
                noteRegions(of: machine)
                if machine.state != transition.to { last = nil }
                return last != nil
            case .declined(let why): reason = reason ?? why
            case .notMade: continue
            }
        }
        if let reason { tour.declined[transition] = reason } else { tour.unmade.insert(transition) }
        inVain.insert(transition)
        return false
    }

    private func restart(_ machine: ExercisedMachine<W>) throws(ExerciseFailure.Problem) {
        guard exercise.isRestarting else { return }
        try machine.restart()
        tour.counts.restarts += 1
    }

    private func firstStep(to state: String) -> ExercisedTransition? {
        guard let machine, let here = graph.number(of: machine.state), let end = graph.number(of: state) else {
            return nil
        }
        let edges = graph.shortestWay(from: here, to: end) { !inVain.contains(exercise.table.transition($0)) }
        return edges?.first.map { exercise.table.transition(graph.edges[$0]) }
    }
}

extension TransitionTable {
    /// The names of an edge.
    func transition(_ edge: TableGraph.Edge) -> ExercisedTransition {
        ExercisedTransition(event: events[edge.event].name, from: states[edge.from], to: states[edge.to])
    }
}
