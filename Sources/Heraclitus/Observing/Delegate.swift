/// An object with methods that are called for each occurrence of a machine.
///
/// Implement the methods that you need; the default implementations are empty. They are called in the order of
/// ``StateMachine/observe(regions:_:)``.
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
    ///   - error: The error that the caller gets, or the action's failure.
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

    /// The work of a state has failed without a following event.
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
    ///   - error: The error that the caller gets, or the action's failure.
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
    /// Adds a delegate, which the machine holds weakly.
    ///
    /// A machine may have several delegates.
    /// - Parameter delegate: The delegate.
    /// - Returns: A registration for removing the delegate.
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
