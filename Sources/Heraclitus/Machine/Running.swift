// How is what goes on by itself run as child tasks?

extension StateMachine {
    /// Activates the machine, and does the work of its states in child tasks, until a final state or until the task is cancelled.
    ///
    /// Use it where tasks are structured: in a task group, or as a service that is shut down by cancelling it. Without it, work has tasks of
    /// its own. The work of machines in its state is done in child tasks, too, at any depth; not that of one that is run itself.
    ///
    /// When the task is cancelled, the work is cancelled, deadlines are disarmed, and the machine stays in its state. The next
    /// ``activate(userInfo:)``, fire or `run()` begins the work again. A machine is run once at a time. What goes on in machines in a final
    /// state when the run ends has tasks of its own from then on.
    /// - Throws: `CancellationError` when the task was cancelled; ``InvalidTransition`` if the machine has no ``context``, or cannot be activated for another
    ///   reason, such as ``InvalidTransition/Reason-swift.enum/notCurrent`` of a machine whose holder has left its state.
    public func run() async throws {
        let feed = RunFeed()
        let isFirst = core.environment?.setRunner(feed.takes) ?? true
        precondition(isFirst, "\(self) is run already.")
        let registration = onTransition { [weak self] _ in
            if let self, self.core.hasFinalState { feed.mayEnd() }
        }
        defer {
            registration.cancel()
            core.environment?.setRunner(nil)
            feed.takeNoMore()
        }
        core.suspend(Call(self, [:]))
        try activateToRun()
        feed.mayEnd()
        await withDiscardingTaskGroup { group in
            for await step in feed.steps {
                switch step {
                case .work(let work): group.addTask { await work.runAsChild() }
                case .mayEnd: await endIfFinal(feed)
                }
            }
        }
        if Task.isCancelled {
            core.suspend(Call(self, [:]))
            throw CancellationError()
        }
    }

    /// Lets no work of its states begin, nor that of machines in its state, for somebody who fires alone; before it is activated.
    package func leaveOutWork() { core.environment?.setRunner { _ in true } }

    /// Ends a run in a final state, when everybody has been called who hears of its entering.
    private func endIfFinal(_ feed: RunFeed) async {
        while !Task.isCancelled, await waitForTurnElsewhere() {}
        if core.hasFinalState { feed.finish() }
    }

    private func activateToRun() throws(InvalidTransition) {
        do {
            try core.activate(Call(self, [:]))
        } catch {
            let details = Rejection.Details(machines: error.machines, attempt: "be run")
            let rejection = Rejection(error.reason, event: nil, from: core.now.index, details)
            throw InvalidTransition(rejection, in: definition, userInfo: [:])
        }
    }
}

/// What a run has to do.
private final class RunFeed: Sendable {
    enum Step: Sendable {
        /// A state's work has to be done.
        case work(StateWork)

        /// A state was entered that nothing leaves.
        case mayEnd
    }

    /// What comes, until the run is finished or its task is cancelled.
    let steps: AsyncStream<Step>

    private let continuation: AsyncStream<Step>.Continuation

    /// The work that has come since the task was cancelled; `nil` when the run takes no more.
    private let late = Lock<[StateWork]?>([])

    init() { (steps, continuation) = AsyncStream.makeStream() }

    func mayEnd() { continuation.yield(.mayEnd) }

    /// Lets the run do some work.
    ///
    /// In a run that was cancelled it does not begin: the machine is about to be suspended, which ends the work.
    /// - Returns: Whether the run takes it.
    func takes(_ work: StateWork) -> Bool {
        guard case .terminated = continuation.yield(.work(work)) else { return true }
        return late.withLock { $0?.append(work) } != nil
    }

    /// Ends the steps in a final state.
    func finish() {
        takeNoMore()
        continuation.finish()
    }

    /// Leaves all other work to tasks of their own, also what has come late and still counts.
    func takeNoMore() {
        for work in late.withLock({ $0.take() }) ?? [] { WorkLine.append(work) }
    }
}
