/// Encodes the elements of an array in order.
struct ArchiveUnkeyedEncoding: UnkeyedEncodingContainer {
    let encoder: ArchiveEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    var count: Int { encoder.count }

    func encode<T: Encodable>(_ value: T) throws {
        try encoder.element(encoder.encoded(value, under: encoder.index))
    }

    // The standard library has default methods for these two.
    func encode(_ value: Int128) throws { try encoder.element(.integer(value)) }
    func encode(_ value: UInt128) throws { try encoder.element(.integer(value)) }
    func encodeNil() throws { try encoder.element(.null) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        encoder.laterElement().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.laterElement().unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder.laterElement() }
}
