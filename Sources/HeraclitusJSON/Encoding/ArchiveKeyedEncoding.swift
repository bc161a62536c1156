/// Encodes the members of an object by key.
struct ArchiveKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ArchiveEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encoder.member(key) { try encoder.write(value, under: key) }
    }

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

// MARK: - Types that every container names

extension ArchiveKeyedEncoding {
    func encodeNil(forKey key: Key) throws { try encoder.member(key) { encoder.writer.write(plain: "null") } }

    func encode(_ value: Bool, forKey key: Key) throws { try encoder.member(key) { encoder.writer.write(value) } }

    func encode(_ value: String, forKey key: Key) throws { try encoder.member(key) { encoder.writer.write(value) } }

    // The most common types have methods of their own, because a generic type has no specialized generic methods.
    func encode(_ value: Double, forKey key: Key) throws { try floating(value, key) }

    func encode(_ value: Int, forKey key: Key) throws { try integer(value, key) }

    func encode(_ value: some CodableFloat, forKey key: Key) throws { try floating(value, key) }

    func encode(_ value: some CodableInteger, forKey key: Key) throws { try integer(value, key) }

    // The standard library has methods of its own for these.
    func encode(_ value: Int128, forKey key: Key) throws { try integer(value, key) }

    func encode(_ value: UInt128, forKey key: Key) throws { try integer(value, key) }

    private func integer(_ value: some FixedWidthInteger, _ key: Key) throws {
        try encoder.member(key) { encoder.writer.write(value) }
    }

    private func floating(_ value: some BinaryFloatingPoint & LosslessStringConvertible, _ key: Key) throws {
        try encoder.member(key) { try encoder.write(value, codingPath + [key]) }
    }
}
