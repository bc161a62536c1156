import Heraclitus

/// A machine under exercise.
///
/// Each action checks the machine afterwards.
final class ExercisedMachine<W: Workflow> {
    /// The result of firing an event.
    enum Result {
        case carriedOut

        /// A guard has declined the event, or the sample has thrown an error.
        case declined(String)

        /// The sample makes another state, or none, from the current one.
        case notMade
    }

    private let exercise: Exercise<W>
    private let clock = ManualClock()
    private var machine: StateMachine<W>

    /// The actions so far.
    private(set) var trace: [ExerciseAction] = []

    /// The state's name before each action.
    private(set) var states: [String] = []

    /// The transitions since the last check.
    private let made = Box(Lock<[(event: String, to: String)]>([]))

    /// Makes a machine in the initial state, or in a state that a sample makes.
    init(_ exercise: Exercise<W>, in start: String) throws(ExerciseFailure.Problem) {
        guard let machine = exercise.machine(in: start, scheduler: clock.scheduler) else {
            throw .missingSamples(states: [start])
        }
        (self.exercise, self.machine) = (exercise, machine)
        try activate()
    }

    var state: String { machine.stateName }

    /// Fires an event, or restarts the machine.
    /// - Parameter action: The action.
    /// - Returns: The result.
    /// - Throws: The problem.
    func carryOut(_ action: ExerciseAction) throws(ExerciseFailure.Problem) -> Result {
        switch action {
        case .restart:
            try restart()
            return .carriedOut
        case .fire(let transition, let sample): return try fire(transition, sample: sample)
        }
    }

    /// A machine in the state, with the path to it.
    typealias HeldMachine = (path: [RegionPlace], machine: any ExercisedRegion)

    /// The machines in its state, at any depth, without machines of a workflow around them.
    var regions: [HeldMachine] { Self.regions(in: machine, []) }

    private static func regions(in holder: any ExercisedRegion, _ path: [RegionPlace]) -> [HeldMachine] {
        guard let composite = holder.currentState as? any Composite else { return [] }
        return composite.regions.enumerated().flatMap { index, region in
            guard let machine = region as? any ExercisedRegion else { return [HeldMachine]() }
            let workflow = type(of: machine).workflowType
            // A workflow within itself would have no end.
            if workflow == W.self || path.contains(where: { $0.workflow == workflow }) { return [] }
            let place = RegionPlace(
                name: placeName(of: machine, in: composite) ?? "\(index)",
                index: index,
                workflow: workflow,
                workflowName: machine.definition.workflow
            )
            let path = path + [place]
            return [(path, machine)] + regions(in: machine, path)
        }
    }

    /// Fires an event of the machine, or of a machine in its state.
    private func fire(_ transition: ExercisedTransition, sample: Int?) throws(ExerciseFailure.Problem) -> Result {
        let isOwn = transition.path.isEmpty
        let found: HeldMachine? = isOwn ? (path: [], machine: machine) : regions.first { $0.path == transition.path }
        guard let (path, target) = found, target.stateName == transition.from else { return .notMade }
        func isDestination(_ state: any WorkflowState) -> Bool { target.definition.isObject(state, of: transition.to) }
        var state: (any WorkflowState)?
        do {
            if let sample {
                state = try exercise.samples[sample].make(target.currentState)
            } else {
                state = try target.builtDestination(of: transition.event)
                // A caller may choose another destination of the event.
                if state.map(isDestination) != true {
                    state = type(of: target).workflowType.emptyState(named: transition.to) as? any WorkflowState
                }
            }
        } catch {
            return .declined("the \(sample == nil ? "builder" : "sample") has thrown: \(error)")
        }
        guard let state, isDestination(state) else { return .notMade }
        var fired = transition
        // The found path has the indices of this state object.
        fired.path = path
        states.append(machine.stateName)
        trace.append(.fire(fired, sample: sample))
        do {
            try target.fire(event: transition.event, entering: state)
        } catch {
            guard error.reason == .declined else { throw .rejected(error) }
            states.removeLast()
            trace.removeLast()
            return .declined("declined: \(error.underlyingError.map { "\($0)" } ?? "")")
        }
        // A fire of a region is no transition of the machine.
        try check(after: isOwn ? 1 : 0)
        return .carriedOut
    }

    /// Archives the machine, and continues with the restored one.
    func restart() throws(ExerciseFailure.Problem) {
        states.append(machine.stateName)
        trace.append(.restart)
        let restored: StateMachine<W>
        do {
            let archive = try machine.archive()
            restored = try StateMachine(archive: archive, context: exercise.context, scheduler: clock.scheduler)
            try expectEqual(machine.currentState, restored.currentState, except: exercise.except)
        } catch let error as LostInArchive {
            throw .lostInArchive(error)
        } catch {
            throw .notArchived(error)
        }
        machine = restored
        try activate()
    }

    /// Activates a new or restored machine.
    private func activate() throws(ExerciseFailure.Problem) {
        machine.observe { [made] occurrence in
            // Automatic events have a cause, and hooks fire without one.
            guard occurrence.kind == .transitioned, occurrence.cause == nil, let event = occurrence.event,
                let to = occurrence.destination
            else { return }
            made.value.withLock { $0.append((event, to)) }
        }
        machine.collectEffects(exercise.collectEffects)
        machine.leaveOutWork()
        machine.activate()
        try check(after: 0)
    }

    /// Checks the events of hooks, and the invariants.
    /// - Parameter count: The number of transitions before those of hooks.
    /// - Throws: The problem.
    private func check(after count: Int) throws(ExerciseFailure.Problem) {
        let fired = made.value.withLock { exchange(&$0, with: []) }.dropFirst(count)
        if let other = fired.first(where: { !exercise.hookEvents.contains($0.event) }) {
            throw .strayed(event: other.event, to: other.to)
        }
        for (name, isTrue) in exercise.invariants {
            let answer: Bool
            do {
                answer = try isTrue(machine)
            } catch {
                throw .failedInvariant(name, underlyingError: error)
            }
            guard answer else { throw .brokenInvariant(name) }
        }
    }
}

extension ExerciseFailure.Problem: Error {}
