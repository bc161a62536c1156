// Waits until a machine has no activity.

extension StateMachine {
    /// Waits until no work runs and no event is due.
    ///
    /// The wait includes the effects of work and events, and the machines in the state. It excludes future deadlines,
    /// and cancelled work that is still running. Use it in tests:
    ///
    /// ```swift
    /// try machine.fire.connect(ConnectingState(host: "example.org"))
    /// await machine.settled()
    /// #expect(machine.isIn(ConnectedState.self))
    /// ```
    ///
    /// The call never returns while work goes on for ever, such as the work of an open connection. Wait for a state
    /// there by ``wait(for:timeout:)``, or call `await clock.advance(by: .zero)` of a `ManualClock`, which returns when
    /// all work waits.
    ///
    /// The call returns at once for an inactive machine, including a copy that was not activated or fired. It returns
    /// early when the task is cancelled.
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
            } else if let region = core.regions.first(where: { !$0.isSettled }) {
                await region.settled()
            } else if revision != before {
                // The work may have ended in a concurrent turn that began other work.
                continue
            } else if await !waitForTurnElsewhere() {
                return
            }
        }
    }

    /// Waits for the end of another thread's turn, or for the cancellation of the task.
    ///
    /// The wait suspends the task, because another thread's callbacks may need the thread pool.
    /// - Returns: Whether there was such a turn.
    func waitForTurnElsewhere() async -> Bool {
        let end = AsyncSignal()
        guard whenReleased({ end.send() }) else { return false }
        await end.wait()
        return true
    }
}

extension TreeMachine {
    /// Whether the machine and the machines in its state have no work and no due event.
    var isSettled: Bool {
        if isOwnedElsewhere { return false }
        guard let activity = core.activity, !activity.isPassive else { return true }
        return activity.timer?.isDue != true
            && activity.work?.isGoingOn != true && core.regions.allSatisfy { $0.isSettled }
    }
}
