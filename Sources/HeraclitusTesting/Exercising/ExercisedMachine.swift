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

    /// The transitions that wait for `checkHooks`.
    private let made = Box(Lock<[ExercisedTransition]>([]))

    /// Makes a machine in the initial state, or in a state that a sample makes.
    init(_ exercise: Exercise<W>, in start: String) throws(ExerciseFailure.Problem) {
        self.exercise = exercise
        if start == exercise.table.initial,
            let initial = StateMachine<W>.initial(W.given(exercise.context), scheduler: clock.scheduler)
        {
            machine = initial
        } else {
            guard let state = exercise.beginning(in: start)?.state else { throw .missingSamples(states: [start]) }
            machine = StateMachine(entering: state, context: exercise.context, scheduler: clock.scheduler)
        }
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
        case .fire(let transition, let sample, let path): return try fire(transition, sample: sample, in: path)
        }
    }

    /// A machine in the state, with the path to it.
    typealias HeldMachine = (path: [RegionPlace], machine: any ExercisedRegion)

    /// The machines in its state, at any depth, without machines of a workflow around them.
    var regions: [HeldMachine] { Self.regions(in: machine, [], within: []) }

    private static func regions(
        in holder: any ExercisedRegion,
        _ path: [RegionPlace],
        within others: Set<ObjectIdentifier>
    ) -> [HeldMachine] {
        guard let composite = holder.currentState as? any Composite else { return [] }
        let holders = others.union([ObjectIdentifier(type(of: holder))])
        return composite.regions.enumerated().flatMap { index, region in
            // A workflow within itself would have no end.
            guard let machine = region as? any ExercisedRegion, !holders.contains(ObjectIdentifier(type(of: machine)))
            else { return [HeldMachine]() }
            let name = propertyName(of: machine, in: composite) ?? "\(index)"
            let place = RegionPlace(
                name: name,
                index: index,
                type: writtenName(of: type(of: machine)),
                workflow: type(of: machine).workflowType
            )
            let path = path + [place]
            return [(path, machine)] + regions(in: machine, path, within: holders)
        }
    }

    /// Fires an event of the machine, or of a machine in its state.
    private func fire(
        _ transition: ExercisedTransition,
        sample: Int?,
        in path: [RegionPlace]
    ) throws(ExerciseFailure.Problem) -> Result {
        let found: HeldMachine? = path.isEmpty ? (path: path, machine: machine) : regions.first { $0.path == path }
        // The found path has the indices of this state object.
        guard let (path, target) = found, target.stateName == transition.from else { return .notMade }
        func isDestination(_ state: any WorkflowState) -> Bool {
            target.definition.isObject(state, of: transition.to)
        }
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
        states.append(machine.stateName)
        trace.append(.fire(transition, sample: sample, path: path))
        do {
            try target.fire(event: transition.event, entering: state)
        } catch {
            guard error.reason == .declined else { throw .rejected(error) }
            states.removeLast()
            trace.removeLast()
            return .declined("declined: \(error.underlyingError.map { "\($0)" } ?? "")")
        }
        // A fire of a region is no transition of the machine.
        try checkHooks(Array(takeMade().dropFirst(path.isEmpty ? 1 : 0)))
        try checkInvariants()
        return .carriedOut
    }

    /// Archives the machine, and continues with the restored one.
    func restart() throws(ExerciseFailure.Problem) {
        states.append(machine.stateName)
        trace.append(.restart)
        let restored: StateMachine<W>
        do {
            restored = try StateMachine(
                archive: machine.archive(),
                context: exercise.context,
                scheduler: clock.scheduler
            )
        } catch {
            throw .notArchived(error)
        }
        do {
            try expectEqual(machine.currentState, restored.currentState, except: exercise.except)
        } catch {
            throw .lostInArchive(error)
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
            let transition = ExercisedTransition(event: event, from: occurrence.source, to: to)
            made.value.withLock { $0.append(transition) }
        }
        machine.collectEffects(exercise.collectEffects)
        machine.leaveOutWork()
        machine.activate()
        try checkHooks(takeMade())
        try checkInvariants()
    }

    private func takeMade() -> [ExercisedTransition] { made.value.withLock { exchange(&$0, with: []) } }

    private func checkHooks(_ transitions: [ExercisedTransition]) throws(ExerciseFailure.Problem) {
        if let other = transitions.first(where: { !exercise.hookEvents.contains($0.event) }) {
            throw .strayed(event: other.event, to: other.to)
        }
    }

    private func checkInvariants() throws(ExerciseFailure.Problem) {
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

extension Exercise {
    /// A start state and the first sample that makes it without a source; the sample is `nil` for an empty state.
    func beginning(in name: String) -> (state: W.AnyState, sample: Int?)? {
        samples(for: name, event: "").lazy.compactMap { sample in
            (try? state(name, of: sample)).map { ($0, sample) }
        }.first
    }

    /// Makes a state without a source; `nil` if the sample makes another state.
    private func state(_ name: String, of sample: Int?) throws -> W.AnyState? {
        guard let sample else { return W.emptyState(named: name) }
        guard let state = try samples[sample].make(()),
            definition.stateIndex(of: state) == definition.stateIndex(named: name)
        else { return nil }
        return state as? W.AnyState
    }
}
