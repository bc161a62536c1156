/// An object with a method that is called for each occurrence of a machine.
///
/// It is called in the order of ``StateMachine/observe(regions:_:)``, which adds a closure in place of an object.
///
/// ```swift
/// machine.addDelegate(controller)
/// ```
public protocol StateMachineDelegate<MachineWorkflow>: AnyObject, Sendable {
    /// The workflow of the machine.
    associatedtype MachineWorkflow: Workflow

    /// A transition was made, or something else has happened: see ``Occurrence/kind``.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - occurrence: The occurrence with its objects, such as ``Occurrence/transition`` and ``Occurrence/error``.
    func machine(_ machine: StateMachine<MachineWorkflow>, didObserve occurrence: Occurrence)
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
            delegate.machine(self, didObserve: occurrence)
        }
    }
}
