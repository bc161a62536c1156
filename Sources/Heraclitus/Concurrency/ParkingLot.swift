// Parks threads that wait for a machine, and detects circles of waits.

import Dispatch
import Synchronization

/// The place where all threads wait for machines that others own.
///
/// One lock shows every waiting thread, and thereby circles.
///
/// A thread comes here only after meeting another one. Uncontended machines never use it.
final class ParkingLot: Sendable {
    static let shared = ParkingLot()

    fileprivate struct Contents {
        var waiting: [Waiting] = []

        /// Closures to call when a machine is released, for callers that continue without waiting.
        var visitors: [Visitor] = []
    }

    fileprivate struct Waiting {
        let thread: ThreadID
        let machine: any TreeMachine
        let signal: DispatchSemaphore

        /// Whether the thread was woken after another thread had taken the machine.
        var wasOvertaken = false
    }

    fileprivate typealias Visitor = (machine: any TreeMachine, body: @Sendable () -> Void)

    private let contents = Lock(Contents())

    /// Waits until the thread owns the machine, or the machine has a holder.
    ///
    /// Callbacks must return: a thread that ends within a callback keeps its machine for good.
    /// - Returns: `nil`, or for a circle of waits the workflows of its machines.
    @inline(never)
    func acquire(_ machine: any TreeMachine, by thread: ThreadID) -> [String]? {
        // Most transitions are shorter than parking and waking a thread. Frequent reads of the word slow down its
        // owner, so the pauses grow.
        var pause = 64
        while pause <= 2048 {
            // The word is read first, because even a failed exchange takes the word from its owner's cache.
            if machine.withCore({ $0.ownership.isFree && $0.ownership.tryAcquire(by: thread) }) { return nil }
            spin(pause)
            pause *= 2
        }
        let signal = DispatchSemaphore(value: 0)
        while true {
            switch contents.withLock({ $0.visit(machine, by: thread, signal) }) {
            case .acquired: return nil
            case .hasHolder:
                // `wake` has woken only this thread, and the other threads have to look again, too.
                wake(for: machine, all: true)
                return nil
            case .circle(let machines): return machines
            case .wait: signal.wait()
            }
        }
    }

    /// Calls a body after another thread has released a machine, without waiting.
    ///
    /// The body runs on the releasing thread, so it should only start other work.
    /// - Returns: Whether another thread owns the machine; otherwise the body is never called.
    func whenReleased(
        _ machine: any TreeMachine,
        byOtherThan thread: ThreadID,
        _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        contents.withLock { contents in
            guard let owner = machine.withCore({ $0.ownership.ownerNumber }), owner != thread.number,
                machine.withCore({ $0.ownership.noteWaiting() })
            else { return false }
            contents.visitors.append((machine, body))
            return true
        }
    }

    /// Wakes one waiting thread after a release, or all of them, and calls the closures that wait for it.
    ///
    /// A thread that was overtaken once gets the machine directly. Otherwise a thread in a tight loop would starve the
    /// others for seconds, because waking a thread takes longer than coming back. Handing over at each release would
    /// slow down every release.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - wakesAll: Whether to wake all threads, because the machine has a new holder.
    func wake(for machine: any TreeMachine, all wakesAll: Bool = false) {
        let (signals, visitors) = contents.withLock { contents in
            let all = wakesAll ? contents.waiting.filter { $0.machine === machine }.map(\.signal) : nil
            let woken = all ?? [contents.next(for: machine)].compactMap(\.self)
            return (woken, contents.takeVisitors(of: machine))
        }
        for signal in signals { signal.signal() }
        for visitor in visitors { visitor.body() }
    }

    /// Waits for about so many cycles, without accesses to shared memory.
    private func spin(_ count: Int) {
        let nothing = Atomic(false)
        for _ in 0..<count { _ = nothing.load(ordering: .relaxed) }
    }
}

extension ParkingLot.Contents {
    fileprivate enum Visit {
        case acquired
        case hasHolder
        case wait
        case circle([String])
    }

    /// Takes out the closures that wait for a machine.
    ///
    /// The caller releases the machines, which may call user code.
    fileprivate mutating func takeVisitors(of machine: any TreeMachine) -> [ParkingLot.Visitor] {
        if visitors.isEmpty { return [] }
        let taken = visitors.filter { $0.machine === machine }
        visitors.removeAll { $0.machine === machine }
        return taken
    }

    /// The signal of the next waiting thread, which may own the machine by then.
    fileprivate mutating func next(for machine: any TreeMachine) -> DispatchSemaphore? {
        guard let index = waiting.firstIndex(where: { $0.machine === machine }) else { return nil }
        let next = waiting[index]
        if next.wasOvertaken, isAcquired(machine, by: next.thread) { waiting.remove(at: index) }
        return next.signal
    }

    /// Acquires a free machine, or records that the thread waits for it.
    ///
    /// Threads are woken in the order of arrival. If a thread that never waited was faster, the woken thread waits once
    /// more.
    fileprivate mutating func visit(
        _ machine: any TreeMachine,
        by thread: ThreadID,
        _ signal: DispatchSemaphore
    ) -> Visit {
        // The machine was handed over.
        if machine.withCore({ $0.ownership.ownerNumber }) == thread.number { return .acquired }
        while true {
            if isAcquired(machine, by: thread) {
                waiting.removeAll { $0.thread == thread }
                return .acquired
            }
            if machine.withCore({ $0.ownership.belongsToHolder }) {
                waiting.removeAll { $0.thread == thread }
                return .hasHolder
            }
            guard machine.withCore({ $0.ownership.noteWaiting() }) else { continue }
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

    private func isAcquired(_ machine: any TreeMachine, by thread: ThreadID) -> Bool {
        let othersWait = waiting.contains { $0.machine === machine && $0.thread != thread }
        return machine.withCore { $0.ownership.tryAcquire(by: thread, othersWait: othersWait) }
    }

    /// The circle of machines from this one to a machine of the thread itself; `nil` if there is none.
    ///
    /// The result is exact although owners change without this lock. A waiting thread releases nothing before it has
    /// acquired its machine, and in a closed circle no thread can acquire one.
    private func circle(through machine: any TreeMachine, closedBy thread: ThreadID) -> [String]? {
        var machines: [String] = []
        var machine = machine
        for _ in 0...waiting.count {
            machines.append(machine.workflowName)
            guard let owner = machine.withCore({ $0.ownership.ownerNumber }) else { return nil }
            if owner == thread.number { return machines }
            guard let next = waiting.first(where: { $0.thread.number == owner }) else { return nil }
            machine = next.machine
        }
        return nil
    }
}
