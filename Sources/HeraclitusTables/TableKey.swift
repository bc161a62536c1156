public import Heraclitus

extension TransitionTable {
    /// The description of a key in a state's data: a type, and whether the key is optional.
    ///
    /// In JSON it is a text: `"number"`, or `"number?"` for an optional key.
    @nonexhaustive
    public enum Key: Hashable, Sendable {
        /// A text.
        case string

        /// A number.
        case number

        /// A number without a fraction.
        case integer

        /// `true` or `false`.
        case boolean

        /// A date as text in ISO 8601.
        case date

        /// A list of any values.
        case list

        /// Any values by key.
        case object

        /// Any value.
        case any

        /// A key that may be missing or `null`.
        indirect case optional(Key)

        /// The optional form of the key.
        public var optional: Key { isOptional ? self : .optional(self) }
    }
}

extension TransitionTable.Key: Codable, CustomStringConvertible {
    private static let types: [(name: String, key: TransitionTable.Key)] = [
        ("string", .string), ("number", .number), ("integer", .integer), ("boolean", .boolean), ("date", .date),
        ("list", .list), ("object", .object), ("any", .any),
    ]

    /// The type, followed by a question mark for an optional key.
    public var description: String {
        if case .optional(let key) = self { return key.isOptional ? "\(key)" : "\(key)?" }
        return Self.types.first { $0.key == self }?.name ?? ""
    }

    var isOptional: Bool { if case .optional = self { true } else { false } }

    /// Decodes a text such as `number?`.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` for an unknown type, with the known ones.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        let keys = Self.types.flatMap { [$0.key, $0.key.optional] }
        guard let key = keys.first(where: { $0.description == text }) else {
            let known = Self.types.map(\.name).joined(separator: ", ")
            let explanation = "\"\(text.shortened)\" is no type of a key; the types are \(known)."
            throw DecodingError.corrupted(explanation, at: decoder.codingPath)
        }
        self = key
    }

    /// Encodes a text such as `number?`.
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
