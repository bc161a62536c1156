// Copies and archives a tree of machines as of one moment.

/// A tree of machines, each with a stamp that shows later changes.
struct TreeMoment {
    /// The maximum number of nested levels of machines to copy or archive.
    ///
    /// Measured: on a stack of 512 KiB, the size of secondary threads on Apple's platforms, 48 levels are archived and
    /// read, and 64 overflow.
    static var depthLimit: Int { 32 }

    /// A value that differs after each change of a machine.
    private typealias Stamp = (revision: Int, status: UInt32, state: ObjectIdentifier)

    private static func stamp(of snapshot: Snapshot) -> Stamp {
        (snapshot.revision, snapshot.status.bits, ObjectIdentifier(snapshot.state))
    }

    /// The machines, each once, outer machines before inner ones.
    let machines: [any TreeMachine]
    private let stamps: [Stamp]

    /// The workflows on the path to a machine beyond the depth limit; `nil` if there is none.
    let pathBeyondLimit: [String]?

    /// Reads the machines and the machines in their states.
    init(of roots: [any TreeMachine]) {
        var machines: [any TreeMachine] = []
        var stamps: [Stamp] = []
        var known: Set<ObjectIdentifier> = []
        var beyond: [String]?
        // The loop is iterative, because a tree may be deeper than a thread's stack.
        var open = roots.reversed().map { (machine: $0, path: [$0.workflowName]) }
        while let (machine, path) = open.popLast() {
            guard known.insert(ObjectIdentifier(machine)).inserted else { continue }
            if path.count > Self.depthLimit {
                beyond = beyond ?? path
                continue
            }
            let (snapshot, regions) = machine.withCore { core in
                let snapshot = core.snapshot
                return (snapshot, core.definition.regions(of: snapshot.state, in: snapshot.status.index))
            }
            machines.append(machine)
            stamps.append(Self.stamp(of: snapshot))
            open += regions.reversed().map { ($0, path + [$0.workflowName]) }
        }
        (self.machines, self.stamps, pathBeyondLimit) = (machines, stamps, beyond)
    }

    /// Whether all machines are unchanged since they were read.
    private var isCurrent: Bool {
        zip(machines, stamps).allSatisfy { machine, stamp in machine.withCore { Self.stamp(of: $0.snapshot) } == stamp }
    }

    /// Calls a body as of one moment of machines and all machines in their states.
    ///
    /// The call waits for no callback. The body runs in a turn of the tree if the thread gets one without waiting;
    /// fires from the body then come after it. In any case the body runs again if the tree has changed meanwhile.
    static func show<Result>(_ roots: [any TreeMachine], _ body: (TreeMoment) -> Result) -> Result {
        while true {
            let moment = TreeMoment(of: roots)
            if let result = moment.show(body) { return result }
            giveWay()
        }
    }

    /// Calls a body as of this moment.
    /// - Returns: The body's value; `nil` if the tree has changed.
    private func show<Result>(_ body: (TreeMoment) -> Result) -> Result? {
        let turns = beginTurns()
        defer { end(turns ?? []) }
        guard isCurrent else { return nil }
        let result = body(self)
        return isCurrent ? result : nil
    }

    /// Ends turns that have changed nothing by themselves.
    private func end(_ turns: [(any TreeMachine, TurnRole)]) {
        for (machine, role) in turns.reversed() { machine.withCore { $0.finishRehearsal(role, Call(machine)) } }
    }

    /// Begins a turn of each machine.
    /// - Returns: The machines with their roles in the turns; `nil` if another thread has a turn.
    private func beginTurns() -> [(any TreeMachine, TurnRole)]? {
        var turns: [(any TreeMachine, TurnRole)] = []
        for machine in machines {
            for next in [machine.withCore { $0.root } ?? machine, machine] {
                guard let role = next.withCore({ $0.beginReading(Call(next)) }) else {
                    end(turns)
                    return nil
                }
                turns.append((next, role))
            }
        }
        return turns
    }
}

extension MachineCore {
    /// Begins a turn without waiting.
    ///
    /// Fires of this thread are queued during the turn.
    /// - Returns: The role, which is `nested` if the thread has the turn already, and for a machine in a state also if
    ///   it cannot be fired or another thread has the root's turn; `nil` if another thread has the turn.
    func beginReading(_ call: borrowing Call) -> TurnRole? {
        let thread = call.thread.content.id
        var role = TurnRole.outermost
        if ownership.tryAcquire(by: thread) {
            call.thread.content.open(call.id, in: now.index)
        } else if ownership.isOwned(by: thread) {
            return .nested
        } else {
            // The thread already owns the root, so acquiring the machine does not wait.
            guard ownership.belongsToHolder else { return nil }
            guard let root, !root.isOwnedElsewhere, let inner = try? acquire(call, for: .rehearsal(asksAll: false)),
                inner != .nested
            else { return .nested }
            role = inner
        }
        _ = call.turn { $0.beginAction() }
        return role
    }

    /// The outermost holder; `nil` for a machine without a holder.
    var root: (any TreeMachine)? {
        var root: (any TreeMachine)?
        var next = place?.holder
        while let holder = next {
            root = holder
            next = holder.withCore { $0.place?.holder }
        }
        return root
    }

    /// Whether one snapshot covers the machine, because its states hold no machines or those cannot be fired.
    var isReadAtOnce: Bool { !definition.hasComposites || place?.isFrozen == true }
}

extension TreeMoment {
    /// The explanation of errors about deep trees.
    static func explanation(of path: [String]) -> String {
        "Machines lie within one another more than \(depthLimit) levels deep: "
            + (path.prefix(4) + ["…"] + path.suffix(1)).joined(separator: ".") + "."
    }
}
