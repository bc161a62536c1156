// What is the work of a state, from its beginning to its end?

import Synchronization

/// The work of a state of a machine, from when it is entered or restored until it is left, updates that take it over included.
///
/// It does not keep the machine alive. What it fires through its ``Workplace`` is bound to it.
@usableFromInline
final class StateWork: Sendable {
    /// Tells it apart from all other work there was or will be.
    ///
    /// A number and not a reference: every fire would count that, also where there is no work.
    @usableFromInline
    struct ID: Hashable, Sendable {
        private let number: Int

        private static let last = Atomic<Int>(0)

        fileprivate static func new() -> ID { ID(number: last.add(1, ordering: .relaxed).newValue) }
    }

    let id = ID.new()
    weak let machine: (any AutomaticMachine)?

    private let working: any Working.Type
    private let context: GivenContext?
    private let contents: Lock<Contents>

    private struct Contents: Sendable {
        /// The state object whose work it is; `nil` when that is done.
        var state: (any WorkflowState)?

        /// Whether its body was called, or would have been if it had counted.
        var hasBegun = false

        /// The task that does it, unless it waits for one, or a run does it in its own.
        var task: WorkTask?

        /// Whether it counts no longer, because the state was left.
        var isOver = false

        /// Whether its body has returned, and what follows from that has happened.
        var isDone = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastNumber = 0

        /// Takes out those who wait, for somebody who wakes them.
        mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
            if waiting.isEmpty { return [] }
            defer { waiting = [:] }
            return Array(waiting.values)
        }
    }

    /// Makes the work of a state, which does not begin yet.
    /// - Parameters:
    ///   - type: The class of the state.
    ///   - state: The state.
    ///   - machine: The machine that is in it.
    ///   - context: That of the machine.
    init(
        of type: any Working.Type,
        _ state: any WorkflowState,
        _ machine: any AutomaticMachine,
        _ context: GivenContext?
    ) {
        self.working = type
        self.machine = machine
        self.context = context
        contents = Lock(Contents(state: state))
    }

    /// Whether it counts no longer, because the state was left.
    var isOver: Bool { contents.withLock { $0.isOver } }

    /// Whether it counts and has not come to its end.
    var isGoingOn: Bool { contents.withLock { !$0.isOver && !$0.isDone } }

    /// Notes the task that does it.
    /// - Returns: Whether it is to be done; not if the state was left before.
    func assign(to task: WorkTask) -> Bool {
        contents.withLock { contents in
            if contents.isOver { return false }
            contents.task = task
            return true
        }
    }

    /// Makes it the work of the object that has replaced its own, unless it has begun.
    /// - Returns: Whether it is that object's now.
    func move(to state: any WorkflowState) -> Bool {
        // The one before is released when the lock is free.
        var other: (any WorkflowState)? = state
        return contents.withLock { contents in
            if contents.hasBegun { return false }
            swap(&contents.state, &other)
            return true
        }
    }

    /// Does the work in the caller's task, in a child task that is cancelled when the state is left.
    func runAsChild() async {
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.run() }
                group.addTask { await self.wait() }
                await group.next()
                group.cancelAll()
            }
        } onCancel: {
            end()
        }
    }

    /// Does the work in the caller's task, unless it counts no longer.
    func run() async {
        let (state, isOver) = contents.withLock { contents in
            contents.hasBegun = true
            return (contents.state, contents.isOver)
        }
        if !isOver, let state {
            let failed = await doWork(of: working, state)
            if let failed {
                // A run that is cancelled cancels the body first, and ends this a moment later. In a task of its own it has ended already.
                if Task.isCancelled { end() }
                machine?.workHasFailed(self, failed)
            }
        }
        let waiting = contents.withLock { contents in
            contents.isDone = true
            // Neither is released in the lock: the task is running, and this function keeps the state.
            contents.task = nil
            contents.state = nil
            return contents.takeWaiting()
        }
        withExtendedLifetime(state) {}
        for continuation in waiting { continuation.resume() }
    }

    /// Does the work.
    /// - Returns: Its error, if it has failed.
    private func doWork<State: Working>(of type: State.Type, _ state: any WorkflowState) async -> FailedWork? {
        guard let state = state as? State,
            let context = GivenContext.value(of: context, as: State.Life.Context.self)
        else { preconditionFailure("Work begins in its own state, and when the machine has its context.") }
        do {
            try await state.work(Workplace<State.Life>(context, self, in: type))
            return nil
        } catch {
            return FailedWork(state: state, error: error)
        }
    }

    /// Lets it count no longer, and cancels its task.
    func end() {
        let (task, waiting) = contents.withLock { contents in
            contents.isOver = true
            return (contents.task, contents.takeWaiting())
        }
        // Not in the lock, because cancellation handlers are user code.
        task?.cancel()
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until it has come to its end, counts no longer, or the waiting task is cancelled.
    func wait() async {
        let number = contents.withLock { contents in
            contents.lastNumber += 1
            return contents.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isAtOnce = contents.withLock { contents in
                    if contents.isOver || contents.isDone || Task.isCancelled { return true }
                    contents.waiting[number] = continuation
                    return false
                }
                if isAtOnce { continuation.resume() }
            }
        } onCancel: {
            contents.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}

extension MachineCore {
    /// Lets the work of a state begin, unless it goes on already, was completed, or the state is about to be left.
    func startWork(
        of plan: TransitionPlan,
        _ transition: StateTransition,
        _ environment: MachineEnvironment
    ) {
        guard let working = definition.states[plan.destination].hooks.working, environment.work == nil,
            !transition.turn({ $0.isAboutToLeave })
        else { return }
        let work = StateWork(of: working, transition.destination, transition.treeMachine, environment.context)
        guard environment.keep(work) else { return }
        if !environment.handToRunner(work) { WorkTask.enqueue(work) }
    }

    /// Whether some work is that of the current state.
    func counts(_ work: StateWork.ID) -> Bool {
        guard let current = environment?.work else { return false }
        return current.id == work && !current.isOver
    }

    /// Ends what goes on in a state that was left, or hands the work over to the new data of one that was updated.
    func endActivity(of plan: TransitionPlan, _ transition: StateTransition) {
        guard let environment else { return }
        if plan.kind == .update {
            // It begins with the new data, and there is nothing to take over.
            if environment.work?.move(to: transition.destination) == true { return }
            let takesOver = definition.states[plan.destination].hooks.takesOverWork(transition)
            if !takesOver { environment.endWork() }
        } else {
            environment.endActivity()
        }
    }

    /// Ends what goes on in the machine and in those in its state, until it is activated again.
    func suspend(_ call: borrowing Call) {
        guard now.isActive, let role = try? acquire(call) else { return }
        let ended = suspendTree(place?.regions ?? [])
        finish(role, call)
        // Not in the turn, because cancellation handlers are user code, which may fire.
        for activity in ended { activity.end() }
    }

    /// Lets what goes on in the machine and in the machines in its state begin again when it is activated; calls no user code.
    /// - Returns: What does not count any more, the innermost first.
    func suspendTree(_ regions: [any TreeMachine]) -> [MachineEnvironment.EndedActivity] {
        var ended = regions.reversed().flatMap { $0.withCore { $0.suspendTree($0.place?.regions ?? []) } }
        if let environment { ended.append(environment.takeActivity()) }
        noteSuspension()
        return ended
    }
}

extension MachineTurn {
    /// Whether anything that waits leaves the state.
    var isAboutToLeave: Bool { hasQueue && waiting.contains { $0.plan.kind == .external } }
}
