public import Heraclitus

extension TransitionTable {
    /// A step that converts archives of an older version of a `DataWorkflow`, as data.
    ///
    /// In JSON it is an object with the version and one change:
    ///
    /// ```json
    /// [
    ///     {"version": 2, "renameState": "Review", "to": "Legal review"},
    ///     {"version": 2, "removeState": "Paused", "to": "Draft"},
    ///     {"version": 3, "renameKey": "sum", "to": "amount", "state": "Draft"},
    ///     {"version": 3, "setKey": "currency", "value": "EUR"},
    ///     {"version": 3, "removeKey": "draft"},
    ///     {"version": 3, "renameEffect": "SendMail", "to": "SendLetter"},
    ///     {"version": 4, "unchanged": true}
    /// ]
    /// ```
    ///
    /// A step for a key with a state changes archives of the state, by its name after the earlier steps. Without a
    /// state it changes archives of all states.
    public struct MigrationStep: Hashable, Sendable {
        /// The change of a step.
        @nonexhaustive
        public enum Change: Hashable, Sendable {
            /// Gives a state another name.
            case renameState(String, to: String)

            /// Moves the machines of a state that was removed to another one.
            case removeState(String, into: String)

            /// Gives a key another name. If a state has both keys, it keeps both; a table that lists the state's keys
            /// then also needs ``removeKey(_:state:)``.
            case renameKey(String, to: String, state: String?)

            /// Sets a missing key.
            case setKey(String, to: JSONValue, state: String?)

            /// Removes a key.
            case removeKey(String, state: String?)

            /// Renames the pending effects of one type in stores.
            case renameEffect(String, to: String)

            /// Reads older archives as they are.
            case unchanged
        }

        /// The version that the step leads to.
        public let version: Int

        /// The change.
        public let change: Change

        /// Makes a step.
        /// - Parameters:
        ///   - version: The version that the step leads to, 2 or later.
        ///   - change: The change.
        public init(in version: Int, _ change: Change) {
            self.version = version
            self.change = change
        }
    }
}

extension TransitionTable.MigrationStep: Codable {
    private enum CodingKeys: String, CodingKey {
        case version
        case renameState, removeState, renameKey, setKey, removeKey, renameEffect, unchanged
        case to, value, state

        static let changes: [CodingKeys] = [
            .renameState, .removeState, .renameKey, .setKey, .removeKey, .renameEffect, .unchanged,
        ]
    }

    /// Decodes a step.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` for a step without a known change, or with several.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        version = try container.decode(Int.self, forKey: .version)
        let changes = CodingKeys.changes.filter(container.contains)
        guard let key = changes.first, changes.count == 1 else {
            let known = CodingKeys.changes.map(\.rawValue).joined(separator: ", ")
            let text = "A step of a migration has one of \(known), and this has \(changes.count)."
            throw DecodingError.corrupted(text, at: decoder.codingPath)
        }
        let state = try container.decodeIfPresent(String.self, forKey: .state)
        func text(_ key: CodingKeys) throws -> String { try container.decode(String.self, forKey: key) }
        change =
            switch key {
            case .renameState: .renameState(try text(key), to: try text(.to))
            case .removeState: .removeState(try text(key), into: try text(.to))
            case .renameKey: .renameKey(try text(key), to: try text(.to), state: state)
            case .setKey: .setKey(try text(key), to: try container.decode(JSONValue.self, forKey: .value), state: state)
            case .removeKey: .removeKey(try text(key), state: state)
            case .renameEffect: .renameEffect(try text(key), to: try text(.to))
            default: .unchanged
            }
        // A misspelt "state" would change the archives of all states.
        let known = json
        let members = try decoder.container(keyedBy: JSONKey.self)
        let others = try members.allKeys.filter { try known[$0.stringValue] == nil && !members.decodeNil(forKey: $0) }
        if let other = others.min(by: { $0.stringValue < $1.stringValue }) {
            let text = "A step with \(key.rawValue) has no \"\(other.stringValue.shortened)\"."
            throw DecodingError.dataCorruptedError(forKey: other, in: members, debugDescription: text)
        }
    }

    /// Encodes the step.
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's error.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    /// The step in JSON.
    var json: JSONValue {
        var members: [CodingKeys: JSONValue] = [.version: .integer(version)]
        switch change {
        case .renameState(let old, let new): members.merge([.renameState: .string(old), .to: .string(new)]) { $1 }
        case .removeState(let old, let other): members.merge([.removeState: .string(old), .to: .string(other)]) { $1 }
        case .renameKey(let old, let new, let state):
            members.merge([.renameKey: .string(old), .to: .string(new)]) { $1 }
            members[.state] = state.map { .string($0) }
        case .setKey(let key, let value, let state):
            members.merge([.setKey: .string(key), .value: value]) { $1 }
            members[.state] = state.map { .string($0) }
        case .removeKey(let key, let state):
            members[.removeKey] = .string(key)
            members[.state] = state.map { .string($0) }
        case .renameEffect(let old, let new): members.merge([.renameEffect: .string(old), .to: .string(new)]) { $1 }
        case .unchanged: members[.unchanged] = true
        }
        return .object(Dictionary(uniqueKeysWithValues: members.map { ($0.rawValue, $1) }))
    }
}
