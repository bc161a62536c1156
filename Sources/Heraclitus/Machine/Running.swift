// How is what goes on by itself run as child tasks?

extension StateMachine {
    /// Activates the machine, and does the work of its states in child tasks, until a final state or until the task is cancelled.
    ///
    /// Use it where tasks are structured: in a task group, or as a service that is shut down by cancelling it. Without it, work has tasks of
    /// its own. The work of machines in its state is done in child tasks, too, at any depth; not that of one that is run itself.
    ///
    /// Work that goes on when the run begins is cancelled, and begun anew by the run; work that a machine brings with it when it is put into a
    /// state later keeps its task. When the run's task is cancelled, the work is cancelled. When that has returned, deadlines are disarmed, and the
    /// machine stays in its state. The next ``activate(userInfo:)``, fire or `run()` begins the work again. A machine is run once at a time.
    ///
    /// The machines in its state are suspended with it, also one that is run itself: that goes on when it is activated or fired.
    ///
    /// In a final state the run waits for the work of machines in that state. What begins there later has tasks of its own.
    /// - Throws: `CancellationError` when the task was cancelled; ``InvalidTransition``, before anything has changed, with the reason
    ///   ``InvalidTransition/Reason-swift.enum/alreadyRunning`` if the machine is run already; and if it has no ``context``, or cannot be activated for another
    ///   reason, such as ``InvalidTransition/Reason-swift.enum/notCurrent`` of a machine whose holder has left its state.
    public func run() async throws {
        let feed = RunFeed()
        // Without an activity there is no work.
        let isFirst = core.activity?.setRunner(feed.take) ?? true
        guard isFirst else { throw rejection(of: .alreadyRunning) }
        let registration = onTransition { [weak self] _ in
            if let self, self.core.hasFinalState { feed.signal() }
        }
        defer {
            registration.cancel()
            core.activity?.setRunner(nil)
            // What has begun since the machine was suspended.
            for work in feed.takeNoMore() { work.start() }
        }
        // Machines in the state may work already, also if this one is not active.
        if core.place?.regions.isEmpty == false { try activateToRun() }
        core.suspend(Call(self))
        try activateToRun()
        await withDiscardingTaskGroup { group in
            feed.signal()
            var isEnding = false
            for await _ in feed.signals {
                for work in feed.takeAll() { group.addTask { await work.runAsChild() } }
                // In a child: a callback may wait for work of a machine in the final state.
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

    /// Lets no work of its states begin, nor that of machines in its state, for somebody who fires alone; before it is activated.
    package func leaveOutWork() { core.activity?.setRunner { _ in true } }

    private func activateToRun() throws(InvalidTransition) {
        do { try core.activate(Call(self)) } catch { throw rejection(of: error.reason, machines: error.machines) }
    }

    private func rejection(of reason: InvalidTransition.Reason, machines: [String] = []) -> InvalidTransition {
        let details = Rejection.Details(machines: machines, attempt: "be run")
        return InvalidTransition(
            Rejection(reason, event: nil, from: core.now.index, details),
            in: definition,
            userInfo: [:]
        )
    }
}

/// The work that a run is to do.
private final class RunFeed: Sendable {
    /// A signal when there is work to be done, or the run may end; until it is finished, or its task is cancelled.
    let signals: AsyncStream<Void>

    private let continuation: AsyncStream<Void>.Continuation

    /// The work that waits for the run; `nil` when it takes no more.
    private let works = Lock<[StateWork]?>([])

    init() { (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func signal() { continuation.yield() }

    /// Ends the signals.
    func finish() { continuation.finish() }

    /// Lets the run do some work.
    ///
    /// In a run that was cancelled it waits until the machine is suspended, which ends it.
    /// - Returns: Whether the run takes it.
    func take(_ work: StateWork) -> Bool {
        let isTaken = works.withLock { $0?.append(work) } != nil
        if isTaken { signal() }
        return isTaken
    }

    /// Takes out the work that waits; more may come.
    func takeAll() -> [StateWork] {
        works.withLock { works in
            guard let all = works else { return [] }
            works = []
            return all
        }
    }

    /// Takes out the work that waits, and lets the run take no more.
    func takeNoMore() -> [StateWork] { works.withLock { $0.take() } ?? [] }
}
