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

extension Occurrence.Cause: Codable {
    private enum Key: CodingKey { case kind, date, error, regions }

    /// Decodes a cause.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`, also for a cause of a later version of the library.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        switch try container.decode(TransitionTable.Trigger.self, forKey: .kind) {
        case .due: self = .due(try container.decode(Date.self, forKey: .date))
        case .failure: self = .failure(try container.decode(String.self, forKey: .error))
        case .done: self = .done
        case .condition: self = .condition
        case .completion: self = .completion(try container.decode([String].self, forKey: .regions))
        }
    }

    /// Encodes the name of the trigger, with its details.
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(trigger, forKey: .kind)
        switch self {
        case .due(let date): try container.encode(date, forKey: .date)
        case .failure(let error): try container.encode(error, forKey: .error)
        case .completion(let regions): try container.encode(regions, forKey: .regions)
        case .done, .condition: break
        }
    }

    private var trigger: TransitionTable.Trigger {
        switch self {
        case .due: .due
        case .failure: .failure
        case .done: .done
        case .condition: .condition
        case .completion: .completion
        }
    }
}

extension Occurrence.Cause: CustomStringConvertible {
    /// The cause in a few words: `due 2030-01-01T00:00:00.000Z`.
    ///
    /// The text of a long error is shortened to 1,000 characters; ``failure(_:)`` has it whole.
    public var description: String {
        switch self {
        case .due(let date): "due \(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))"
        case .failure(let error): "work failed: \(error.shortenedExplanation)"
        case .done: "work done"
        case .condition: "condition held"
        case .completion(let regions): "ended: \(regions.joined(separator: ", "))"
        }
    }
}
