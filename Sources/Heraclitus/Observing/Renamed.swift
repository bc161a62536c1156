// Names that early users know. They go with version 1.0.

extension StateMachine where W.Context == Void {
    /// Makes a machine that begins in another state than the workflow's initial one, and enters it.
    /// - Parameter state: The state to begin in.
    @available(*, deprecated, renamed: "init(entering:)")
    public convenience init(initially state: W.AnyState) { self.init(entering: state) }

    /// Makes a machine that is already in a state.
    /// - Parameter state: The state it is in.
    @available(*, deprecated, renamed: "init(alreadyIn:)")
    public convenience init(in state: W.AnyState) { self.init(alreadyIn: state) }
}

extension StateMachine {
    /// Adds a weakly held delegate.
    /// - Parameter delegate: The delegate.
    /// - Returns: A registration, with which the delegate can be removed.
    @available(*, deprecated, renamed: "addDelegate(_:)")
    @discardableResult
    public func tell(_ delegate: some StateMachineDelegate<W>) -> Registration { addDelegate(delegate) }
}
