/// The members of an object, decoded by key.
package struct ArchiveKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: ArchiveDecoder

    private let places: [String: Int]?

    /// The members of a decoder's object.
    init(_ decoder: ArchiveDecoder) {
        self.decoder = decoder
        places = decoder.value.manyMembers
    }

    package var codingPath: [any CodingKey] { decoder.codingPath }

    package var allKeys: [Key] {
        let names = decoder.value.keys
        let keys = names.compactMap { Key(stringValue: $0) }
        if keys.count == names.count {
            decoder.value.noteRead()
        } else {
            // Keys that the type cannot name stay unread.
            for key in keys { _ = found(key.stringValue) }
        }
        return keys
    }

    package func contains(_ key: Key) -> Bool { found(key.stringValue) != nil }

    package func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNull }

    package func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try member(key).decoded(type)
    }

    // The generic function makes a decoder for each value.
    package func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try scalar(key).bool(codingPath + [key]) }
    package func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try scalar(key).integer(type, codingPath + [key])
    }
    package func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try scalar(key).text(codingPath + [key])
    }

    // The standard library has default methods for these two.
    package func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try member(key).decode(type) }
    package func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try member(key).decode(type) }

    package func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try member(key).container(keyedBy: type)
    }

    package func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    package func superDecoder() throws -> any Decoder { parent(JSONKey("super")) }

    package func superDecoder(forKey key: Key) throws -> any Decoder { parent(key) }

    /// The decoder for a superclass, which reads `null` where there is nothing.
    private func parent(_ key: any CodingKey) -> ArchiveDecoder {
        ArchiveDecoder(found(key.stringValue) ?? .raw(.null), under: decoder, key)
    }

    /// The decoder of the value for a key.
    package func member(_ key: Key) throws -> ArchiveDecoder { ArchiveDecoder(try value(key), under: decoder, key) }

    private func scalar(_ key: Key) throws -> JSONValue { try value(key).scalar }

    private func value(_ key: Key) throws -> DecodedValue {
        if let value = found(key.stringValue) { return value }
        throw DecodingError.missing(key, in: codingPath)
    }

    private func found(_ key: String) -> DecodedValue? { decoder.value.member(key, places) }
}
