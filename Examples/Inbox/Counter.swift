import Synchronization

/// Counts what callbacks tell it.
final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }

    func add(_ difference: Int = 1) { value.add(difference, ordering: .relaxed) }
}

/// What the definition's own callback counts, whichever machine it is.
let trash = Counter()
