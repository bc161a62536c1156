// What is the work of a state, from its beginning to its end?

import Synchronization

/// The work of a state of a machine, from when it is entered or restored until it is left, updates that take it over included.
///
/// It does not keep the machine alive. What it fires through its ``WorkCall`` is bound to it.
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

    /// Tells the date, and may have an executor on which the work is done.
    let scheduler: Scheduler

    private let working: any Working.Type
    private let contents: Lock<Contents>

    private struct Contents: Sendable {
        /// What it is done with; `nil` when it is done, and when it was over before it began.
        var subject: Subject?

        /// Whether somebody does it or has done it: from then on its subject is fixed.
        var hasBegun = false

        /// The task that does it, unless a run does it in its own.
        var task: Task<Void, Never>?

        /// Whether ``end()`` was called.
        var isEnded = false

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
    ///   - scheduler: That of the machine.
    ///   - context: That of the machine.
    init(
        of type: any Working.Type,
        _ state: any WorkflowState,
        _ machine: any AutomaticMachine,
        _ scheduler: Scheduler,
        _ context: GivenContext?
    ) {
        self.working = type
        self.machine = machine
        self.scheduler = scheduler
        contents = Lock(Contents(subject: Subject(state: state, context: context)))
    }

    /// Whether ``end()`` was called: its state was left or updated, its machine was suspended, or its run was cancelled.
    var isEnded: Bool { contents.withLock { $0.isEnded } }

    /// Whether it counts and has not come to its end.
    var isGoingOn: Bool { contents.withLock { !$0.isEnded && !$0.isDone } }

    /// Makes it the work of the object that has replaced its own, unless it has begun.
    /// - Returns: Whether it had not begun, so that there is nothing to take over.
    func move(to state: any WorkflowState) -> Bool {
        // The one before is released when the lock is free.
        var other = state
        return contents.withLock { contents in
            if contents.hasBegun { return false }
            if var subject = contents.subject.take() {
                swap(&subject.state, &other)
                contents.subject = subject
            }
            return true
        }
    }

    /// Starts a task that does it, unless it was ended.
    func start() {
        // Detached, because work belongs to its state and not to the caller that has fired.
        let task = Task.detached(executorPreference: scheduler.executor) { await self.doOnce() }
        let isEnded = contents.withLock { contents in
            if !contents.isDone { contents.task = task }
            return contents.isEnded
        }
        // The task had begun by then, and nobody else has cancelled it. Not in the lock: cancellation handlers are user code.
        if isEnded { task.cancel() }
    }

    /// Does it in a child of the caller's task, which is cancelled when the work is ended.
    func runAsChild() async {
        await withTaskGroup(of: Void.self) { group in
            // Within the group: who cancels the caller's task ends the work first, and cancels the children then.
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

    /// Does it in the caller's task, unless it was ended before it has begun.
    /// - Parameter beforeTelling: Is called when the body has come to its end, before somebody is told of that.
    private func doOnce(beforeTelling: () -> Void = {}) async {
        let subject = contents.withLock { contents in
            contents.hasBegun = contents.subject != nil
            return contents.subject
        }
        if let subject {
            let failed = await callBody(of: working, subject)
            beforeTelling()
            if let failed { machine?.workHasFailed(self, failed) } else { machine?.workIsDone(self) }
        }
        let waiters = contents.withLock { contents in
            contents.isDone = true
            // Neither is released in the lock: the task is running, and this function keeps the subject.
            contents.task = nil
            contents.subject = nil
            return contents.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
        withExtendedLifetime(subject) {}
    }

    /// Calls the state's method.
    /// - Returns: The error, if it has thrown one.
    private func callBody<State: Working>(of type: State.Type, _ subject: Subject) async -> FailedWork? {
        guard let state = subject.state as? State,
            let context = GivenContext.value(of: subject.context, as: State.MachineWorkflow.Context.self)
        else { preconditionFailure("Work begins in its own state, and when the machine has its context.") }
        do {
            try await state.work(WorkCall<State.MachineWorkflow>(context, self, in: type))
            return nil
        } catch {
            return FailedWork(state: state, error: error)
        }
    }

    /// Lets it count no longer: it does not begin any more, or its task is cancelled.
    func end() {
        // Released when the lock is free.
        var unused: Subject?
        let (task, waiters) = contents.withLock { contents in
            contents.isEnded = true
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
                    if contents.isEnded || contents.isDone || Task.isCancelled { return true }
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
    func startWork(of plan: TransitionPlan, _ transition: StateTransition, _ activity: MachineActivity) {
        guard let working = definition.states[plan.destination].hooks.working, activity.work == nil,
            !transition.turn({ $0.isAboutToLeave })
        else { return }
        let work = StateWork(of: working, transition.destination, transition.treeMachine, scheduler, context)
        if activity.keep(work), !handToRunner(work) { work.start() }
    }

    /// Offers some work to the machine's runner, and then to those of the machines around it, the nearest first.
    private func handToRunner(_ work: StateWork) -> Bool {
        if activity?.handToRunner(work) == true { return true }
        return place?.holder?.withCore { $0.handToRunner(work) } ?? false
    }

    /// Whether some work is that of the current state.
    func counts(_ work: StateWork.ID) -> Bool {
        guard let current = activity?.work else { return false }
        return current.id == work && !current.isEnded
    }
}

/// A state whose work has thrown, and the error.
struct FailedWork: Sendable {
    let state: any WorkflowState
    let error: any Error
}
