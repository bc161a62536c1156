// What does a thread have under way, in which machines?

/// The turns of machines, and places in their queues.
typealias MachineTurn = Turn<AcceptedTransition, Occurrence>

extension MachineTurn {
    /// Whether anything that waits leaves the state.
    var isAboutToLeave: Bool { hasQueue && waiting.contains { $0.plan.kind == .external } }
}
typealias TurnPlace = MachineTurn.Place

/// What a thread keeps from one fire to the next, and during them.
@usableFromInline
struct ThreadState {
    /// A turn of one machine on this thread.
    struct Entry {
        /// The address of the machine, 0 for none.
        var machine: UInt = 0
        var turn = MachineTurn(in: 0)

        /// What the machine keeps no longer, or never did.
        ///
        /// It is released when the machine has been released, because deinitializers are user code.
        var retired = Retired()

        /// The turn around this one, if the machine belongs to another one; a deputy has none until the turns around it begin.
        var holder: HolderTurn?
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

    /// What was queued and is done, as an object.
    private final class Queued {
        let queue: MachineTurn.Queue

        init(_ queue: MachineTurn.Queue) { self.queue = queue }
    }

    let id = ThreadID.new()

    /// The turn that was used last.
    private var foremost = Entry()

    /// The other turns under way, if a callback of one machine has fired another one, or a machine belongs to another one; after them,
    /// entries that were used and will be again.
    private var others: [Entry] = []

    /// How many other turns are under way.
    private var othersCount = 0

    /// Where transitions are taken from that are lent to callbacks.
    var lendingDesk = LendingDesk()

    /// The machine in the state of another one that had a turn last here, by its address, and how many turns in a row among those.
    private var innerTurns: (machine: UInt, count: Int) = (0, 0)

    /// The tree that is being copied or archived.
    private(set) var moment: TreeMoment?

    /// The machines whose observers are being told something without a turn.
    private var toldOutsideTurns: [ObjectIdentifier] = []

    static let ofThreads = ThreadLocal<ThreadState>()
}

extension CurrentThread<ThreadState> {
    @inline(__always)
    var id: ThreadID { content.id }
}

extension ThreadState: ThreadContent {
    mutating func threadEnds() {
        lendingDesk.discard()
        // A callback has ended its thread. What it has committed stays, what was queued is dropped.
        if foremost.machine != 0 { ParkingLot.shared.ownerHasEnded(id) }
    }
}

extension ThreadState {
    /// Begins a turn of a machine.
    @inline(__always)
    mutating func open(_ machine: ObjectIdentifier, in state: Int) {
        if foremost.machine != 0 { putAside() }
        foremost.machine = UInt(bitPattern: machine)
        foremost.turn.restart(in: state)
    }

    @inline(never)
    private mutating func putAside() {
        if othersCount == others.count { others.append(Entry()) }
        swap(&others[othersCount], &foremost)
        othersCount += 1
    }

    /// Ends the turn of a machine, which has nothing more to do.
    /// - Returns: What is to be released when the machine has been released.
    @inline(__always)
    mutating func close(_ machine: ObjectIdentifier) -> Retired {
        if foremost.machine != UInt(bitPattern: machine) { bringForward(machine) }
        if foremost.turn.hasQueue { retireQueue() }
        var retired = Retired()
        swap(&retired, &foremost.retired)
        foremost.machine = 0
        if othersCount > 0 { takeUpAnother() }
        return retired
    }

    @inline(never)
    private mutating func retireQueue() { foremost.retired.add(OwnedObject(Queued(foremost.turn.takeQueue()))) }

    @inline(never)
    private mutating func takeUpAnother() {
        othersCount -= 1
        swap(&others[othersCount], &foremost)
    }

    /// Uses the turn of a machine.
    @inline(__always)
    mutating func withTurn<Result>(of machine: ObjectIdentifier, _ body: (inout MachineTurn) -> Result) -> Result {
        if foremost.machine != UInt(bitPattern: machine) { bringForward(machine) }
        return body(&foremost.turn)
    }

    /// Keeps an object until a machine has been released.
    @inline(__always)
    mutating func retire(_ object: consuming OwnedObject, of machine: ObjectIdentifier) {
        if foremost.machine != UInt(bitPattern: machine) { bringForward(machine) }
        foremost.retired.add(object)
    }

    /// Makes the turn of a machine the foremost one, whose callback has fired another machine, or comes back from there.
    @inline(never)
    private mutating func bringForward(_ machine: ObjectIdentifier) {
        guard let index = others[..<othersCount].lastIndex(where: { $0.machine == UInt(bitPattern: machine) }) else {
            preconditionFailure("The machine has no turn on this thread.")
        }
        swap(&others[index], &foremost)
    }

    /// Whether a machine has a turn on this thread.
    // Inlined, because to call it is to copy all of this.
    @inline(__always)
    func hasTurn(of machine: ObjectIdentifier) -> Bool {
        foremost.machine == UInt(bitPattern: machine)
            || (0..<othersCount).contains { others[$0].machine == UInt(bitPattern: machine) }
    }

    /// Notes the turn around that of a machine.
    mutating func setHolder(_ holder: consuming HolderTurn, of machine: ObjectIdentifier) {
        if foremost.machine != UInt(bitPattern: machine) { bringForward(machine) }
        foremost.holder = holder
    }

    /// Takes the turn around that of a machine, if it has one.
    @inline(__always)
    mutating func takeHolder(of machine: ObjectIdentifier) -> HolderTurn? {
        if foremost.machine != UInt(bitPattern: machine) { bringForward(machine) }
        return foremost.holder.take()
    }

    /// Counts a turn of a machine in the state of another one.
    /// - Returns: How many there were in a row.
    mutating func countInnerTurn(of machine: ObjectIdentifier) -> Int {
        if innerTurns.machine != UInt(bitPattern: machine) { innerTurns = (UInt(bitPattern: machine), 0) }
        innerTurns.count += 1
        return innerTurns.count
    }

    mutating func forgetInnerTurns() { innerTurns = (0, 0) }

    /// Notes which tree is being copied or archived.
    /// - Returns: The one before.
    mutating func exchangeMoment(_ new: TreeMoment?) -> TreeMoment? {
        var moment = new
        swap(&moment, &self.moment)
        return moment
    }

    /// Begins to tell a machine's observers something without a turn, unless that is under way.
    mutating func beginTellingOutsideTurns(of machine: ObjectIdentifier) -> Bool {
        if toldOutsideTurns.contains(machine) { return false }
        toldOutsideTurns.append(machine)
        return true
    }

    mutating func endTellingOutsideTurns() { toldOutsideTurns.removeLast() }
}
