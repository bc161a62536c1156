extension StateMachine {
    /// Returns an independent machine in the same state, at the same revision, as active as this one.
    ///
    /// The copy has the definition's hooks and none of this machine's own closures, observers or pending work. A state
    /// object is shared, because it does not change; one that is ``Copying`` is copied. A state that holds a machine and
    /// is not `Copying` stops the program here, for the copy would change with the original. That is found by
    /// reflection over every property, at each copy of a state that is not `Copying`.
    ///
    /// Any thread may call it at any time; during a transition it copies the state that the machine still shows.
    public func copy() -> StateMachine {
        var snapshot = core.snapshot
        snapshot.state = Self.copy(of: snapshot.state)
        snapshot.previous = snapshot.previous.map(Self.copy)
        guard let environment = core.environment else { return StateMachine(MachineCore(definition, snapshot)) }
        // What goes on by itself is the original's; the copy begins its own when it is activated, or fired.
        if snapshot.status.isActive { snapshot.status = PackedStatus(snapshot.status.index, .resumption) }
        return StateMachine(MachineCore(definition, snapshot, environment.scheduler))
    }

    private static func copy(of state: AnyObject) -> AnyObject {
        if let copying = state as? any Copying { return copying.copied() }
        MachineHolding.check(state)
        return state
    }
}
