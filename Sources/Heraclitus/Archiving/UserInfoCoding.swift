import HeraclitusEssentials

extension UserInfo: Codable {
    /// Decodes values without their types; ``subscript(_:as:)`` names a type later.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` unless there is an object with keys and values.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: JSONKey.self)
        var values: [String: Value] = [:]
        for key in container.allKeys { values[key.stringValue] = try container.decode(JSONValue.self, forKey: key) }
        self.init(values)
    }

    /// Encodes every value.
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of a value; `EncodingError` for a value deeper than 64 levels, which could not be read
    ///   again.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        if let archive = encoder as? ArchiveEncoder {
            return try archive.limited(toDepth: JSONValue.depthLimit) {
                for (key, value) in values { try container.encode(value, forKey: JSONKey(key)) }
            }
        }
        for (key, value) in values {
            let key = JSONKey(key)
            if !value.isSingle { try value.expectReadable(at: encoder.codingPath + [key]) }
            try container.encode(value, forKey: key)
        }
    }
}

extension Decodable where Self: Encodable & Sendable {
    /// Whether it is a single value, whose own encoding throws if it cannot be written.
    fileprivate var isSingle: Bool {
        self is String || self is Int || self is Double || self is Bool || self is JSONValue
    }

    /// Throws for a value too deep to be read again.
    fileprivate func expectReadable(at path: [any CodingKey]) throws {
        do {
            _ = try JSONValue(encoding: self, at: path)
        } catch let error as EncodingError where error.isTooDeep {
            throw error
        } catch {}
    }
}

/// A user info that encodes unwritable and unreadable values as their descriptions.
struct WritableUserInfo: Encodable {
    let userInfo: UserInfo

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        // A machine may be in the user info of its own journal's lines.
        let info: [CodingUserInfoKey: Any] = [.leavesJournalsOut: true]
        func write(_ value: UserInfo.Value, _ key: JSONKey) throws {
            do {
                try container.encode(value, forKey: key)
            } catch {
                try container.encode(text(of: value), forKey: key)
            }
        }
        if let archive = encoder as? ArchiveEncoder {
            return try archive.limited(toDepth: JSONValue.depthLimit, userInfo: info) {
                for (key, value) in userInfo.values { try write(value, JSONKey(key)) }
            }
        }
        for (key, value) in userInfo.values {
            let key = JSONKey(key)
            // Other encoders keep partial output of a failed value and add it to the next one.
            let path = encoder.codingPath + [key]
            let json = value.isSingle ? nil : try? JSONValue(encoding: value, at: path, userInfo: info)
            try write(value.isSingle ? value : json ?? .string(text(of: value)), key)
        }
    }
}

extension CodingUserInfoKey {
    static let leavesJournalsOut = CodingUserInfoKey(rawValue: "heraclitus.leavesJournalsOut")!
}
