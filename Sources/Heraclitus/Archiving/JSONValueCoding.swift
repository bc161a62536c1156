#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONValue: Codable {
    /// Reads whatever is there.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if it is nothing that JSON has.
    public init(from decoder: any Decoder) throws {
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
            self = .number(number)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let array = try? container.decode([JSONValue].self) {
            self = .array(array)
        } else if let object = try? container.decode([String: JSONValue].self) {
            self = .object(object)
        } else if let date = try? container.decode(Date.self), let text = ArchivedDate.text(of: date) {
            // Property lists have two types that JSON has not.
            self = .string(text)
        } else {
            self = .string(try container.decode(Data.self).base64EncodedString())
        }
    }

    /// Writes the value.
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError` for a number that JSON does not have.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .unsigned(let unsigned): try container.encode(unsigned)
        case .number(let number): try container.encode(number)
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
