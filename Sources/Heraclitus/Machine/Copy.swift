extension StateMachine {
    /// Returns an independent machine in the same state, at the same revision, and ``isActive`` if this one is.
    ///
    /// The copy has the definition's hooks, and none of this machine's own closures, observers or pending work. Deadlines and work of a copy
    /// begin when it is activated or fired: also a copy that is active is activated for that, which calls no hooks then. Both
    /// machines share the context, and the state object, because it does not change. A state that is ``Copying`` is copied. A state that
    /// contains a machine and is not `Copying` is mostly found before it is copied, as a ``WorkflowProblem/uncopiableMachine(className:property:)``. If
    /// it was not, it stops the program here, because the copy would change with the original. Reflection over every property, and over the
    /// values of each ``UserInfo``, finds such a state, at each copy of a state that is not `Copying`. If the ``previousState`` is such a state,
    /// the copy has no previous state.
    ///
    /// Any thread may call it at any time. During a transition it copies the committed state. Of a tree of machines, as ``Composite`` says,
    /// it copies the committed states of all of them as of one moment.
    public func copy() -> StateMachine {
        if core.isReadAtOnce { return copy(of: core.snapshot) }
        return TreeMoment.show([self]) { moment in
            if let path = moment.pathBeyondLimit { fatalError(TreeMoment.explanation(of: path)) }
            return copy(of: core.snapshot)
        }
    }

    private func copy(of snapshot: Snapshot) -> StateMachine {
        let state = snapshot.state
        var snapshot = snapshot
        snapshot.state = Self.copy(of: snapshot.state)
        expectOwnRegions(of: snapshot.state, copyOf: state, in: snapshot.status.index)
        // To leave it out is less than to stop the program because of a state that is over.
        snapshot.previous = snapshot.previous.flatMap { MachineHolding.isCopyable($0) ? Self.copy(of: $0) : nil }
        // What goes on by itself is the original's; the copy begins its own when it is activated, or fired.
        if definition.hasActivity, snapshot.status.isActive {
            snapshot.status = PackedStatus(snapshot.status.index, .resumption)
        }
        return StateMachine(MachineCore(definition, snapshot, core.scheduler, core.context))
    }

    /// A copy of the machine and of those in its state that nobody else has, as of one moment; to be archived.
    /// - Throws: An error with the path if they lie within one another too deep.
    func frozen() throws(ArchiveError) -> StateMachine {
        let (copy, path) = TreeMoment.show([self]) { moment -> (StateMachine?, [String]) in
            if let path = moment.pathBeyondLimit { return (StateMachine?.none, path) }
            return (self.copy(of: core.snapshot), [])
        }
        guard let copy else { throw TreeMoment.tooDeep(path, in: stateName) }
        for machine in TreeMoment(of: [copy]).machines { machine.withCore { $0.madePlace.noteFrozen() } }
        return copy
    }

    /// Stops the program if a state and its copy have a machine in common, which would belong to both.
    private func expectOwnRegions(of copy: AnyObject, copyOf state: AnyObject, in index: Int) {
        let hooks = definition.states[index].hooks
        guard hooks.isComposite else { return }
        let regions = hooks.regions(of: state)
        guard let shared = hooks.regions(of: copy).first(where: { region in regions.contains { $0 === region } }) else {
            return
        }
        fatalError(
            "`copied()` of \(fullName(of: type(of: state))) returns a state with the same machine of "
                + "\((shared as? any TreeMachine)?.workflowName ?? ""): let the returned one have `copy()` of each of its machines."
        )
    }

    private static func copy(of state: AnyObject) -> AnyObject {
        if let copying = state as? any Copying { return copying.copied() }
        MachineHolding.check(state)
        return state
    }
}
