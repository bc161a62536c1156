import Synchronization

/// Counts calls of callbacks.
final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }

    func add(_ difference: Int = 1) { value.add(difference, ordering: .relaxed) }
}

/// The calls of the definition's own callback, for all machines.
let trash = Counter()
