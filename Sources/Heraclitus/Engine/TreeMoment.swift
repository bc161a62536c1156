// What were a machine and those in its state at one moment?

/// A tree of machines as of one moment.
///
/// Who copies or archives a tree does so machine by machine, in user code. So all of them are read first, and each is taken from here.
struct TreeMoment {
    private struct Member {
        let machine: any TreeMachine
        var snapshot: Snapshot
    }

    private var members: [ObjectIdentifier: Member] = [:]

    /// What a machine of the tree was; `nil` for others.
    subscript(machine: AnyObject) -> Snapshot? { members[ObjectIdentifier(machine)]?.snapshot }

    /// Reads a machine and those in its state.
    ///
    /// It waits for no callback. What was read one after the other is of one moment if all of it is the same a second time. Where transitions
    /// follow one another so fast that this does not succeed, it takes a turn between two of them.
    init(of machine: any TreeMachine) {
        while true {
            members = [:]
            add(machine)
            // To release a state object may call user code, which the turn's owner does not.
            let before = members
            let isDone = isCurrent || readBetweenTurns(of: machine)
            withExtendedLifetime(before) {}
            if isDone { return }
        }
    }

    private mutating func add(_ machine: any TreeMachine) {
        // A machine in two places of the tree is one machine.
        guard members[ObjectIdentifier(machine)] == nil else { return }
        let snapshot = machine.withCore { $0.snapshot }
        members[ObjectIdentifier(machine)] = Member(machine: machine, snapshot: snapshot)
        let regions = machine.withCore { $0.regions(of: snapshot.state, in: snapshot.status.index) }
        for region in regions { add(region) }
    }

    private var isCurrent: Bool {
        members.values.allSatisfy { member in member.machine.withCore { $0.snapshot }.isSame(as: member.snapshot) }
    }

    /// Reads the machines again while nobody makes transitions in the tree, unless somebody does now.
    /// - Returns: Whether it has, and they are still all that there are.
    private mutating func readBetweenTurns(of machine: any TreeMachine) -> Bool {
        let thread = ThreadState.ofThreads.current
        let root = machine.withCore { $0.root } ?? machine
        guard root.withCore({ $0.ownership.tryAcquire(by: thread.id) }) else { return false }
        defer { if root.withCore({ $0.ownership.release() }) { ParkingLot.shared.wake(for: root) } }
        var hasGrown = false
        for (id, member) in members {
            let snapshot = member.machine.withCore { core in
                let snapshot = core.snapshot
                let mayHold = core.definition.states[snapshot.status.index].hooks.isComposite
                if mayHold, snapshot.state !== member.snapshot.state { hasGrown = true }
                return snapshot
            }
            members[id]?.snapshot = snapshot
        }
        return !hasGrown
    }
}

extension Snapshot {
    /// Whether nothing has changed between this and another one of the same machine.
    fileprivate func isSame(as other: Snapshot) -> Bool {
        state === other.state && status.bits == other.status.bits && revision == other.revision
            && effects?.enteredCount == other.effects?.enteredCount
    }
}

extension MachineCore {
    /// The outermost machine around this one, if there is any.
    fileprivate var root: (any TreeMachine)? {
        guard let holder = place?.holder else { return nil }
        return holder.withCore { $0.root } ?? holder
    }

    /// Calls a body with what the machine is; as long as that runs, on this thread, all machines in its state are of the same moment.
    func atOneMoment<Result, Failure: Error>(
        _ machine: any TreeMachine,
        _ body: (Snapshot) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard ownership.isHeld || definition.hasComposites else { return try body(snapshot) }
        let thread = ThreadState.ofThreads.current
        if let snapshot = thread.content.moment?[machine] { return try body(snapshot) }
        let moment = TreeMoment(of: machine)
        guard let snapshot = moment[machine] else { preconditionFailure("A machine is in its own tree.") }
        let outer = thread.content.exchangeMoment(moment)
        defer { _ = thread.content.exchangeMoment(outer) }
        return try body(snapshot)
    }
}
