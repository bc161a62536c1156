/// Encodes the elements of an array in order.
struct ArchiveUnkeyedEncoding: UnkeyedEncodingContainer {
    let encoder: ArchiveEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    var count: Int { encoder.state.count }

    func encode<T: Encodable>(_ value: T) throws {
        try encoder.element { try encoder.write(value, under: $0) }
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        encoder.laterElement().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.laterElement().unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder.laterElement() }
}

// MARK: - Types that every container names

extension ArchiveUnkeyedEncoding {
    func encodeNil() throws { try encoder.element { _ in encoder.writer.write(plain: "null") } }

    func encode(_ value: Bool) throws { try encoder.element { _ in encoder.writer.write(value) } }

    func encode(_ value: String) throws { try encoder.element { _ in encoder.writer.write(value) } }

    func encode(_ value: some CodableFloat) throws {
        try encoder.element { try encoder.write(value, codingPath + [$0]) }
    }

    func encode(_ value: some CodableInteger) throws { try encoder.element { _ in encoder.writer.write(value) } }

    // The standard library has methods of its own for these.
    func encode(_ value: Int128) throws { try encoder.element { _ in encoder.writer.write(value) } }

    func encode(_ value: UInt128) throws { try encoder.element { _ in encoder.writer.write(value) } }
}
