// What does a thread do that finds a machine owned by another one, and what if that could never end?

import Synchronization

/// Something that threads wait for: a machine.
@usableFromInline
protocol Parkable: AnyObject, Sendable {
    /// The name of its workflow, for a report of a deadlock.
    var workflowName: String { get }
    var ownerNumber: UInt? { get }

    /// Whether it belongs to another machine, so that threads wait for that one.
    var isHeld: Bool { get }
    func tryAcquire(by thread: ThreadID, othersWait: Bool) -> Bool
    func noteWaiting() -> Bool
}

/// Where threads wait for machines that others own: all in one place, so that one look finds who waits for whom.
///
/// A thread comes here only when it has met another one; as long as nobody meets, it is never entered.
final class ParkingLot: Sendable {
    static let shared = ParkingLot()

    fileprivate struct Contents {
        var waiting: [Waiting] = []

        /// Closures to call when a machine is released, for callers that do not block their thread.
        var visitors: [Visitor] = []
    }

    fileprivate struct Waiting {
        let thread: ThreadID
        let machine: any Parkable
        let signal: ThreadSignal

        /// Whether it was woken, and another thread was faster.
        var wasOvertaken = false
    }

    fileprivate struct Visitor {
        let machine: any Parkable
        let body: @Sendable () -> Void
    }

    private let contents = Lock(Contents())

    /// Waits until the thread owns the machine, or the machine belongs to another one.
    ///
    /// A callback has to return: a thread that ends in the middle of one keeps its machine for good.
    /// - Returns: `nil` then; or, if the wait could never end, the workflows of the machines whose owners wait for one another in a circle.
    @inline(never)
    func acquire(_ machine: any Parkable, by thread: ThreadID) -> [String]? {
        // Most transitions are shorter than a trip to the lot and back. But whoever looks at the word all the time takes it away
        // from the memory of the thread that owns it, and both get on more slowly: so ever more seldom.
        var pause = 64
        while pause <= 2048 {
            // Not the exchange alone: also one that fails takes the word away.
            if machine.ownerNumber == nil, machine.tryAcquire(by: thread, othersWait: false) { return nil }
            spin(pause)
            pause *= 2
        }
        let signal = ThreadSignal()
        while true {
            switch contents.withLock({ $0.visit(machine, by: thread, signal) }) {
            case .acquired: return nil
            case .held:
                // `wake` has woken this thread alone, and the others have to look again, too.
                wakeAll(for: machine)
                return nil
            case .circle(let machines): return machines
            case .wait: signal.wait()
            }
        }
    }

    /// Calls a body when another thread has released a machine, while this one goes on.
    ///
    /// It is called on the thread that releases the machine, and so does no more than let somebody else begin.
    /// - Returns: Whether another thread owns the machine. If not, the body is not called.
    func whenReleased(
        _ machine: any Parkable,
        byOtherThan thread: ThreadID,
        _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        contents.withLock { contents in
            guard let owner = machine.ownerNumber, owner != thread.number, machine.noteWaiting() else { return false }
            contents.visitors.append(Visitor(machine: machine, body: body))
            return true
        }
    }

    /// Wakes one of those who wait for a machine that was released, and tells all who do not wait.
    ///
    /// One that was woken before and was overtaken gets the machine at once. Otherwise a thread that uses it again and again would keep it from the
    /// others for seconds: to wake a thread takes longer than to come back. To hand it over each time would let everybody wait for that.
    func wake(for machine: any Parkable) {
        let (next, visitors) = contents.withLock { contents in
            (contents.next(for: machine), contents.takeVisitors(of: machine))
        }
        next?.send()
        for visitor in visitors { visitor.body() }
    }

    /// Wakes all threads that wait for a machine which belongs to another one from now on.
    func wakeAll(for machine: any Parkable) {
        let (signals, visitors) = contents.withLock { contents in
            (contents.waiting.filter { $0.machine === machine }.map(\.signal), contents.takeVisitors(of: machine))
        }
        for signal in signals { signal.send() }
        for visitor in visitors { visitor.body() }
    }

    /// Does nothing for about so many cycles of the processor, and leaves the others' memory alone.
    private func spin(_ count: Int) {
        let nothing = Atomic(false)
        for _ in 0..<count { _ = nothing.load(ordering: .relaxed) }
    }
}

extension ParkingLot.Contents {
    fileprivate enum Visit {
        case acquired
        case held
        case wait
        case circle([String])
    }

    /// Takes out the closures that wait for a machine.
    ///
    /// Their caller releases the machine, which may call user code.
    fileprivate mutating func takeVisitors(of machine: any Parkable) -> [ParkingLot.Visitor] {
        if visitors.isEmpty { return [] }
        let taken = visitors.filter { $0.machine === machine }
        visitors.removeAll { $0.machine === machine }
        return taken
    }

    /// The signal of the thread that is to be woken for a machine that was released; the machine may be its own by then.
    fileprivate mutating func next(for machine: any Parkable) -> ThreadSignal? {
        guard let index = waiting.firstIndex(where: { $0.machine === machine }) else { return nil }
        let next = waiting[index]
        if next.wasOvertaken, isAcquired(machine, by: next.thread) { waiting.remove(at: index) }
        return next.signal
    }

    /// Acquires the machine if that can be done now, and else notes who waits for it.
    ///
    /// Whoever came first is woken first. It may find that a thread which never waited was faster: then it waits once more.
    fileprivate mutating func visit(_ machine: any Parkable, by thread: ThreadID, _ signal: ThreadSignal) -> Visit {
        // It was handed over.
        if machine.ownerNumber == thread.number { return .acquired }
        while true {
            if isAcquired(machine, by: thread) {
                waiting.removeAll { $0.thread == thread }
                return .acquired
            }
            if machine.isHeld {
                waiting.removeAll { $0.thread == thread }
                return .held
            }
            guard machine.noteWaiting() else { continue }
            if let machines = circle(through: machine, closedBy: thread) {
                waiting.removeAll { $0.thread == thread }
                return .circle(machines)
            }
            if let index = waiting.firstIndex(where: { $0.thread == thread }) {
                waiting[index].wasOvertaken = true
            } else {
                waiting.append(ParkingLot.Waiting(thread: thread, machine: machine, signal: signal))
            }
            return .wait
        }
    }

    private func isAcquired(_ machine: any Parkable, by thread: ThreadID) -> Bool {
        let othersWait = waiting.contains { $0.machine === machine && $0.thread != thread }
        return machine.tryAcquire(by: thread, othersWait: othersWait)
    }

    /// The machines from this one to one that the thread itself owns, if each one's owner waits here for the next.
    ///
    /// Exact, though owners change without the lot's lock: whoever waits here releases nothing before it has acquired what it
    /// waits for, and in a closed circle nobody can, because its last link is the thread that is asking.
    private func circle(through machine: any Parkable, closedBy thread: ThreadID) -> [String]? {
        var machines: [String] = []
        var machine = machine
        for _ in 0...waiting.count {
            machines.append(machine.workflowName)
            guard let owner = machine.ownerNumber else { return nil }
            if owner == thread.number { return machines }
            guard let next = waiting.first(where: { $0.thread.number == owner }) else { return nil }
            machine = next.machine
        }
        return nil
    }
}
