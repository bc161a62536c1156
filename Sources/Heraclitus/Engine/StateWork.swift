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
    private let contents: Lock<Contents>

    private struct Contents: Sendable {
        /// What it is done with; `nil` when it is done, and when it was over before it began.
        var subject: Subject?

        /// Whether ``run()`` was called: from then on its subject is fixed.
        var hasBegun = false

        /// The task that does it, unless it waits for one, or a run does it in its own.
        var task: WorkTask?

        /// Whether it counts no longer, because the state was left.
        var isOver = false

        /// Whether its body has returned, and what follows from that has happened.
        var isDone = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastNumber = 0

        /// Takes out those who wait, for somebody who wakes them.
        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            if waiters.isEmpty { return [] }
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    /// The user's objects that it keeps alive, and which are released by whoever ends it or has done it: a `deinit` may take long.
    private struct Subject: Sendable {
        /// The state object whose work it is.
        var state: any WorkflowState
        let context: GivenContext?
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
        contents = Lock(Contents(subject: Subject(state: state, context: context)))
    }

    /// Whether it counts no longer, because the state was left.
    var isOver: Bool { contents.withLock { $0.isOver } }

    /// Whether it counts and has not come to its end.
    var isGoingOn: Bool { contents.withLock { !$0.isOver && !$0.isDone } }

    /// Makes it the work of the object that has replaced its own, unless it has begun or counts no longer.
    /// - Returns: Whether it is that object's now.
    func move(to state: any WorkflowState) -> Bool {
        // The one before is released when the lock is free.
        var other = state
        return contents.withLock { contents in
            guard !contents.hasBegun, var subject = contents.subject.take() else { return false }
            swap(&subject.state, &other)
            contents.subject = subject
            return true
        }
    }

    /// Lets a new task do it, unless it counts no longer.
    func start() {
        let task = WorkTask()
        if assign(to: task) { task.start { _ in await self.run() } }
    }

    /// Does it in the caller's task, unless it counts no longer.
    /// - Parameter task: That task, which is from now on its own.
    func run(in task: WorkTask) async {
        if assign(to: task) { await run() }
    }

    /// Notes the task that does it.
    /// - Returns: Whether it is to be done; not if it counts no longer.
    private func assign(to task: WorkTask) -> Bool {
        contents.withLock { contents in
            if contents.isOver { return false }
            contents.task = task
            return true
        }
    }

    /// Does the work in the caller's task, in a child task that is cancelled when the state is left.
    func runAsChild() async {
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    // The cancelling of a run reaches the body first, and `onCancel` a moment later.
                    await self.run { if Task.isCancelled { self.end() } }
                }
                group.addTask { await self.wait() }
                await group.next()
                group.cancelAll()
            }
        } onCancel: {
            end()
        }
    }

    /// Does the work in the caller's task, unless it counts no longer.
    /// - Parameter prepareToFail: Is called when the body has thrown an error, before that is told.
    private func run(prepareToFail: () -> Void = {}) async {
        let subject = contents.withLock { contents in
            contents.hasBegun = true
            return contents.subject
        }
        if let subject, let failed = await doWork(of: working, subject) {
            prepareToFail()
            machine?.workHasFailed(self, failed)
        }
        let waiters = contents.withLock { contents in
            contents.isDone = true
            // Neither is released in the lock: the task is running, and this function keeps the subject.
            contents.task = nil
            contents.subject = nil
            return contents.takeWaiters()
        }
        withExtendedLifetime(subject) {}
        for waiter in waiters { waiter.resume() }
    }

    /// Does the work.
    /// - Returns: Its error, if it has failed.
    private func doWork<State: Working>(of type: State.Type, _ subject: Subject) async -> FailedWork? {
        guard let state = subject.state as? State,
            let context = GivenContext.value(of: subject.context, as: State.Life.Context.self)
        else { preconditionFailure("Work begins in its own state, and when the machine has its context.") }
        do {
            try await state.work(Workplace<State.Life>(context, self, in: type))
            return nil
        } catch {
            return FailedWork(state: state, error: error)
        }
    }

    /// Lets it count no longer: it does not begin any more, or its task is cancelled.
    func end() {
        // Released when the lock is free, and on this thread: others begin the work of all machines, or run some.
        var unused: Subject?
        let (task, waiters) = contents.withLock { contents in
            contents.isOver = true
            if !contents.hasBegun { swap(&contents.subject, &unused) }
            return (contents.task, contents.takeWaiters())
        }
        // Not in the lock, because cancellation handlers are user code.
        task?.cancel()
        for waiter in waiters { waiter.resume() }
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
                    contents.waiters[number] = continuation
                    return false
                }
                if isAtOnce { continuation.resume() }
            }
        } onCancel: {
            contents.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
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
        if !environment.handToRunner(work) { WorkLine.append(work) }
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
}

extension MachineTurn {
    /// Whether anything that waits leaves the state.
    var isAboutToLeave: Bool { hasQueue && waiting.contains { $0.plan.kind == .external } }
}
