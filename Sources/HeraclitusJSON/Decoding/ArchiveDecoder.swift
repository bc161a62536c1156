package import HeraclitusEssentials

/// Decodes typed values of parsed JSON, or of a raw value.
///
/// It accepts the values of Foundation's decoder, with the same meaning, plus the promises of archives:
/// - Raw values keep every digit.
/// - The time is proportional to the size at any depth.
/// - A number that only rounding would fit into its type is an error.
package final class ArchiveDecoder: Decoder {
    let value: DecodedValue

    /// The decoder of the outer value; `nil` for the outermost value.
    private let parent: (any Decoder)?
    private let key: any CodingKey

    init(_ value: DecodedValue, under parent: (any Decoder)?, _ key: any CodingKey) {
        self.value = value
        self.parent = parent
        self.key = key
    }

    /// Decodes a text with values that types may read from the decoder; a repeated key is an error.
    package convenience init(text: Data, userInfo: [CodingUserInfoKey: Any] = [:]) throws(JSONProblem) {
        self.init(.inText(try JSONText(text, userInfo: userInfo), 0), under: nil, JSONKey(""))
    }

    /// Decodes a raw value.
    package convenience init(
        _ value: JSONValue,
        under parent: (any Decoder)? = nil,
        _ key: any CodingKey = JSONKey("")
    ) {
        self.init(.raw(value), under: parent, key)
    }

    package var userInfo: [CodingUserInfoKey: Any] { parent?.userInfo ?? value.userInfo }

    package var codingPath: [any CodingKey] {
        var keys: [any CodingKey] = []
        var decoder = self
        while let parent = decoder.parent {
            keys.append(decoder.key)
            guard let parent = parent as? ArchiveDecoder else { return parent.codingPath + keys.reversed() }
            decoder = parent
        }
        return keys.reversed()
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try members(by: type))
    }

    /// The members of an object, for callers that need no container of any decoder.
    package func members<Key: CodingKey>(by type: Key.Type) throws -> ArchiveKeyedContainer<Key> {
        guard value.isObject else { throw scalar.mismatch([String: Any].self, codingPath) }
        return ArchiveKeyedContainer(self)
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array = scalar else { throw scalar.mismatch([Any].self, codingPath) }
        return ArchiveUnkeyedContainer(self)
    }

    package func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    private var scalar: JSONValue { value.scalar }

    /// Some members of the object, found in one pass.
    ///
    /// Arrays and objects among them are empty. The members count as read. A container would take a tenth of a restoration.
    /// - Parameter keys: The UTF-8 of ASCII keys.
    /// - Returns: The members in the order of the keys; `nil` for a raw value.
    /// - Throws: `DecodingError` for other values than objects.
    package func members(_ keys: [[UInt8]]) throws -> [JSONValue?]? {
        guard value.isObject else { throw scalar.mismatch([String: Any].self, codingPath) }
        guard case .inText(let text, let node) = value else { return nil }
        return text.members(keys, of: node)
    }

    /// The value as a type; for some types, their own `init(from:)` is not called.
    func decoded<T: Decodable>(_ type: T.Type) throws -> T {
        if let known = try known(type), let known = known as? T { return known }
        return try T(from: self)
    }

    /// The value as one of those types; its frame on the stack is gone when nested values are decoded.
    private func known(_ type: Any.Type) throws -> Any? {
        if type == Date.self { return try date() }
        if type == Data.self { return try made("base64") { Data(base64Encoded: $0) } }
        if type == URL.self { return try made("a URL") { URL(string: $0) } }
        if type == Decimal.self { return try scalar.decimal(codingPath) }
        return nil
    }

    private func date() throws -> Date {
        // The default of `JSONEncoder` is a number, and the default of archives is text.
        if case .string = scalar { return try ArchivedDate.date(from: self) }
        let seconds = try decode(Double.self)
        // Other dates could not be written again.
        guard ArchivedDate.writable.contains(seconds) else { throw scalar.misfit(Date.self, codingPath) }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// The value that a text stands for.
    private func made<Value>(_ name: String, _ make: (String) -> Value?) throws -> Value {
        let text = try decode(String.self)
        if let value = make(text) { return value }
        throw DecodingError.corrupted("\"\(text.prefix(40))\" is not \(name).", at: codingPath)
    }

    /// The value with all of its digits, however deep it is.
    package var json: JSONValue { value.json }

    /// The value with all of its digits, for callers that may give it to a coder.
    func raw() throws -> JSONValue {
        let json = json
        guard json.isWithin(JSONValue.depthLimit - codingPath.count) else {
            throw DecodingError.corrupted(JSONValue.tooDeep, at: codingPath)
        }
        if case .inText(let text, let node) = value { text.noteRead(node) }
        return json
    }

    /// The members of the object that no container has read so far.
    package var unreadMembers: [String: JSONValue] {
        guard case .inText(let text, let node) = value, value.isObject else { return [:] }
        return text.unread(of: node)
    }
}

extension ArchiveDecoder: SingleValueDecodingContainer {
    package func decodeNil() -> Bool { value.isNull }

    package func decode(_ type: Bool.Type) throws -> Bool { try scalar.bool(codingPath) }

    package func decode(_ type: String.Type) throws -> String { try scalar.text(codingPath) }

    package func decode<T: CodableFloat>(_ type: T.Type) throws -> T { try scalar.floating(type, codingPath) }

    package func decode<T: CodableInteger>(_ type: T.Type) throws -> T { try scalar.integer(type, codingPath) }

    // The standard library has default methods for these two.
    package func decode(_ type: Int128.Type) throws -> Int128 { try scalar.integer(type, codingPath) }

    package func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar.integer(type, codingPath) }

    package func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoded(type) }
}
