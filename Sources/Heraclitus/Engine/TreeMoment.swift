// What were a machine and those in its state at one moment?

/// A tree of machines as of one moment.
///
/// Who copies or archives a tree, or archives a state with machines, does so machine by machine, in user code. So all of them are
/// read first, and each is taken from here.
struct TreeMoment {
    private struct Member {
        let machine: any TreeMachine
        var snapshot: Snapshot
    }

    private var members: [ObjectIdentifier: Member] = [:]

    /// What a machine of the tree was; `nil` for others.
    subscript(machine: AnyObject) -> Snapshot? { members[ObjectIdentifier(machine)]?.snapshot }

    /// Reads machines and those in their states.
    ///
    /// It waits for no callback. What was read one after the other is of one moment if all of it is the same a second time. Where transitions
    /// follow one another so fast that this does not succeed, it takes a turn between two of them.
    private init(of machines: [any TreeMachine]) {
        while true {
            members = [:]
            for machine in machines { add(machine) }
            // To release a state object may call user code, which the turn's owner does not.
            let before = members
            let isDone = isCurrent || readBetweenTurns(of: machines)
            withExtendedLifetime(before) {}
            if isDone { return }
        }
    }

    private mutating func add(_ machine: any TreeMachine) {
        // A machine in two places of the tree is one machine.
        guard members[ObjectIdentifier(machine)] == nil else { return }
        let snapshot = machine.withCore { $0.snapshot }
        members[ObjectIdentifier(machine)] = Member(machine: machine, snapshot: snapshot)
        let regions = machine.withCore { $0.definition.regions(of: snapshot.state, in: snapshot.status.index) }
        for region in regions { add(region) }
    }

    /// Calls a body with a moment; as long as that runs, on this thread, machines and all in their states are of that moment.
    ///
    /// Within such a call it is that one's moment, if that has the machines.
    static func show<Result, Failure: Error>(
        _ machines: [any TreeMachine],
        _ body: (TreeMoment) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let thread = ThreadState.ofThreads.current
        if let moment = thread.content.moment, machines.allSatisfy({ moment[$0] != nil }) { return try body(moment) }
        let moment = TreeMoment(of: machines)
        let outer = thread.content.exchangeMoment(moment)
        defer { _ = thread.content.exchangeMoment(outer) }
        return try body(moment)
    }

    private var isCurrent: Bool {
        members.values.allSatisfy { member in member.machine.withCore { $0.snapshot }.isSame(as: member.snapshot) }
    }

    /// Reads the machines again while nobody makes transitions in their trees, unless somebody does now.
    /// - Returns: Whether it has, and they are still all that there are.
    private mutating func readBetweenTurns(of machines: [any TreeMachine]) -> Bool {
        let thread = ThreadState.ofThreads.current
        var acquired: [any TreeMachine] = []
        defer {
            for root in acquired where root.withCore({ $0.ownership.release() }) { ParkingLot.shared.wake(for: root) }
        }
        for machine in machines {
            let root = machine.withCore { $0.root } ?? machine
            if acquired.contains(where: { $0 === root }) { continue }
            guard root.withCore({ $0.tryAcquireTree(by: thread.id) }) else { return false }
            acquired.append(root)
        }
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
    }
}

extension MachineCore {
    /// Calls a body with what the machine is; as long as that runs, on this thread, all machines in its state are of the same moment.
    func atOneMoment<Result, Failure: Error>(
        _ machine: any TreeMachine,
        _ body: (Snapshot) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // One that stands alone may be in a state that is archived by itself.
        let isAlone = !ownership.belongsToAnother && !definition.hasComposites
        if isAlone, ThreadState.ofThreads.current.content.moment == nil { return try body(snapshot) }
        return try TreeMoment.show([machine]) { moment throws(Failure) in
            guard let snapshot = moment[machine] else { preconditionFailure("A machine is in its own tree.") }
            return try body(snapshot)
        }
    }
}

extension Definition {
    /// Calls a body; as long as that runs, on this thread, all machines in a state are of the same moment.
    func atOneMoment<Result, Failure: Error>(
        of state: AnyObject,
        in index: Int,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard states[index].hooks.isComposite else { return try body() }
        return try TreeMoment.show(regions(of: state, in: index)) { _ throws(Failure) in try body() }
    }
}
