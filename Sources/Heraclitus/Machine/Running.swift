// Runs the work of states as child tasks.

extension StateMachine {
    /// Activates the machine, and runs the work of its states in child tasks, until a final state or the cancellation
    /// of the task.
    ///
    /// Use it where tasks are structured: in a task group, or as a service that is shut down by cancellation. Without a
    /// run, work has its own tasks. Work of machines in the state runs in child tasks, too, at any depth, except for a
    /// machine with its own run.
    ///
    /// Work in progress when the run begins is cancelled, and begun again by the run. Work of a machine that comes into
    /// a state later keeps its task. A cancellation of the run's task cancels the work. After the work has returned,
    /// deadlines are disarmed, and the machine stays in its state. The next ``activate(context:userInfo:)``, fire or
    /// `run()` begins the work again, unless it returned before the cancellation. A machine whose workflow has work,
    /// deadlines or machines in states has at most one run at a time.
    ///
    /// Machines in the state are suspended as well, including machines with their own run, which go on when activated
    /// or fired.
    ///
    /// In a final state the run waits for the work of machines in that state. Later work there has its own tasks.
    /// - Throws: `CancellationError` for a cancelled task. ``InvalidTransition`` before any change: for
    ///   ``InvalidTransition/Reason-swift.enum/alreadyRunning``, without a ``context``, and for other failed
    ///   activations, such as ``InvalidTransition/Reason-swift.enum/notCurrent`` for a machine whose holder has left
    ///   its state.
    public func run() async throws {
        let feed = RunFeed()
        // A machine without an activity has no work.
        let isFirst = core.activity?.setRunner(feed.take) ?? true
        guard isFirst else { throw rejection(of: .alreadyRunning) }
        let registration = onTransition { [weak self] _ in
            if let self, self.core.hasFinalState { feed.signal() }
        }
        defer {
            registration.cancel()
            core.activity?.setRunner(nil)
            // Work that has begun since the machine was suspended gets tasks of its own.
            for work in feed.takeNoMore() { work.start() }
        }
        // Machines in the state may already work, even if this one is inactive.
        if !core.regions.isEmpty { try activateToRun() }
        core.suspend(Call(self))
        try activateToRun()
        await withDiscardingTaskGroup { group in
            feed.signal()
            var isEnding = false
            for await _ in feed.signals {
                for work in feed.takeAll() { group.addTask { await work.runAsChild() } }
                // A child task: a callback may wait for work of a machine in the final state.
                if core.hasFinalState, !isEnding {
                    isEnding = true
                    group.addTask {
                        while !Task.isCancelled, await self.waitForTurnElsewhere() {}
                        feed.finish()
                    }
                }
            }
            if Task.isCancelled { return }
            for work in feed.takeNoMore() { group.addTask { await work.runAsChild() } }
        }
        if Task.isCancelled {
            core.suspend(Call(self))
            throw CancellationError()
        }
    }

    /// Turns off the work of the machine and of machines in its state, for tests.
    ///
    /// Call it before the activation.
    package func leaveOutWork() { core.activity?.setRunner { _ in true } }

    private func activateToRun() throws(InvalidTransition) {
        do { try core.activate(Call(self)) } catch { throw rejection(of: error.reason, machines: error.machines) }
    }

    private func rejection(of reason: InvalidTransition.Reason, machines: [String] = []) -> InvalidTransition {
        core.invalidTransition(reason, InvalidTransition.Details(machines: machines, attempt: "be run"), Call(self))
    }
}

/// The work for a run.
private final class RunFeed: Sendable {
    /// A signal for new work or for the end of the run.
    let signals: AsyncStream<Void>

    private let continuation: AsyncStream<Void>.Continuation

    /// The work that waits for the run; `nil` after the end.
    private let works = Lock<[StateWork]?>([])

    init() { (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func signal() { continuation.yield() }

    /// Ends the signals.
    func finish() { continuation.finish() }

    /// Hands work to the run.
    ///
    /// In a cancelled run the work waits until the machine is suspended, which ends the work.
    /// - Returns: Whether the run takes the work.
    func take(_ work: StateWork) -> Bool {
        let isTaken = works.withLock { $0?.append(work) } != nil
        if isTaken { signal() }
        return isTaken
    }

    /// Takes the waiting work.
    ///
    /// More may come.
    func takeAll() -> [StateWork] {
        works.withLock { works in works == nil ? [] : exchange(&works, with: []) ?? [] }
    }

    /// Takes the waiting work, and ends the intake.
    func takeNoMore() -> [StateWork] { works.withLock { $0.take() } ?? [] }
}
