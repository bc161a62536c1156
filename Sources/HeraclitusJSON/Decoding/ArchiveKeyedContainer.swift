/// The members of an object, decoded by key.
struct ArchiveKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: ArchiveDecoder
    private let members: [String: JSONValue]

    init(_ decoder: ArchiveDecoder, _ members: [String: JSONValue]) {
        self.decoder = decoder
        self.members = members
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        for key in members.keys { decoder.note(asked: key) }
        return members.keys.compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool { found(key.stringValue) != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
        guard let value = found(key.stringValue) else { throw missing(key) }
        return value == .null
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try member(key).decoded(type) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { parent(JSONKey("super")) }

    func superDecoder(forKey key: Key) throws -> any Decoder { parent(key) }

    /// A superclass that has written nothing reads `null`.
    private func parent(_ key: any CodingKey) -> ArchiveDecoder {
        ArchiveDecoder(found(key.stringValue) ?? .null, under: decoder, key)
    }

    private func member(_ key: Key) throws -> ArchiveDecoder {
        guard let value = found(key.stringValue) else { throw missing(key) }
        return ArchiveDecoder(value, under: decoder, key)
    }

    private func found(_ key: String) -> JSONValue? {
        guard let value = members[key] else { return nil }
        decoder.note(asked: key)
        return value
    }

    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(
            key,
            .init(
                codingPath: codingPath,
                debugDescription: "There is no value for the key \"\(key.stringValue.shortened)\"."
            )
        )
    }
}

// MARK: - Types that every container names

extension ArchiveKeyedContainer {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).decode(type) }

    func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).decode(type) }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).decode(type) }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key).decode(type) }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).decode(type) }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key).decode(type) }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key).decode(type) }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).decode(type) }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).decode(type) }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try member(key).decode(type) }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key).decode(type) }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key).decode(type) }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try member(key).decode(type) }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try member(key).decode(type) }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try member(key).decode(type) }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try member(key).decode(type) }
}
