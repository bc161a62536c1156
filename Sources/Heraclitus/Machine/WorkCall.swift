// The machine from the view of a state's work.
public import HeraclitusEssentials

extension WorkCall {
    /// The machine; `nil` after its release.
    ///
    /// Fires through it are independent of the work, unlike ``fire``. A reference to it retains the machine.
    public var machine: StateMachine<W>? { work.machine as? StateMachine<W> }

    /// Fires events while the work is valid: `try call.fire.connected(ConnectedState(socket))`.
    ///
    /// After the machine has left the state or was released, it throws ``InvalidTransition`` for the reason
    /// `notCurrent`, without a change.
    public var fire: Fire<W> {
        get throws(InvalidTransition) {
            if let machine { return Fire(machine: machine, work: work.id) }
            let source = W.definition.stateIndex(of: state)
            // The event is unknown.
            let details = InvalidTransition.Details(attempt: "be fired by its work")
            throw InvalidTransition(.notCurrent, in: W.definition, event: nil, from: source, details)
        }
    }

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
