// How does somebody wait until nothing goes on by itself?

extension StateMachine {
    /// Waits until nothing goes on by itself now: no work runs, and no event is due.
    ///
    /// What follows from the work and from the events is waited for as well, and so are the machines in its state; deadlines in the future are not, and neither is cancelled work
    /// that goes on all the same. Use it in tests:
    ///
    /// ```swift
    /// try machine.fire.connect(ConnectingState(host: "example.org"))
    /// await machine.settled()
    /// #expect(machine.isIn(ConnectedState.self))
    /// ```
    ///
    /// It returns at once if the machine is not active, or is a copy that was not activated or fired yet, and early if the task is cancelled.
    public func settled() async {
        while !Task.isCancelled {
            if await waitForTurnElsewhere() { continue }
            let before = revision
            guard let activity = core.activity, !activity.isPassive else { return }
            if let timer = activity.timer, timer.isDue {
                timer.comesDueNow()
                await Task.yield()
            } else if let work = activity.work, work.isGoingOn {
                await work.wait()
            } else if let region = (core.place?.regions ?? []).first(where: { !$0.isSettled }) {
                await region.settled()
            } else if revision != before {
                // The work may have been found at its end within a turn that has come meanwhile, and has begun something else.
                continue
            } else if await !waitForTurnElsewhere() {
                return
            }
        }
    }

    /// Waits until another thread has ended the turn that is under way, or until the task is cancelled.
    ///
    /// No thread of the pool waits for the callbacks of another one, which may wait for the pool.
    /// - Returns: Whether there was such a turn.
    func waitForTurnElsewhere() async -> Bool {
        let (turn, end) = AsyncStream<Never>.makeStream()
        guard whenReleased({ end.finish() }) else { return false }
        for await _ in turn {}
        return true
    }

    /// Whether nothing goes on by itself now, neither here nor in the machines in its state.
    var isSettled: Bool {
        if isOwnedElsewhere { return false }
        guard let activity = core.activity, !activity.isPassive else { return true }
        return activity.timer?.isDue != true
            && activity.work?.isGoingOn != true && (core.place?.regions ?? []).allSatisfy(\.isSettled)
    }
}
