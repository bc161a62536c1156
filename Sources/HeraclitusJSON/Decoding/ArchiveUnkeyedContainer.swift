/// The elements of an array, decoded one after the other.
struct ArchiveUnkeyedContainer: UnkeyedDecodingContainer {
    private let decoder: ArchiveDecoder
    private let elements: [JSONValue]
    private(set) var currentIndex = 0

    init(_ decoder: ArchiveDecoder, _ elements: [JSONValue]) {
        self.decoder = decoder
        self.elements = elements
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var count: Int? { elements.count }

    var isAtEnd: Bool { currentIndex >= elements.count }

    /// Goes on only beyond a `null`.
    mutating func decodeNil() throws -> Bool {
        if !isAtEnd, elements[currentIndex] != .null { return false }
        return try next(Never?.self) { $0.decodeNil() }
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next(type) { try $0.decoded(type) } }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try next([String: Any].self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next([Any].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0 } }

    /// Decodes the element that comes next; the container stays before one that cannot be decoded.
    private mutating func next<Result>(_ type: Any.Type, _ decode: (ArchiveDecoder) throws -> Result) throws -> Result {
        let key = JSONKey(index: currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                .init(codingPath: codingPath + [key], debugDescription: "The array has no more elements.")
            )
        }
        let result = try decode(ArchiveDecoder(elements[currentIndex], under: decoder, key))
        currentIndex += 1
        return result
    }
}

// MARK: - Types that every container names

extension ArchiveUnkeyedContainer {
    mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: Double.Type) throws -> Double { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: Float.Type) throws -> Float { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: Int.Type) throws -> Int { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: Int128.Type) throws -> Int128 { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: UInt.Type) throws -> UInt { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next(type) { try $0.decode(type) } }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next(type) { try $0.decode(type) } }
}
