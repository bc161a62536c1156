// The turns under way on a thread.
import HeraclitusEssentials

/// A machine's turn.
typealias MachineTurn = Turn<QueuedTransition, Occurrence>

/// A transition that waits for the callbacks of the one under way.
struct QueuedTransition {
    let transition: StateTransition

    /// The date of its acceptance.
    let date: Date
}

extension MachineTurn {
    /// Whether a queued transition leaves the state.
    var isAboutToLeave: Bool { hasQueue && waiting.contains { $0.transition.plan.kind == .external } }
}

/// The turns under way on one thread, the last used one in front: a callback of one machine may fire another one.
@usableFromInline
struct ThreadState: ThreadContent {
    /// A turn of one machine on this thread.
    struct Entry {
        /// The address of the machine; 0 if the entry is free.
        fileprivate var machine: UInt = 0
        var turn = MachineTurn(in: 0)

        /// Objects to release after the machine.
        ///
        /// Deinitializers are user code, so they run after the turn.
        fileprivate var retired = Retired()

        /// The turn of the holder around this one.
        var holder: HolderTurn?

        /// The date of the transition under way; `nil` until its first use.
        var date: Date?

        /// The date of the transition under way, put aside while one of its callbacks fires.
        var dateUnderWay: Date?
    }

    struct Retired {
        private var first: AnyObject?
        private var more: [AnyObject]?

        @inline(__always)
        mutating func add(_ object: consuming OwnedObject) {
            if first == nil { first = object.handedOn() } else { addMore(object.handedOn()) }
        }

        @inline(never)
        private mutating func addMore(_ object: AnyObject) {
            if more == nil { more = [] }
            more?.append(object)
        }
    }

    let id = ThreadID.new()

    /// The turn that was used last.
    private var foremost = Entry()

    /// The other turns under way, followed by free entries for reuse.
    private var others: [Entry] = []

    /// The number of other turns under way.
    private var othersCount = 0

    /// The machines whose observers are being told of an occurrence without a turn.
    private var toldOutsideTurns: [ObjectIdentifier] = []

    @usableFromInline
    init() {}

    static let ofThreads = ThreadLocal<ThreadState>()
}

extension ThreadState {
    /// Begins a turn of a machine.
    @inline(__always)
    mutating func open(_ machine: ObjectIdentifier, in state: Int) {
        if foremost.machine != 0 { putAside() }
        foremost.machine = UInt(bitPattern: machine)
        foremost.turn.restart(in: state)
        foremost.date = nil
    }

    @inline(never)
    private mutating func putAside() {
        if othersCount == others.count { others.append(Entry()) }
        swap(&others[othersCount], &foremost)
        othersCount += 1
    }

    /// Ends the completed turn of a machine.
    /// - Returns: The objects to release after the machine.
    @inline(__always)
    mutating func close(_ machine: ObjectIdentifier) -> Retired {
        bringForward(machine)
        if foremost.turn.hasQueue { retireQueue() }
        var retired = Retired()
        swap(&retired, &foremost.retired)
        foremost.machine = 0
        if othersCount > 0 { takeUpAnother() }
        return retired
    }

    @inline(never)
    private mutating func retireQueue() { foremost.retired.add(OwnedObject(Box(foremost.turn.takeQueue()))) }

    @inline(never)
    private mutating func takeUpAnother() {
        othersCount -= 1
        swap(&others[othersCount], &foremost)
    }

    /// Uses the entry of a machine.
    @inline(__always)
    mutating func withEntry<Result>(of machine: ObjectIdentifier, _ body: (inout Entry) -> Result) -> Result {
        bringForward(machine)
        return body(&foremost)
    }

    /// Uses the turn of a machine.
    @inline(__always)
    mutating func withTurn<Result>(of machine: ObjectIdentifier, _ body: (inout MachineTurn) -> Result) -> Result {
        bringForward(machine)
        return body(&foremost.turn)
    }

    /// Retains an object until a machine has been released.
    @inline(__always)
    mutating func retire(_ object: consuming OwnedObject, of machine: ObjectIdentifier) {
        bringForward(machine)
        foremost.retired.add(object)
    }

    /// Makes the turn of a machine the foremost one, after a callback has switched between machines.
    @inline(__always)
    private mutating func bringForward(_ machine: ObjectIdentifier) {
        if foremost.machine != UInt(bitPattern: machine) { search(machine) }
    }

    @inline(never)
    private mutating func search(_ machine: ObjectIdentifier) {
        guard let index = others[..<othersCount].lastIndex(where: { $0.machine == UInt(bitPattern: machine) }) else {
            preconditionFailure("The machine has no turn on this thread.")
        }
        swap(&others[index], &foremost)
    }

    /// Whether a machine has a turn on this thread.
    // Inlined, because a call would copy the whole value.
    @inline(__always)
    func hasTurn(of machine: ObjectIdentifier) -> Bool {
        foremost.machine == UInt(bitPattern: machine)
            || (0..<othersCount).contains { others[$0].machine == UInt(bitPattern: machine) }
    }

    /// Begins telling a machine's observers without a turn, unless that is already under way.
    mutating func beginTellingOutsideTurns(of machine: ObjectIdentifier) -> Bool {
        if toldOutsideTurns.contains(machine) { return false }
        toldOutsideTurns.append(machine)
        return true
    }

    mutating func endTellingOutsideTurns() { toldOutsideTurns.removeLast() }
}
