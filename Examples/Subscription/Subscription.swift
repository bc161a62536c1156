import Heraclitus
import Synchronization

/// A class of one's own whose methods the events are: `subscription.activate()`, `subscription.suspend(…)`.
final class Subscription: Stateful, Sendable {
    let machine = StateMachine<Life>()

    private let isBilled = Mutex(false)

    init() {
        // Before and after hooks.
        machine.didFire(\.activate) { [weak self] _, _, _ in self?.bill(true) }
        machine.didFire(\.suspend) { [weak self] _, suspended, _ in
            self?.bill(false)
            print("  suspended: \(suspended.reason)")
        }
        machine.willFire(\.terminate) { [weak self] _, _, transition in
            self?.bill(false)
            print("  goodbye, after \(transition.source.map { type(of: $0).name } ?? "nothing")")
        }
    }

    /// Has the name of an event: the object's own method wins, and `fire.wait` is the event.
    func wait(for something: String) throws { try fire.wait(WaitingOnSomethingState(something)) }

    private func bill(_ isBilled: Bool) {
        self.isBilled.withLock { $0 = isBilled }
        print("  billing is \(isBilled ? "on" : "off")")
    }
}
