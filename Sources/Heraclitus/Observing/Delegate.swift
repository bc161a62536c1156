/// An object whose methods are called for everything that happens to a machine.
///
/// It implements the methods that it needs; the others do nothing. They are called in the order of ``StateMachine/observe(regions:_:)``.
///
/// ```swift
/// machine.addDelegate(controller)
/// ```
public protocol StateMachineDelegate<MachineWorkflow>: AnyObject, Sendable {
    /// The workflow of the machine.
    associatedtype MachineWorkflow: Workflow

    /// A transition was made.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - transition: The transition.
    func machine(_ machine: StateMachine<MachineWorkflow>, didMake transition: StateTransition)

    /// A fire or an action was rejected, or an action failed.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - error: The error that the caller gets, or why the action failed.
    func machine(_ machine: StateMachine<MachineWorkflow>, didReject error: InvalidTransition)

    /// An event was fired that the current state ignores.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - occurrence: The event, the state and the user info.
    func machine(_ machine: StateMachine<MachineWorkflow>, didIgnore occurrence: Occurrence)

    /// An action was carried out.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - occurrence: The action, the state and the user info.
    func machine(_ machine: StateMachine<MachineWorkflow>, didPerform occurrence: Occurrence)

    /// The program has made an announcement.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - occurrence: The announcement, the state and the user info.
    func machine(_ machine: StateMachine<MachineWorkflow>, didAnnounce occurrence: Occurrence)

    /// The work of a state has failed, and no event has followed from that.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - occurrence: The state and the error.
    func machine(_ machine: StateMachine<MachineWorkflow>, didFail occurrence: Occurrence)
}

extension StateMachineDelegate {
    /// Does nothing.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - transition: The transition.
    public func machine(_ machine: StateMachine<MachineWorkflow>, didMake transition: StateTransition) {}

    /// Does nothing.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - error: The error that the caller gets, or why the action failed.
    public func machine(_ machine: StateMachine<MachineWorkflow>, didReject error: InvalidTransition) {}

    /// Does nothing.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - occurrence: The event, the state and the user info.
    public func machine(_ machine: StateMachine<MachineWorkflow>, didIgnore occurrence: Occurrence) {}

    /// Does nothing.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - occurrence: The action, the state and the user info.
    public func machine(_ machine: StateMachine<MachineWorkflow>, didPerform occurrence: Occurrence) {}

    /// Does nothing.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - occurrence: The announcement, the state and the user info.
    public func machine(_ machine: StateMachine<MachineWorkflow>, didAnnounce occurrence: Occurrence) {}

    /// Does nothing.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - occurrence: The state and the error.
    public func machine(_ machine: StateMachine<MachineWorkflow>, didFail occurrence: Occurrence) {}
}

extension StateMachine {
    /// Adds a weakly held delegate, whose methods are called for everything that happens; a machine may have several.
    /// - Parameter delegate: The delegate, which the machine does not keep alive.
    /// - Returns: A registration, with which the delegate can be removed.
    @discardableResult
    public func addDelegate(_ delegate: some StateMachineDelegate<W>) -> Registration {
        observe { [weak self, weak delegate] occurrence in
            guard let self, let delegate else { return }
            switch occurrence.kind {
            case .transitioned: occurrence.transition.map { delegate.machine(self, didMake: $0) }
            case .rejected, .refused:
                (occurrence.error as? InvalidTransition).map { delegate.machine(self, didReject: $0) }
            case .ignored: delegate.machine(self, didIgnore: occurrence)
            case .performed: delegate.machine(self, didPerform: occurrence)
            case .announced: delegate.machine(self, didAnnounce: occurrence)
            case .failed: delegate.machine(self, didFail: occurrence)
            }
        }
    }
}
