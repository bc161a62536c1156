/// Encodes the members of an object by key.
struct ArchiveKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ArchiveEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encoder.member(key, encoder.encoded(value, under: key))
    }

    // The generic function compares and casts types at run time.
    func encode(_ value: Bool, forKey key: Key) throws { try encoder.member(key, .raw(.bool(value))) }
    func encode(_ value: Int, forKey key: Key) throws { try encoder.member(key, .raw(.integer(value))) }
    func encode(_ value: String, forKey key: Key) throws { try encoder.member(key, .raw(.string(value))) }

    // The standard library has default methods for these two.
    func encode(_ value: Int128, forKey key: Key) throws { try encoder.member(key, .integer(value)) }
    func encode(_ value: UInt128, forKey key: Key) throws { try encoder.member(key, .integer(value)) }
    func encodeNil(forKey key: Key) throws { try encoder.member(key, .null) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.container(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.container(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder.laterMember(JSONKey("super")) }

    func superEncoder(forKey key: Key) -> any Encoder { encoder.laterMember(key) }
}
