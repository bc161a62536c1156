/// Encodes the members of an object by key.
package struct ArchiveKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ArchiveEncoder

    package var codingPath: [any CodingKey] { encoder.codingPath }

    package func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encoder.member(key, encoder.encoded(value, under: key))
    }

    // The generic function compares and casts types at run time.
    package func encode(_ value: Bool, forKey key: Key) throws { try encoder.member(key, .raw(.bool(value))) }
    package func encode(_ value: Int, forKey key: Key) throws { try encoder.member(key, .raw(.integer(value))) }
    package func encode(_ value: String, forKey key: Key) throws { try encoder.member(key, .raw(.string(value))) }

    // The standard library has default methods for these two.
    package func encode(_ value: Int128, forKey key: Key) throws { try encoder.member(key, .integer(value)) }
    package func encode(_ value: UInt128, forKey key: Key) throws { try encoder.member(key, .integer(value)) }
    package func encodeNil(forKey key: Key) throws { try encoder.member(key, .null) }

    package func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.container(key).container(keyedBy: type)
    }

    package func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.container(key).unkeyedContainer()
    }

    package func superEncoder() -> any Encoder { encoder.laterMember(JSONKey("super")) }

    package func superEncoder(forKey key: Key) -> any Encoder { encoder.laterMember(key) }
}
