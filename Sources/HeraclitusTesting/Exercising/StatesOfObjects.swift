import Heraclitus

extension Definition {
    /// Whether an object is of a state: of its class, or of an unregistered subclass with the same name.
    ///
    /// The name alone does not tell, because a class of another workflow may have the same name.
    func isObject(_ object: any WorkflowState, of state: String) -> Bool {
        guard let number = stateIndex(named: state), name(of: object) == state else { return false }
        // The objects of a `DataWorkflow` share one class.
        if stateIndex(of: object) != nil || mismatch(of: object) != nil { return true }
        return superclasses(of: type(of: object)).contains { stateIndex(of: $0) == number }
    }
}
