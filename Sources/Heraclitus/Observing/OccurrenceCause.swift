public import HeraclitusEssentials

extension Occurrence {
    /// The cause of an automatic event.
    @nonexhaustive
    public enum Cause: Hashable, Sendable {
        /// The event was due at this date.
        case due(Date)

        /// The work of the state had failed, with an error of this text.
        case failure(String)

        /// The work of the state was done.
        case done

        /// The event's condition held.
        case condition

        /// The machines of these properties of the state had ended.
        case completion([String])
    }
}

extension Occurrence.Cause {
    /// The cause in a few words: `due 2030-01-01T00:00:00.000Z`.
    ///
    /// The text of a long error is shortened to 1,000 characters; ``failure(_:)`` has it whole.
    package var text: String {
        switch self {
        case .due(let date): "due \(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))"
        case .failure(let error): "work failed: \(error.shortenedExplanation)"
        case .done: "work done"
        case .condition: "condition held"
        case .completion(let regions): "ended: \(regions.joined(separator: ", "))"
        }
    }
}
