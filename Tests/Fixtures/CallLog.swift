import Heraclitus

/// A log of occurrences in order, usable from any thread.
final class CallLog: Sendable {
    private let lines = Lock<[String]>([])

    func write(_ line: String) { lines.withLock { $0.append(line) } }

    var entries: [String] { lines.withLock { $0 } }

    func clear() { lines.withLock { $0 = [] } }
}

struct Objection: Error, Equatable {
    var text = "no"
}
