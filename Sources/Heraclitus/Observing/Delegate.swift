/// An object with methods that are called for each occurrence of a machine.
///
/// Implement the methods that you need; the default implementations are empty. They are called in the order of
/// ``StateMachine/observe(_:)``.
///
/// ```swift
/// machine.addDelegate(controller)
/// ```
public protocol StateMachineDelegate<Life>: AnyObject, Sendable {
    /// The workflow of the machine.
    associatedtype Life: Workflow

    /// A transition was made.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - transition: The transition.
    func machine(_ machine: StateMachine<Life>, didMake transition: StateTransition)

    /// A fire was rejected.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - error: The error that the caller gets.
    func machine(_ machine: StateMachine<Life>, didReject error: InvalidTransition)

    /// An event was fired that the current state ignores.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - event: The event.
    func machine(_ machine: StateMachine<Life>, didIgnore event: IgnoredEvent)

    /// An action was carried out.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - action: The action.
    func machine(_ machine: StateMachine<Life>, didPerform action: PerformedAction)

    /// An action was refused.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - error: The error that the caller gets, or the action's failure.
    func machine(_ machine: StateMachine<Life>, didRefuse error: InvalidAction)

    /// An announcement was made.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - announcement: The announcement.
    func machine(_ machine: StateMachine<Life>, didAnnounce announcement: Announcement)

    /// The work of a state has failed without a following event.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - work: The state and the error.
    func machine(_ machine: StateMachine<Life>, didFail work: FailedWork)
}

extension StateMachineDelegate {
    /// Does nothing.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - transition: The transition.
    public func machine(_ machine: StateMachine<Life>, didMake transition: StateTransition) {}

    /// Does nothing.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - error: The error that the caller gets.
    public func machine(_ machine: StateMachine<Life>, didReject error: InvalidTransition) {}

    /// Does nothing.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - event: The event.
    public func machine(_ machine: StateMachine<Life>, didIgnore event: IgnoredEvent) {}

    /// Does nothing.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - action: The action.
    public func machine(_ machine: StateMachine<Life>, didPerform action: PerformedAction) {}

    /// Does nothing.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - error: The error that the caller gets, or the action's failure.
    public func machine(_ machine: StateMachine<Life>, didRefuse error: InvalidAction) {}

    /// Does nothing.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - announcement: The announcement.
    public func machine(_ machine: StateMachine<Life>, didAnnounce announcement: Announcement) {}

    /// Does nothing.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - work: The state and the error.
    public func machine(_ machine: StateMachine<Life>, didFail work: FailedWork) {}
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
            switch occurrence.outcome {
            case .transitioned(let transition): delegate.machine(self, didMake: transition)
            case .rejected(let error): delegate.machine(self, didReject: error)
            case .ignored(let event): delegate.machine(self, didIgnore: event)
            case .performed(let action): delegate.machine(self, didPerform: action)
            case .refused(let error): delegate.machine(self, didRefuse: error)
            case .announced(let announcement): delegate.machine(self, didAnnounce: announcement)
            case .failed(let work): delegate.machine(self, didFail: work)
            case nil: break
            }
        }
    }
}
