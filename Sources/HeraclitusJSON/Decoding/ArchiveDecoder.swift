import HeraclitusEssentials

/// Decodes typed values of JSON that has been parsed, or that a migration has made.
///
/// It takes what Foundation's decoder takes, with the same meaning. It differs in what an archive promises: raw values keep every
/// digit, and its time does not grow with the depth. A number with too many digits for a `Decimal` is an
/// error, and so is a fraction that only rounding would make an integer.
package final class ArchiveDecoder: Decoder {
    package let value: JSONValue
    package let userInfo: [CodingUserInfoKey: Any]

    /// Where this decoder's value lies: under a key of another one's, or at a path.
    private let place: Place

    private enum Place {
        case path([any CodingKey])
        case under(any Decoder, any CodingKey)
    }

    /// The keys that were asked for so far, some of them several times; `nil` if nobody wants to know.
    private var askedKeys: [String]?

    /// Notes from now on which keys of the object are asked for.
    package func noteAskedKeys() { askedKeys = [] }

    @inline(__always)
    func note(asked key: String) { askedKeys?.append(key) }

    /// The members of the object whose keys nobody has asked for since ``noteAskedKeys()``.
    package var unreadMembers: [String: JSONValue] {
        guard let askedKeys, case .object(let members) = value else { return [:] }
        var unread: [String: JSONValue] = [:]
        // To compare a few keys takes less than to hash them.
        let asked = askedKeys.count > 16 ? Set(askedKeys) : nil
        for (key, value) in members where !(asked?.contains(key) ?? askedKeys.contains(key)) { unread[key] = value }
        return unread
    }

    package init(_ value: JSONValue, at path: [any CodingKey] = [], userInfo: [CodingUserInfoKey: Any] = [:]) {
        self.value = value
        self.userInfo = userInfo
        place = .path(path)
    }

    package init(_ value: JSONValue, under decoder: any Decoder, _ key: any CodingKey) {
        self.value = value
        userInfo = decoder.userInfo
        place = .under(decoder, key)
    }

    package var codingPath: [any CodingKey] {
        var keys: [any CodingKey] = []
        var decoder = self
        while case .under(let parent, let key) = decoder.place {
            keys.append(key)
            guard let parent = parent as? ArchiveDecoder else { return parent.codingPath + keys.reversed() }
            decoder = parent
        }
        guard case .path(let path) = decoder.place else { return keys.reversed() }
        return path + keys.reversed()
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch([String: Any].self) }
        return KeyedDecodingContainer(ArchiveKeyedContainer(self, members))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([Any].self) }
        return ArchiveUnkeyedContainer(self, elements)
    }

    package func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    /// The value as a type, which of some types is not what their own `init(from:)` reads.
    package func decoded<T: Decodable>(_ type: T.Type) throws -> T {
        let decoded: Any
        if type == Date.self {
            decoded = try date()
        } else if type == Data.self {
            decoded = try data()
        } else if type == Decimal.self {
            decoded = try decimal()
        } else if type == URL.self {
            decoded = try url()
        } else {
            return try T(from: self)
        }
        guard let decoded = decoded as? T else { throw mismatch(type) }
        return decoded
    }

    /// The value with all of its digits, for somebody who may hand it to a coder.
    package func raw() throws -> JSONValue {
        guard value.isWithin(JSONValue.depthLimit - codingPath.count) else {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: JSONValue.tooDeep))
        }
        // All of it is read.
        askedKeys = nil
        return value
    }
}

// MARK: - Values

extension ArchiveDecoder: SingleValueDecodingContainer {
    package func decodeNil() -> Bool { value == .null }

    package func decode(_ type: Bool.Type) throws -> Bool {
        if case .bool(let bool) = value { return bool }
        throw mismatch(type)
    }

    package func decode(_ type: String.Type) throws -> String {
        if case .string(let string) = value { return string }
        throw mismatch(type)
    }

    package func decode(_ type: Double.Type) throws -> Double {
        if case .number(let number) = value, number.isFinite { return number }
        return try floating(type)
    }

    package func decode(_ type: Float.Type) throws -> Float { try floating(type) }

    package func decode(_ type: Int.Type) throws -> Int { try integer(type) }

    package func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }

    package func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }

    package func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }

    package func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }

    package func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }

    package func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }

    package func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }

    package func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }

    package func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }

    package func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    package func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

    package func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoded(type) }

    func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
        let integer: T?
        switch value {
        case .integer(let number): integer = T(exactly: number)
        case .unsigned(let number): integer = T(exactly: number)
        case .number, .decimal: integer = DecimalDigits(try numberText(type).utf8)?.integer(as: type)
        default: throw mismatch(type)
        }
        if let integer { return integer }
        throw misfit(type)
    }

    func floating<T: BinaryFloatingPoint & LosslessStringConvertible>(_ type: T.Type) throws -> T {
        // From the text, because a number that is rounded twice may be another one.
        if let number = T(try numberText(type)), number.isFinite { return number }
        throw misfit(type)
    }

    /// The text of a number, in which no digit is lost.
    private func numberText(_ type: Any.Type) throws -> String {
        switch value {
        case .integer(let integer): return "\(integer)"
        case .unsigned(let unsigned): return "\(unsigned)"
        case .number(let number) where number.isFinite: return "\(number)"
        case .decimal(let digits) where DecimalDigits(digits.utf8) != nil: return digits
        default: throw mismatch(type)
        }
    }

    private func decimal() throws -> Decimal {
        if let decimal = DecimalDigits(try numberText(Decimal.self).utf8)?.decimal { return decimal }
        throw misfit(Decimal.self)
    }

    private func date() throws -> Date {
        // The default of `JSONEncoder` is a number, and the default of archives is text.
        if case .string = value { return try ArchivedDate.date(from: self) }
        let seconds = try decode(Double.self)
        // Or it could not be written again.
        guard ArchivedDate.writable.contains(seconds) else { throw misfit(Date.self) }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    private func data() throws -> Data {
        guard case .string(let text) = value else { throw mismatch(Data.self) }
        if let data = Data(base64Encoded: text) { return data }
        throw corrupted("This is not base64.")
    }

    private func url() throws -> URL {
        guard case .string(let text) = value else { throw mismatch(URL.self) }
        if let url = URL(string: text) { return url }
        throw corrupted("\"\(text.prefix(40))\" is not a URL.")
    }
}

// MARK: - Errors

extension ArchiveDecoder {
    private func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath,
            debugDescription: "Expected to decode \(type) but found \(value.kind) instead."
        )
        return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private func misfit(_ type: Any.Type) -> DecodingError {
        let number = (try? numberText(type)) ?? ""
        return corrupted("The number \(number.prefix(40)) does not fit into \(type).")
    }

    private func corrupted(_ explanation: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: explanation))
    }
}

extension JSONValue {
    /// The kind of the value, for errors.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a bool"
        case .number(let number) where !number.isFinite: "what is no number (\(number))"
        case .decimal(let digits) where DecimalDigits(digits.utf8) == nil: "what is no number (\(digits))"
        case .integer, .unsigned, .number, .decimal: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Whether no more levels lie within it.
    func isWithin(_ levels: Int) -> Bool {
        switch self {
        case .array(let elements): levels >= 0 && elements.allSatisfy { $0.isWithin(levels - 1) }
        case .object(let members): levels >= 0 && members.values.allSatisfy { $0.isWithin(levels - 1) }
        default: levels >= 0
        }
    }
}
