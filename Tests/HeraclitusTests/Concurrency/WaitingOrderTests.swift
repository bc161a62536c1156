import Foundation
import Heraclitus
import Synchronization
import Testing

@testable import Fixtures

@Suite("Order of waiting threads") struct WaitingOrderTests {
    /// Lets two threads wait for a machine, one after the other.
    /// - Returns: The order in which they get the machine.
    private static func order() -> [String] {
        let journal = CallLog()
        let door = StateMachine<Door>()
        door.activate()
        let isInside = DispatchSemaphore(value: 0)
        let mayLeave = DispatchSemaphore(value: 0)
        let owner = onThread {
            try? door.perform { _ in
                isInside.signal()
                mayLeave.wait()
            }
        }
        isInside.wait()
        let waiting = ["first", "second"].map { name in
            let done = onThread { try? door.perform { _ in journal.write(name) } }
            // A thread spins and parks within a few microseconds.
            Thread.sleep(forTimeInterval: 0.01)
            return done
        }
        mayLeave.signal()
        for done in [owner] + waiting { #expect(done.comes()) }
        return journal.entries
    }

    /// A parked thread may be overtaken, so the order is only the usual one.
    @Test("Of threads that wait for a machine the first one is woken first")
    func fairness() {
        let orders = (0..<20).map { _ in Self.order() }
        #expect(orders.count { $0 == ["first", "second"] } > 10)
    }

    private final class TickState: EmptyState {}
    private struct Clockwork: Workflow {
        static var initial: any WorkflowState { TickState() }
        let tick = Event(from: TickState.self, to: TickState.self)
    }

    private final class Counts: Sendable {
        let all = Atomic(0)
        let isOver = Atomic(false)
    }

    @Test("A thread soon gets its turn of a machine that another one fires all the time")
    func turnSoon() {
        let machine = StateMachine<Clockwork>()
        let counts = Counts()
        // The callback computes, because a sleep would favour the other thread.
        machine.onTransition { _ in
            counts.all.add(1, ordering: .relaxed)
            let end = ContinuousClock.now + .milliseconds(2)
            while ContinuousClock.now < end {}
        }
        let other = onThread {
            while !counts.isOver.load(ordering: .relaxed) { try? machine.fire.tick() }
        }
        let own = onThread {
            while counts.all.load(ordering: .relaxed) == 0 { usleep(100) }
            for _ in 0..<50 { try? machine.fire.tick() }
        }
        // Each wait takes about two turns of the other thread. Without a handover there are forty, or hundreds.
        #expect(own.comes(within: 60))
        #expect(counts.all.load(ordering: .relaxed) < 1_000)
        counts.isOver.store(true, ordering: .relaxed)
        #expect(other.comes())
    }
}
