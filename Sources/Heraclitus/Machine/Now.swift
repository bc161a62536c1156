// The date by the clock of a machine.
public import HeraclitusEssentials

extension StateMachine {
    /// The current date, by the machine's scheduler.
    ///
    /// Builders, hooks, actions and work have the same date: ``EventCall/now``, ``StateTransition/now``,
    /// ``ActionCall/now`` and ``WorkCall/now``. Code that reads only these dates can be tested with a manual clock.
    public var now: Date { core.scheduler.date }
}

extension StateTransition {
    /// The date by the machine's scheduler.
    ///
    /// All hooks and observers of a transition get the same date. Afterwards it is the current date.
    public var now: Date {
        guard let machine else { return laterScheduler.date }
        return machine.withCore { core in
            let call = Call(machine)
            return call.thread.content.hasTurn(of: call.id) ? core.date(of: call) : core.scheduler.date
        }
    }
}

extension ActionCall {
    /// The current date, by the machine's scheduler.
    public var now: Date { machine.now }
}

extension WorkCall {
    /// The current date, by the machine's scheduler.
    public var now: Date { work.scheduler.date }

    /// Sleeps by the machine's scheduler; in a test, until the manual clock has moved on.
    /// - Parameter duration: The duration.
    /// - Throws: `CancellationError` when the work is cancelled.
    public func sleep(for duration: Duration) async throws {
        let scheduler = work.scheduler
        try await scheduler.sleeping(until: scheduler.date + duration)()
    }
}
