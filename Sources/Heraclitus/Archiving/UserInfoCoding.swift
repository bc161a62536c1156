#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
    /// - Throws: The error of a value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ValueKey.self)
        for (key, value) in values { try container.encode(value, forKey: ValueKey(key)) }
    }
}

/// A user info of which a value that cannot be encoded, or could not be read again, is encoded as its description.
struct WritableUserInfo: Encodable {
    let userInfo: UserInfo

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: UserInfo.ValueKey.self)
        for (key, value) in userInfo.values {
            do {
                try container.encode(readable(value), forKey: UserInfo.ValueKey(key))
            } catch {
                try container.encode(text(of: value), forKey: UserInfo.ValueKey(key))
            }
        }
    }

    /// A value in the form that throws when it is encoded, unless it can be read again.
    ///
    /// An encoder also writes a `Decimal` that is no number, and values at any depth.
    private func readable(_ value: UserInfo.Value) throws -> UserInfo.Value {
        switch value {
        // Most are of these types, which throw by themselves.
        case is String, is Int, is Double, is Bool, is JSONValue: return value
        default:
            // Encoded as a member, because a value that encodes nothing is an empty object only within another one.
            let json = try JSONValue(json: archiveEncoder.encode(UserInfo(["value": value])))
            return json["value"] ?? .null
        }
    }
}
