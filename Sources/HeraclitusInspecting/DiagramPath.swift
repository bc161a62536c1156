import Heraclitus

/// The path of a machine, which diagrams mark.
struct DiagramPath {
    private struct Step: Hashable {
        let event: String
        let to: String
    }

    /// The number of transitions of each event to each state, by source.
    private var counts: [Step: [String: Int]] = [:]

    /// The visited states.
    private(set) var states: Set<String> = []

    /// Makes the path of a journal.
    /// - Parameters:
    ///   - journal: The journal; `nil` for no path.
    ///   - names: The names of the states of an occurrence, as the diagram has them.
    init(
        _ journal: Journal?,
        names: (Occurrence) -> (source: String, destination: String?) = { ($0.source, $0.destination) }
    ) {
        for occurrence in journal?.lines ?? [] where occurrence.path == nil {
            let (source, destination) = names(occurrence)
            states.insert(source)
            guard occurrence.kind == .transitioned, let destination else { continue }
            states.insert(destination)
            counts[Step(event: occurrence.event ?? "", to: destination), default: [:]][source, default: 0] += 1
        }
    }

    /// The number of an event's transitions from some states to a state, as `×2`; empty for none.
    func mark(_ event: String, to destination: String, from isSource: (String) -> Bool) -> String {
        guard let sources = counts[Step(event: event, to: destination)] else { return "" }
        let count = sources.reduce(0) { $0 + (isSource($1.key) ? $1.value : 0) }
        return count == 0 ? "" : " ×\(count)"
    }
}
