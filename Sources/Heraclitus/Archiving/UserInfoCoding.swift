extension UserInfo: Codable {
    private struct ValueKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ key: String) { stringValue = key }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Reads values without knowing their types; they are found when the values are read with ``subscript(_:as:)``.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if there are no keys and values.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ValueKey.self)
        var values: [String: Value] = [:]
        for key in container.allKeys { values[key.stringValue] = try container.decode(JSONValue.self, forKey: key) }
        self.init(values)
    }

    /// Writes every value as it writes itself.
    /// - Parameter encoder: The encoder.
    /// - Throws: What a value throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ValueKey.self)
        for (key, value) in values { try container.encode(value, forKey: ValueKey(key)) }
    }
}
