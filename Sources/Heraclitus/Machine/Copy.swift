extension StateMachine {
    /// Returns an independent machine in the same state, at the same revision, and ``isActive`` if this machine is.
    ///
    /// The copy has the definition's hooks, without this machine's closures, observers and pending work. Its deadlines
    /// and work begin when it is activated or fired. For an active copy, such an activation calls no hooks.
    ///
    /// Both machines share the context and the state object, which is immutable. A ``Copying`` state is copied.
    ///
    /// A state with a machine has to be `Copying`. A ``WorkflowProblem`` usually reports a violation earlier. Otherwise
    /// the copy stops the program, because both machines would change together.
    /// Each copy of a state that is not `Copying` checks all properties, and the values of each ``UserInfo``, by
    /// reflection. If the ``previousState`` violates the rule, the copy has no previous state.
    ///
    /// Any thread may call it at any time. During a transition it copies the committed state. A tree of machines (see
    /// ``Composite``) is copied as of one moment.
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
        do { snapshot.state = try Self.copy(of: state) } catch { fatalError("\(error)") }
        expectOwnRegions(of: snapshot.state, copyOf: state, in: snapshot.status.index)
        // The previous state is over, so leaving it out is better than stopping the program.
        snapshot.previous = snapshot.previous.flatMap { try? Self.copy(of: $0) }
        // Deadlines and work belong to the original. The copy begins its own when it is activated or fired.
        if definition.hasActivity, !snapshot.status.needsActivation {
            snapshot.status = PackedStatus(snapshot.status.index, pending: .resumption)
        }
        return StateMachine(MachineCore(definition, snapshot, core.scheduler, core.context))
    }

    /// A private copy of the machine and of machines in its state, as of one moment, for archiving.
    /// - Throws: An error with the path of a machine that is nested too deeply.
    func frozen() throws(ArchiveError) -> StateMachine {
        let (copy, path) = TreeMoment.show([self]) { moment -> (StateMachine?, [String]) in
            if let path = moment.pathBeyondLimit { return (StateMachine?.none, path) }
            return (self.copy(of: core.snapshot), [])
        }
        guard let copy else { throw TreeMoment.tooDeep(path, in: stateName) }
        for machine in TreeMoment(of: [copy]).machines { machine.withCore { $0.madePlace.noteFrozen() } }
        return copy
    }

    /// Stops the program if a state and its copy share a machine, which would have two holders.
    private func expectOwnRegions(of copy: AnyObject, copyOf state: AnyObject, in index: Int) {
        let regions = Set(definition.regions(of: state, in: index).map { ObjectIdentifier($0) })
        let regionsOfCopy = definition.regions(of: copy, in: index)
        guard let shared = regionsOfCopy.first(where: { regions.contains(ObjectIdentifier($0)) }) else { return }
        fatalError(
            "`copied()` of \(fullName(of: type(of: state))) returns a state with the same machine of "
                + "\(shared.workflowName): give the returned state a `copy()` of each of its machines."
        )
    }

    /// Copies a state, or shares it because it holds no machine.
    private static func copy(of state: AnyObject) throws(WorkflowProblem) -> AnyObject {
        if let copying = state as? any Copying { return copying.copied() }
        // Each object is checked, because another object of the class may hold a machine.
        if let problem = RegionProblems.problem(of: state) { throw problem }
        return state
    }
}
