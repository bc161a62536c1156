// The work of a state, from its beginning to its end.

import Synchronization

/// The work of a state, from entry or restore until the state is left.
///
/// An update may take the work over.
///
/// The work leaves the machine unretained. Fires through its ``WorkCall`` are bound to the work.
@usableFromInline
final class StateWork: Sendable {
    /// The unique identity of the work.
    ///
    /// It is a number because a reference would be counted at every fire, even in machines without work.
    @usableFromInline
    struct ID: Hashable, Sendable {
        private let number: Int

        private static let last = Atomic<Int>(0)

        fileprivate static func new() -> ID { ID(number: last.add(1, ordering: .relaxed).newValue) }
    }

    let id = ID.new()
    weak let machine: (any TreeMachine)?

    /// The source of the date, and of an optional executor for the work.
    let scheduler: Scheduler

    private let working: any Working.Type
    private let context: GivenContext?
    private let contents: Lock<Contents>

    private struct Contents: Sendable {
        /// The state object of the work; `nil` after the work, and after a cancellation before its beginning.
        ///
        /// It is released outside the lock, because a `deinit` may be slow.
        var state: (any WorkflowState)?

        /// Whether the work has begun.
        ///
        /// Its state is fixed from then on.
        var hasBegun = false

        /// The task of the work; `nil` if another task runs it.
        var task: Task<Void, Never>?

        /// Whether ``end()`` was called.
        var isEnded = false

        /// Whether the body has returned or thrown, and the events that follow have fired.
        var isDone = false

        /// Whether the body has thrown.
        var hasFailed = false
        var waits: [AsyncSignal] = []
    }

    /// Makes the work of a state, without beginning it.
    /// - Parameters:
    ///   - type: The class of the state.
    ///   - state: The state.
    ///   - machine: The machine in the state.
    ///   - scheduler: The machine's scheduler.
    ///   - context: The machine's context.
    init(
        of type: any Working.Type,
        _ state: any WorkflowState,
        _ machine: any TreeMachine,
        _ scheduler: Scheduler,
        _ context: GivenContext?
    ) {
        self.working = type
        self.machine = machine
        self.scheduler = scheduler
        self.context = context
        contents = Lock(Contents(state: state))
    }

    /// Whether ``end()`` was called: the state was left or updated, the machine was suspended, or its run was
    /// cancelled.
    var isEnded: Bool { contents.withLock { $0.isEnded } }

    /// Whether the work is valid and unfinished.
    var isGoingOn: Bool { contents.withLock { !$0.isEnded && !$0.isDone } }

    /// Whether the work has returned by itself, so that it must not begin again.
    var isCompleted: Bool { contents.withLock { $0.isDone && !$0.isEnded && !$0.hasFailed } }

    /// Moves the work to the object that has replaced its own, unless it has begun.
    /// - Returns: Whether the work had not begun.
    func move(to state: any WorkflowState) -> Bool {
        // The old object is released outside the lock.
        var other: (any WorkflowState)? = state
        return contents.withLock { contents in
            if contents.hasBegun { return false }
            if contents.state != nil { swap(&contents.state, &other) }
            return true
        }
    }

    /// Starts a task for the work, unless the work was ended.
    func start() {
        // Detached, because work belongs to its state rather than to the caller of `fire`.
        let task = Task.detached(executorPreference: scheduler.executor) { await self.doOnce() }
        let isEnded = contents.withLock { contents in
            if !contents.isDone { contents.task = task }
            return contents.isEnded
        }
        // The task has begun by then and needs the cancellation. It is cancelled outside the lock, because handlers are
        // user code.
        if isEnded { task.cancel() }
    }

    /// Runs the work in a child of the caller's task, and cancels the child when the work is ended.
    func runAsChild() async {
        await withTaskGroup(of: Void.self) { group in
            // The handler is within the group: a cancellation of the caller's task ends the work before it cancels the
            // children.
            await withTaskCancellationHandler {
                group.addTask(executorPreference: scheduler.executor) {
                    await self.doOnce { if Task.isCancelled { self.end() } }
                }
                group.addTask { await self.wait() }
                await group.next()
            } onCancel: {
                end()
            }
            group.cancelAll()
        }
    }

    /// Runs the work in the caller's task, unless the work was ended before.
    /// - Parameter beforeTelling: Called after the body has returned, before the machine is told.
    private func doOnce(beforeTelling: () -> Void = {}) async {
        let state = contents.withLock { contents in
            contents.hasBegun = contents.state != nil
            return contents.state
        }
        var hasFailed = false
        if let state {
            let failure = await callBody(of: working, state)
            hasFailed = failure != nil
            beforeTelling()
            if let failure { machine?.workHasFailed(self, failure, in: state) } else { machine?.workIsDone(self) }
        }
        let waits = contents.withLock { [hasFailed] contents in
            (contents.isDone, contents.hasFailed) = (true, hasFailed)
            // The task is running and the function retains the state, so the lock covers no release.
            contents.task = nil
            contents.state = nil
            return exchange(&contents.waits, with: [])
        }
        for wait in waits { wait.send() }
        withExtendedLifetime(state) {}
    }

    /// Calls the state's method.
    /// - Returns: The error of the method; `nil` if it has returned, or if the work was ended before.
    private func callBody<State: Working>(of type: State.Type, _ object: any WorkflowState) async -> (any Error)? {
        guard let state = object as? State,
            let context = GivenContext.value(of: self.context, as: State.MachineWorkflow.Context.self)
        else { preconditionFailure("Work was begun in another state, or without the machine's context.") }
        do {
            try await state.work(WorkCall<State.MachineWorkflow>(context: context, work: self, state: type))
            return nil
        } catch {
            // Ended work throws because of its cancellation.
            return isEnded ? nil : error
        }
    }

    /// Ends the work: it never begins, or its task is cancelled.
    func end() {
        // Released outside the lock.
        var unused: (any WorkflowState)?
        let (task, waits) = contents.withLock { contents in
            contents.isEnded = true
            if !contents.hasBegun { swap(&contents.state, &unused) }
            return (contents.task, exchange(&contents.waits, with: []))
        }
        // Outside the lock, because cancellation handlers are user code.
        task?.cancel()
        for wait in waits { wait.send() }
    }

    /// Waits for the end of the work, or for the cancellation of the waiting task.
    func wait() async {
        let wait = AsyncSignal()
        let isGoingOn = contents.withLock { contents in
            if contents.isEnded || contents.isDone { return false }
            contents.waits.append(wait)
            return true
        }
        guard isGoingOn else { return }
        await wait.wait()
        // A cancelled wait ends before the work. It is retained here, so the lock covers no release.
        contents.withLock { $0.waits.removeAll { $0 === wait } }
    }
}

extension MachineCore {
    /// Begins the work of a state, unless the work goes on, was completed, or the state is about to be left.
    func startWork(of plan: TransitionPlan, _ transition: StateTransition, _ activity: MachineActivity) {
        guard let working = definition.states[plan.destination].hooks.working, activity.work == nil,
            !Call(transition.treeMachine).turn({ $0.isAboutToLeave })
        else { return }
        let work = StateWork(of: working, transition.destination, transition.treeMachine, scheduler, context)
        if activity.keep(work), !handToRunner(work) { work.start() }
    }

    /// Offers work to the machine's runner, and then to its holders' runners, the nearest first.
    private func handToRunner(_ work: StateWork) -> Bool {
        if activity?.handToRunner(work) == true { return true }
        return place?.holder?.withCore { $0.handToRunner(work) } ?? false
    }

    /// Whether some work belongs to the current state.
    func isCurrent(_ work: StateWork.ID) -> Bool {
        guard let current = activity?.work else { return false }
        return current.id == work && !current.isEnded
    }
}
