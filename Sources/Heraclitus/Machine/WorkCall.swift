// What the work of a state can do with its machine.

extension WorkCall {
    /// The machine, if there is still one.
    ///
    /// What is fired through it is not bound to the work: ``fire`` is. Who keeps it keeps the machine alive.
    public var machine: StateMachine<W>? { stateWork.machine as? StateMachine<W> }

    /// Fires events as long as the work counts: `try call.fire.connected(ConnectedState(socket))`.
    ///
    /// When the machine has left the state, or is gone, it throws ``InvalidTransition`` for the reason `notCurrent`, and nothing changes.
    public var fire: Fire<W> {
        get throws(InvalidTransition) {
            if let machine { return Fire(machine: machine, work: stateWork.id) }
            let definition = CompiledWorkflow<W>.shared.definition
            throw InvalidTransition(
                Rejection(
                    .notCurrent,
                    event: nil,
                    from: definition.stateIndex(of: state),
                    // Nobody knows which event.
                    Rejection.Details(attempt: "be fired by its work")
                ),
                in: definition,
                userInfo: [:]
            )
        }
    }

    var stateWork: StateWork {
        guard let work = work as? StateWork else { preconditionFailure("A workplace is that of work.") }
        return work
    }
}
