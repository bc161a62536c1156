#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONValue: Codable {
    /// How deep values may lie within values: coders call themselves for each level, and a thread that is not the main one may
    /// have a stack of 512 KiB.
    private static let depthLimit = 64

    /// Reads whatever is there.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if it is nothing that JSON has, or more than 64 levels deep.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.depthLimit else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "This is deeper than \(Self.depthLimit) levels."
                )
            )
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? container.decode(Int.self) {
            self = .integer(integer)
        } else if let unsigned = try? container.decode(UInt64.self) {
            self = .unsigned(unsigned)
        } else if let number = try? container.decode(Double.self) {
            if let decimal = try? container.decode(Decimal.self), Decimal(string: "\(number)") != decimal {
                self = .decimal("\(decimal)")
            } else {
                self = .number(number)
            }
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([JSONValue].self))
        } else if (try? decoder.container(keyedBy: AnyKey.self)) != nil {
            self = .object(try container.decode([String: JSONValue].self))
        } else if let date = try? container.decode(Date.self), let text = ArchivedDate.text(of: date) {
            // Property lists have two types that JSON has not.
            self = .string(text)
        } else {
            self = .string(try container.decode(Data.self).base64EncodedString())
        }
    }

    /// Writes the value.
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError` for a number that JSON does not have, or for what is more than 64 levels deep.
    public func encode(to encoder: any Encoder) throws {
        // Or it could not be read again.
        guard encoder.codingPath.count <= Self.depthLimit else {
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription: "This is deeper than \(Self.depthLimit) levels."
                )
            )
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .unsigned(let unsigned): try container.encode(unsigned)
        case .number(let number): try container.encode(number)
        case .decimal(let digits):
            // A Decimal is also made of text that only begins like a number.
            guard Double(digits) != nil, !digits.contains("x"), let decimal = Decimal(string: digits) else {
                throw EncodingError.invalidValue(
                    self,
                    .init(codingPath: encoder.codingPath, debugDescription: "\"\(digits)\" is no number.")
                )
            }
            try container.encode(decimal)
        case .string(let string): try container.encode(string)
        case .array(let array): try container.encode(array)
        case .object(let object): try container.encode(object)
        }
    }
}

extension JSONValue: ConvertibleValue {
    func converted<T: Decodable>(to type: T.Type) -> T? { try? decoded(type) }

    /// Makes a typed value of this one.
    ///
    /// Dates are read in either way, as an archive has written them or a coder that was left as it is.
    func decoded<T: Decodable>(_ type: T.Type, userInfo: [CodingUserInfoKey: any Sendable] = [:]) throws -> T {
        let decoder = JSONDecoder()
        decoder.userInfo = userInfo
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            if let seconds = try? container.decode(Double.self) { return Date(timeIntervalSinceReferenceDate: seconds) }
            return try ArchivedDate.date(from: container)
        }
        return try decoder.decode(type, from: try JSONEncoder().encode(self))
    }
}

private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
