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

    func encode(_ value: Double) throws { try floating(value) }

    func encode(_ value: Float) throws { try floating(value) }

    func encode(_ value: Int) throws { try integer(value) }

    func encode(_ value: Int8) throws { try integer(value) }

    func encode(_ value: Int16) throws { try integer(value) }

    func encode(_ value: Int32) throws { try integer(value) }

    func encode(_ value: Int64) throws { try integer(value) }

    func encode(_ value: Int128) throws { try integer(value) }

    func encode(_ value: UInt) throws { try integer(value) }

    func encode(_ value: UInt8) throws { try integer(value) }

    func encode(_ value: UInt16) throws { try integer(value) }

    func encode(_ value: UInt32) throws { try integer(value) }

    func encode(_ value: UInt64) throws { try integer(value) }

    func encode(_ value: UInt128) throws { try integer(value) }

    private func integer(_ value: some FixedWidthInteger) throws {
        try encoder.element { _ in encoder.writer.write(value) }
    }

    private func floating(_ value: some BinaryFloatingPoint & LosslessStringConvertible) throws {
        try encoder.element { try encoder.write(value, codingPath + [$0]) }
    }
}
