import Heraclitus

/// The transitions that a machine makes during a unit of work.
final class MadeTransitions: Sendable {
    private let transitions = Lock<[StateTransition]>([])

    func add(_ transition: StateTransition) { transitions.withLock { $0.append(transition) } }

    var all: [StateTransition] { transitions.withLock { $0 } }
}
