// How are a machine and those in its state copied as of one moment?
import HeraclitusEssentials

/// A tree of machines, with a stamp of each by which one sees whether it has changed.
struct TreeMoment {
    /// The number of levels of machines within one another that a tree may have to be copied or archived.
    ///
    /// Measured: on a stack of 512 KiB, which secondary threads have on Apple's platforms, 48 levels are archived and read, and 64 overflow.
    static var depthLimit: Int { 32 }

    /// A machine changes only together with its stamp.
    private struct Stamp: Equatable {
        let revision: Int
        let status: UInt32
        let state: ObjectIdentifier

        init(_ snapshot: Snapshot) {
            revision = snapshot.revision
            status = snapshot.status.bits
            state = ObjectIdentifier(snapshot.state)
        }
    }

    /// The machines, each once, and each before those in its state.
    let machines: [any TreeMachine]
    private let stamps: [Stamp]

    /// The workflows on the way to a machine that lies deeper than the limit, if there is any.
    let pathBeyondLimit: [String]?

    /// Reads the machines and those in their states.
    init(of roots: [any TreeMachine]) {
        var machines: [any TreeMachine] = []
        var stamps: [Stamp] = []
        var known: Set<ObjectIdentifier> = []
        var beyond: [String]?
        // A list and no recursion: a tree may be deeper than a thread's stack.
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
            stamps.append(Stamp(snapshot))
            open += regions.reversed().map { ($0, path + [$0.workflowName]) }
        }
        (self.machines, self.stamps, pathBeyondLimit) = (machines, stamps, beyond)
    }

    /// Whether nothing has changed since the machines were read.
    private var isCurrent: Bool {
        zip(machines, stamps).allSatisfy { machine, stamp in machine.withCore { Stamp($0.snapshot) } == stamp }
    }

    /// Calls a body as of one moment of some machines, and of all in their states.
    ///
    /// It waits for no callback. If no other thread makes a transition, this is a turn of the tree: fires from the body come after it.
    /// Otherwise the body is called again until nothing has changed meanwhile.
    static func show<Result, Failure: Error>(
        _ roots: [any TreeMachine],
        _ body: (TreeMoment) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        while true {
            let moment = TreeMoment(of: roots)
            if let result = try moment.show(body) { return result }
            ThreadSignal.giveWay()
        }
    }

    /// Calls a body as of this moment.
    /// - Returns: The body's value; `nil` if something has changed meanwhile.
    private func show<Result, Failure: Error>(
        _ body: (TreeMoment) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let turns = beginTurns()
        defer { for (machine, role) in (turns ?? []).reversed() { machine.endRehearsal(role) } }
        guard isCurrent else { return nil }
        let result = try body(self)
        return isCurrent ? result : nil
    }

    /// Begins a turn of each machine, unless another thread has one now.
    /// - Returns: The machines with their parts in the turns; `nil` if another thread has one.
    private func beginTurns() -> [(any TreeMachine, TurnRole)]? {
        var turns: [(any TreeMachine, TurnRole)] = []
        for machine in machines {
            for next in [machine.withCore { $0.root } ?? machine, machine] {
                switch next.beginReading() {
                case .begun(let role): turns.append((next, role))
                case .needless: continue
                case .busy:
                    for (machine, role) in turns.reversed() { machine.endRehearsal(role) }
                    return nil
                }
            }
        }
        return turns
    }
}

/// Whether a thread gets the turn of a machine that it wants to read.
enum ReadingTurn {
    case begun(TurnRole)

    /// The thread has it already, or nobody can fire the machine.
    case needless

    /// Another thread has it.
    case busy
}

extension MachineCore {
    /// Begins a turn without waiting, in which fires of this thread are queued.
    func beginReading(_ call: borrowing Call) -> ReadingTurn {
        let thread = call.thread.id
        if ownership.tryAcquire(by: thread) {
            call.thread.content.open(call.id, in: now.index)
        } else if ownership.isOwned(by: thread) {
            return .needless
        } else {
            // The thread owns the root by now: so nothing is waited for.
            guard ownership.isHeld else { return .busy }
            guard let root, !root.isOwnedElsewhere, let role = try? acquire(call, for: .rehearsal) else {
                return .needless
            }
            if role == .nested { return .needless }
            _ = call.turn { $0.beginAction() }
            return .begun(role)
        }
        _ = call.turn { $0.beginAction() }
        return .begun(.outermost)
    }
}

extension MachineCore {
    /// The outermost machine around this one, if there is any.
    var root: (any TreeMachine)? {
        var root: (any TreeMachine)?
        var next = place?.holder
        while let holder = next {
            root = holder
            next = holder.withCore { $0.place?.holder }
        }
        return root
    }

    /// Whether one snapshot says all of the machine, because its states hold no others or nobody can fire those.
    var isReadAtOnce: Bool { !definition.hasComposites || isFrozen }

    /// Whether the machine is a copy that was made to be archived, and nobody else has.
    var isFrozen: Bool { place?.isFrozen ?? false }
}

extension TreeMoment {
    /// The first deadline of all machines.
    var firstDeadline: Date? {
        machines.compactMap { machine in
            machine.withCore { $0.definition.deadlines(of: $0.snapshot).first?.date }
        }.min()
    }

    /// Why a tree is too deep, for errors.
    static func explanation(of path: [String]) -> String {
        "Machines lie within one another more than \(depthLimit) levels deep: "
            + (path.prefix(4) + ["…"] + path.suffix(1)).joined(separator: ".") + "."
    }
}
