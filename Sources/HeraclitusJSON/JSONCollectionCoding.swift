extension JSONArray: Codable {
    /// Reads a list as ``JSONValue/init(from:)`` does.
    /// - Parameter decoder: The decoder.
    /// - Throws: What that throws, and `DecodingError` if there is no list.
    public init(from decoder: any Decoder) throws {
        guard case .array(let list) = try JSONValue(from: decoder) else {
            throw DecodingError.typeMismatch(
                Self.self,
                .init(codingPath: decoder.codingPath, debugDescription: "This is not a list.")
            )
        }
        self = list
    }

    /// Writes the list as ``JSONValue/encode(to:)`` does.
    /// - Parameter encoder: The encoder.
    /// - Throws: What that throws.
    public func encode(to encoder: any Encoder) throws { try JSONValue.array(self).encode(to: encoder) }
}

extension JSONObject: Codable {
    /// Reads an object as ``JSONValue/init(from:)`` does.
    /// - Parameter decoder: The decoder.
    /// - Throws: What that throws, and `DecodingError` if there is no object.
    public init(from decoder: any Decoder) throws {
        guard case .object(let object) = try JSONValue(from: decoder) else {
            throw DecodingError.typeMismatch(
                Self.self,
                .init(codingPath: decoder.codingPath, debugDescription: "This is not an object.")
            )
        }
        self = object
    }

    /// Writes the object as ``JSONValue/encode(to:)`` does.
    /// - Parameter encoder: The encoder.
    /// - Throws: What that throws.
    public func encode(to encoder: any Encoder) throws { try JSONValue.object(self).encode(to: encoder) }
}
