import Heraclitus

/// The marks of a diagram: the current state of a machine, and its path.
struct DiagramMarks {
    /// The current state.
    let state: String?

    /// The marks of the machines in the current state, in their order.
    let regions: [DiagramMarks]

    /// The visited states.
    private(set) var visited: Set<String> = []

    /// The number of transitions by event and destination, and then by source.
    private var counts: [[String]: [String: Int]] = [:]

    /// Makes the marks of a machine.
    /// - Parameters:
    ///   - state: The current state; `nil` for none.
    ///   - journal: The journal with the path; `nil` for no path.
    ///   - names: The names of the states of an occurrence, as the diagram has them.
    ///   - regions: The marks of the machines in the current state.
    init(
        _ state: String?,
        path journal: Journal? = nil,
        names: (Occurrence) -> (source: String, destination: String?) = { ($0.source, $0.destination) },
        regions: [DiagramMarks] = []
    ) {
        self.state = state
        self.regions = regions
        for occurrence in journal?.lines ?? [] where occurrence.path == nil {
            let (source, destination) = names(occurrence)
            visited.insert(source)
            guard occurrence.kind == .transitioned, let destination else { continue }
            visited.insert(destination)
            counts[[occurrence.event ?? "", destination], default: [:]][source, default: 0] += 1
        }
    }

    /// The number of an event's transitions from some states to a state, as `×2`; empty for none.
    func mark(_ event: String, to destination: String, from isSource: (String) -> Bool) -> String {
        guard let sources = counts[[event, destination]] else { return "" }
        let count = sources.reduce(0) { $0 + (isSource($1.key) ? $1.value : 0) }
        return count == 0 ? "" : " ×\(count)"
    }
}
