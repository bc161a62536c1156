import HeraclitusEssentials

/// Decodes typed values of JSON that has been parsed, or that a migration has made.
///
/// It takes what Foundation's decoder takes, with the same meaning. It differs in what an archive promises: raw values keep every
/// digit, its time does not grow with the depth, and a machine within the data hands its raw data on without a copy. A
/// `Decimal` that cannot have all digits of a number refuses it.
package final class ArchiveDecoder: Decoder {
    package let node: JSONNode
    package let userInfo: [CodingUserInfoKey: Any]

    /// Where this decoder's value lies: under a key of another one's, or at a path.
    private let place: Place

    private enum Place {
        case path([any CodingKey])
        case under(ArchiveDecoder, any CodingKey)
    }

    package init(_ node: JSONNode, at path: [any CodingKey] = [], userInfo: [CodingUserInfoKey: Any] = [:]) {
        self.node = node
        self.userInfo = userInfo
        place = .path(path)
    }

    init(_ node: JSONNode, under decoder: ArchiveDecoder, _ key: any CodingKey) {
        self.node = node
        userInfo = decoder.userInfo
        place = .under(decoder, key)
    }

    package var codingPath: [any CodingKey] {
        var keys: [any CodingKey] = []
        var decoder = self
        while case .under(let parent, let key) = decoder.place {
            keys.append(key)
            decoder = parent
        }
        guard case .path(let path) = decoder.place else { return keys.reversed() }
        return path + keys.reversed()
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = JSONMembers(node) else { throw mismatch([String: Any].self) }
        return KeyedDecodingContainer(ArchiveKeyedContainer(self, members))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = JSONElements(node) else { throw mismatch([Any].self) }
        return ArchiveUnkeyedContainer(self, elements)
    }

    package func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    /// The value as a type, which of some types is not what their own `init(from:)` reads.
    package func decoded<T: Decodable>(_ type: T.Type) throws -> T {
        let value: Any
        if type == Date.self {
            value = try date()
        } else if type == Data.self {
            value = try data()
        } else if type == Decimal.self {
            value = try decimal()
        } else if type == URL.self {
            value = try url()
        } else {
            return try T(from: self)
        }
        guard let value = value as? T else { throw mismatch(type) }
        return value
    }

    /// The value with all of its digits, for somebody who may hand it to a coder.
    package func raw() throws -> JSONValue {
        guard let value = node.value(levels: JSONValue.depthLimit - codingPath.count) else {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: JSONValue.tooDeep))
        }
        return value
    }
}

// MARK: - Values

extension ArchiveDecoder: SingleValueDecodingContainer {
    package func decodeNil() -> Bool { node.isNull }

    package func decode(_ type: Bool.Type) throws -> Bool {
        if let bool = node.bool { return bool }
        throw mismatch(type)
    }

    package func decode(_ type: String.Type) throws -> String {
        if let string = node.string { return string }
        throw mismatch(type)
    }

    package func decode(_ type: Double.Type) throws -> Double { try floating(type) }

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
        guard let number = node.number else { throw mismatch(type) }
        if let integer = T(number) ?? DecimalDigits(number.utf8)?.integer(as: type) { return integer }
        throw misfit(number, type)
    }

    func floating<T: BinaryFloatingPoint & LosslessStringConvertible>(_ type: T.Type) throws -> T {
        guard let number = node.number else { throw mismatch(type) }
        if let value = T(number), value.isFinite { return value }
        throw misfit(number, type)
    }

    private func decimal() throws -> Decimal {
        guard let number = node.number else { throw mismatch(Decimal.self) }
        if let decimal = DecimalDigits(number.utf8)?.decimal { return decimal }
        throw misfit(number, Decimal.self)
    }

    private func date() throws -> Date {
        // What a coder writes that was left as it is.
        guard let number = node.number else { return try ArchivedDate.date(from: self) }
        let seconds = try floating(Double.self)
        // Or it could not be written again.
        guard ArchivedDate.writable.contains(seconds) else { throw misfit(number, Date.self) }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    private func data() throws -> Data {
        guard let text = node.string else { throw mismatch(Data.self) }
        if let data = Data(base64Encoded: text) { return data }
        throw corrupted("This is not base64.")
    }

    private func url() throws -> URL {
        guard let text = node.string else { throw mismatch(URL.self) }
        if let url = URL(string: text) { return url }
        throw corrupted("\"\(text.prefix(40))\" is not a URL.")
    }
}

// MARK: - Errors

extension ArchiveDecoder {
    private func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath,
            debugDescription: "Expected to decode \(type) but found \(node.kind) instead."
        )
        return node.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private func misfit(_ number: String, _ type: Any.Type) -> DecodingError {
        corrupted("The number \(number.prefix(40)) does not fit into \(type).")
    }

    private func corrupted(_ explanation: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: explanation))
    }
}
