import Foundation
import Heraclitus
import Synchronization

/// A custom class with the events as methods: `subscription.activate()`, `subscription.suspend(…)`.
final class Subscription: MachineOwner, Sendable {
    let machine = StateMachine<Life>()

    private let isBilled = Mutex(false)

    /// The termination date.
    ///
    /// Only the terminated state has a date, so other states cannot keep a stale one.
    var terminatedAt: Date? { (machine.state as? TerminatedState)?.date }

    init() {
        // Before and after hooks.
        machine.didEnter(ActiveState.self) { [weak self] _, _ in self?.bill(true) }
        machine.didEnter(SuspendedState.self) { [weak self] suspended, _ in
            self?.bill(false)
            print("  suspended: \(suspended.reason)")
        }
        machine.willFire(\.terminate) { [weak self] _, _, transition in
            self?.bill(false)
            print("  goodbye, after \(transition.source.map { type(of: $0).name } ?? "nothing")")
        }
    }

    /// Has the name of an event.
    ///
    /// The object's own method wins, and `fire.wait` is the event.
    func wait(for something: String) throws { try machine.fire.wait(WaitingOnSomethingState(something)) }

    private func bill(_ isBilled: Bool) {
        let wasBilled = self.isBilled.withLock { old in
            defer { old = isBilled }
            return old
        }
        if isBilled != wasBilled { print("  billing is \(isBilled ? "on" : "off")") }
    }
}
