// What does a thread have under way, in which machines?

/// The turns of machines, and places in their queues.
typealias MachineTurn = Turn<AcceptedTransition, Occurrence>
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
    }

    struct Retired {
        private var first: AnyObject?
        private var more: [AnyObject]?

        private mutating func addMore(_ object: __owned AnyObject) {
            if more == nil { more = [] }
            more?.append(object)
        }

        @inline(__always)
        mutating func add(_ object: __owned AnyObject) {
            if first == nil { first = object } else { addMore(object) }
        }
    }

    /// What was queued and is done, as an object.
    private final class Queued {
        let queue: MachineTurn.Queue

        init(_ queue: MachineTurn.Queue) { self.queue = queue }
    }

    /// How many turns are under way.
    private var depth = 0

    /// The innermost of them.
    private var innermost = Entry()

    /// Those in whose callbacks the machines of others were fired, the outermost first; `nil` for none.
    private var outer: [Entry]?

    /// Where transitions are taken from that are lent to callbacks.
    var lendingDesk = LendingDesk<StateTransition.Terms>()

    private var isTellingOutsideTurns = false

    static let ofThreads = ThreadLocal<ThreadState> {
        ThreadState()
    } atEnd: { thread, state in
        var state = state
        state.lendingDesk.discard()
        // A callback has ended its thread. What it has committed stays, what was queued is dropped.
        if state.depth > 0 { ParkingLot.shared.ownerHasEnded(thread) }
    }
}

extension ThreadState {
    /// Begins a turn of a machine.
    @inline(__always)
    mutating func open(_ machine: ObjectIdentifier, in state: Int) {
        if depth > 0 { pushInnermost() }
        depth += 1
        innermost.machine = UInt(bitPattern: machine)
        innermost.turn.restart(in: state)
    }

    @inline(never)
    private mutating func pushInnermost() {
        outer = (outer ?? []) + [innermost]
        innermost = Entry()
    }

    /// Ends the innermost turn, which has nothing more to do.
    /// - Parameter retired: Gets what is to be released when the machine has been released; empty before.
    @inline(__always)
    mutating func close(_ retired: inout Retired) {
        swap(&retired, &innermost.retired)
        if innermost.turn.hasQueue { retired.add(Queued(innermost.turn.takeQueue())) }
        innermost.machine = 0
        depth -= 1
        if depth > 0 { innermost = outer?.popLast() ?? Entry() }
    }

    /// Uses the turn of a machine.
    @inline(__always)
    mutating func withEntry<Result>(of machine: ObjectIdentifier, _ body: (inout Entry) -> Result) -> Result {
        innermost.machine == UInt(bitPattern: machine) ? body(&innermost) : withOuterEntry(of: machine, body)
    }

    /// Uses the turn of a machine in whose callback another one was fired, whose callback has come back to it.
    @inline(never)
    private mutating func withOuterEntry<Result>(
        of machine: ObjectIdentifier,
        _ body: (inout Entry) -> Result
    ) -> Result {
        guard var entries = outer, let index = entries.lastIndex(where: { $0.machine == UInt(bitPattern: machine) })
        else {
            preconditionFailure("The machine has no turn on this thread.")
        }
        outer = nil
        defer { outer = entries }
        return body(&entries[index])
    }

    /// Begins to tell observers something without a turn, unless that is under way.
    mutating func beginTellingOutsideTurns() -> Bool {
        defer { isTellingOutsideTurns = true }
        return !isTellingOutsideTurns
    }

    mutating func endTellingOutsideTurns() { isTellingOutsideTurns = false }
}
