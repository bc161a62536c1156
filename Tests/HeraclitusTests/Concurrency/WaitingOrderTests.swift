import Foundation
import Heraclitus
import Testing

@Suite("Order of threads that wait") struct WaitingOrderTests {
    /// Lets two threads wait for a machine, one after the other.
    /// - Returns: The order in which they get it.
    private static func order() -> [String] {
        let journal = Journal()
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
            // To look for a while and then to park takes a few microseconds.
            Thread.sleep(forTimeInterval: 0.01)
            return done
        }
        mayLeave.signal()
        for done in [owner] + waiting { #expect(done.comes()) }
        return journal.entries
    }

    /// A thread that the system has let wait may be overtaken, so it need not be each time.
    @Test("Of threads that wait for a machine the one that came first is woken first")
    func fairness() {
        let orders = (0..<20).map { _ in Self.order() }
        #expect(orders.count { $0 == ["first", "second"] } > 10)
    }
}
