import HeraclitusEssentials

extension UserInfo: Codable {
    fileprivate struct ValueKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ key: String) { stringValue = key }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Decodes values without knowing their types, which ``subscript(_:as:)`` names later.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` unless there is an object with keys and values.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ValueKey.self)
        var values: [String: Value] = [:]
        for key in container.allKeys { values[key.stringValue] = try container.decode(JSONValue.self, forKey: key) }
        self.init(values)
    }

    /// Encodes every value.
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of a value; `EncodingError` for one that lies more than 64 levels deep, which could not be read again.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ValueKey.self)
        let levels = JSONValue.depthLimit - encoder.codingPath.count - 1
        for (key, value) in values {
            guard value.isReadable(levels: levels) else {
                throw EncodingError.invalidValue(
                    text(of: value),
                    .init(codingPath: encoder.codingPath + [ValueKey(key)], debugDescription: JSONValue.tooDeep)
                )
            }
            try container.encode(value, forKey: ValueKey(key))
        }
    }
}

/// A value of a user info that is encoded on its own, to see whether it could be read again.
struct ValueAlone: Encodable {
    /// Whether one is being encoded now.
    ///
    /// Then those within it are not encoded twice. And a machine leaves its journal out, which may have it in the user info of a line.
    @TaskLocal static var isUnderWay = false

    let value: UserInfo.Value

    /// As a member, because a value that encodes nothing is an empty object only within another one.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: UserInfo.ValueKey.self)
        try container.encode(value, forKey: UserInfo.ValueKey("value"))
    }

    fileprivate func json() throws -> Data { try Self.$isUnderWay.withValue(true) { try archiveEncoder.encode(self) } }
}

extension Decodable where Self: Encodable & Sendable {
    /// Whether it is a single value that throws by itself if it cannot be read again.
    fileprivate var isSingle: Bool {
        guard let value = self as? JSONValue else {
            return self is String || self is Int || self is Double || self is Bool
        }
        switch value {
        case .array, .object: return false
        case .null, .bool, .integer, .unsigned, .number, .decimal, .string: return true
        }
    }

    /// Whether no more levels lie within it, as far as it can be encoded at all.
    fileprivate func isReadable(levels: Int) -> Bool {
        // A list or an object of JSON throws by itself, and the error ends the whole encoding.
        if isSingle || self is JSONValue || ValueAlone.isUnderWay { return true }
        guard let json = try? ValueAlone(value: self).json() else { return true }
        return JSONSurvey(json.span).depth <= levels + 1
    }
}

/// A user info of which a value that cannot be encoded, or could not be read again, is encoded as its description.
struct WritableUserInfo: Encodable {
    let userInfo: UserInfo

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: UserInfo.ValueKey.self)
        let levels = JSONValue.depthLimit - encoder.codingPath.count - 1
        for (key, value) in userInfo.values {
            do {
                try container.encode(readable(value, levels: levels), forKey: UserInfo.ValueKey(key))
            } catch {
                try container.encode(text(of: value), forKey: UserInfo.ValueKey(key))
            }
        }
    }

    /// A value in a form that an encoder writes wholly, or that throws before the encoder has written any of it.
    ///
    /// An encoder keeps the part of a list or an object before the error, and the next value would get it. It also writes a `Decimal` that is no
    /// number, and values at any depth.
    private func readable(_ value: UserInfo.Value, levels: Int) throws -> UserInfo.Value {
        if value.isSingle { return value }
        let json = try ValueAlone(value: value).json()
        guard JSONSurvey(json.span).depth <= levels + 1 else {
            throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: JSONValue.tooDeep))
        }
        return try JSONValue(json: json)["value"] ?? .null
    }
}
