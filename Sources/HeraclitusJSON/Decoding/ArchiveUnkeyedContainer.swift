/// The elements of an array, decoded one after the other.
struct ArchiveUnkeyedContainer: UnkeyedDecodingContainer {
    private let decoder: ArchiveDecoder
    private let elements: [DecodedValue]
    private(set) var currentIndex = 0

    /// The elements of a decoder's array.
    init(_ decoder: ArchiveDecoder) {
        self.decoder = decoder
        elements = decoder.value.elements
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var count: Int? { elements.count }

    var isAtEnd: Bool { currentIndex >= elements.count }

    /// Goes on to the next element only after a `null`.
    mutating func decodeNil() throws -> Bool {
        let isNull = try element(Never?.self).isNull
        if isNull { currentIndex += 1 }
        return isNull
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { goOn(with: try next(type).decoded(type)) }

    // The standard library has default methods for these two.
    mutating func decode(_ type: Int128.Type) throws -> Int128 { goOn(with: try next(type).decode(type)) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { goOn(with: try next(type).decode(type)) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        goOn(with: try next([String: Any].self).container(keyedBy: type))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        goOn(with: try next([Any].self).unkeyedContainer())
    }

    mutating func superDecoder() throws -> any Decoder { goOn(with: try next((any Decoder).self)) }

    /// The next element.
    private func element(_ type: Any.Type) throws -> DecodedValue {
        if !isAtEnd { return elements[currentIndex] }
        throw DecodingError.valueNotFound(
            type,
            .init(
                codingPath: codingPath + [JSONKey(index: currentIndex)],
                debugDescription: "The array has no more elements."
            )
        )
    }

    private func next(_ type: Any.Type) throws -> ArchiveDecoder {
        ArchiveDecoder(try element(type), under: decoder, JSONKey(index: currentIndex))
    }

    /// Goes on to the next element; an element that cannot be decoded remains the next.
    private mutating func goOn<Result>(with result: Result) -> Result {
        currentIndex += 1
        return result
    }
}
