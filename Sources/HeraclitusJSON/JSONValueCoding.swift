package import HeraclitusEssentials

extension JSONValue: Codable {
    /// The maximum depth of nested values.
    ///
    /// Coders call themselves for each level, and the stack of a secondary thread may have 512 KiB.
    package static let depthLimit = 64

    /// The maximum depth of nested values in a text, which is that of Foundation's reader.
    package static let textDepthLimit = 512

    package static let tooDeep = "This is deeper than \(depthLimit) levels."

    /// Decodes any JSON value.
    ///
    /// Archives and ``init(json:limit:)`` preserve every digit of a number. Other decoders may not: `JSONDecoder` rounds
    /// numbers of more than 38 digits, and gives a `Double` for a number that is too large for a `Decimal`.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if it is not a JSON value, or more than 64 levels deep.
    public init(from decoder: any Decoder) throws {
        if let archive = decoder as? ArchiveDecoder {
            self = try archive.raw()
            return
        }
        guard decoder.codingPath.count <= Self.depthLimit else {
            throw DecodingError.corrupted(Self.tooDeep, at: decoder.codingPath)
        }
        // A failed attempt costs most, so the most frequent types come first.
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = Self.number(in: container) {
            self = number
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([JSONValue].self))
        } else if (try? decoder.container(keyedBy: JSONKey.self)) != nil {
            self = .object(try container.decode([String: JSONValue].self))
        } else if let date = try? container.decode(Date.self), let text = ArchivedDate.text(of: date) {
            // Property lists have two more types than JSON.
            self = .string(text)
        } else if let data = try? container.decode(Data.self) {
            self = .string(data.base64EncodedString())
        } else {
            let explanation =
                "This decoder cannot hand the value out. It may be a number beyond the range of a Decimal."
            throw DecodingError.corrupted(explanation, at: decoder.codingPath)
        }
    }

    /// A number as exactly as a decoder has it.
    private static func number(in container: any SingleValueDecodingContainer) -> JSONValue? {
        // A Decimal has the most digits, but neither the sign of a zero nor very large or small numbers.
        if let decimal = try? container.decode(Decimal.self), decimal.isFinite, decimal != 0 {
            return JSONValue(number: "\(decimal)")
        }
        guard let number = try? container.decode(Double.self) else { return nil }
        // Property lists have no Decimal.
        if number.magnitude >= 0x1p53, let integer = try? container.decode(Int.self) { return .integer(integer) }
        if number >= 0x1p63, let unsigned = try? container.decode(UInt64.self) { return .unsigned(unsigned) }
        return JSONValue(number: "\(number)") ?? .number(number)
    }

    /// Encodes the value, or nothing of it.
    ///
    /// Archives have every digit of a number. Other encoders write what a `Decimal` can represent.
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError` for an infinite or invalid number, for a number with more digits than a `Decimal`, and
    ///   for more than 64 levels.
    public func encode(to encoder: any Encoder) throws {
        if let archive = encoder as? ArchiveEncoder { return try archive.encode(self) }
        let path = encoder.codingPath
        // The check comes before any output, because a caller that catches the error may go on with the encoder.
        try expectReadable(at: path.count, Self.depthLimit, isDecimal: true, path)
        try ReadableValue(value: self).encode(to: encoder)
    }

    /// Throws for a value that no reader would accept.
    /// - Parameters:
    ///   - depth: The depth of the value.
    ///   - limit: The maximum depth.
    ///   - isDecimal: Whether every number has to be a `Decimal`.
    ///   - path: The path of the value.
    /// - Throws: `EncodingError` with the path.
    func expectReadable(
        at depth: Int,
        _ limit: Int,
        isDecimal: Bool = false,
        _ path: @autoclosure () -> [any CodingKey]
    ) throws(EncodingError) {
        var keys: [any CodingKey] = []
        if let error = unreadable(at: depth, limit, isDecimal, &keys) { throw error(path() + keys.reversed()) }
    }

    /// Whether each encoder can write the value at a depth.
    package func isWritable(at depth: Int) -> Bool {
        var keys: [any CodingKey] = []
        return unreadable(at: depth, Self.depthLimit, true, &keys) == nil
    }

    /// The error of the first unreadable part, to which the path is still to be added.
    ///
    /// `keys` gets the keys that lead to the part, the innermost first.
    private func unreadable(
        at depth: Int,
        _ limit: Int,
        _ isDecimal: Bool,
        _ keys: inout [any CodingKey]
    ) -> (([any CodingKey]) -> EncodingError)? {
        if depth > limit { return { .tooDeep(limit, $0) } }
        switch self {
        case .null, .bool, .integer, .unsigned, .string: break
        case .number(let number): if !number.isFinite { return { .noNumber(number, $0) } }
        case .decimal(let text):
            guard let digits = DecimalDigits(text.utf8) else { return { .noNumber(text, $0) } }
            guard isDecimal, digits.decimal == nil else { break }
            let explanation = "\"\(text.prefix(40))\" is not a number that a Decimal can represent."
            return { .invalidValue(self, .init(codingPath: $0, debugDescription: explanation)) }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                guard let error = element.unreadable(at: depth + 1, limit, isDecimal, &keys) else { continue }
                keys.append(JSONKey(index: index))
                return error
            }
        case .object(let members):
            for (key, member) in members {
                guard let error = member.unreadable(at: depth + 1, limit, isDecimal, &keys) else { continue }
                keys.append(JSONKey(key))
                return error
            }
        }
        return nil
    }
}

/// A value that can be written and read again.
private struct ReadableValue: Encodable {
    let value: JSONValue

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .unsigned(let unsigned): try container.encode(unsigned)
        case .number(let number): try container.encode(number)
        case .decimal(let digits): try container.encode(DecimalDigits(digits.utf8)?.decimal)
        case .string(let string): try container.encode(string)
        case .array(let elements): try container.encode(elements.map(ReadableValue.init))
        case .object(let members): try container.encode(members.mapValues(ReadableValue.init))
        }
    }
}

extension JSONValue {
    /// Parses a text; a repeated key is an error.
    package init(text: Data) throws(JSONProblem) {
        self = try JSONText(text).json(0)
    }

    /// Parses a text from outside, and takes the first of two values for one key.
    package init(foreignText: Data) throws(JSONProblem) {
        self = try JSONText(foreignText, isLenient: true).json(0)
        guard isWithin(Self.depthLimit) else {
            throw JSONProblem(offset: 0, path: [], explanation: Self.tooDeep, isDuplicate: false)
        }
    }

    /// Makes a raw value of a typed one.
    /// - Parameters:
    ///   - value: The typed value.
    ///   - path: The path of the value in an outer value, in which it is read.
    ///   - userInfo: The values that types may read from the encoder.
    /// - Throws: The error of the typed value; `EncodingError` for unreadable values.
    package init<T: Encodable>(
        encoding value: T,
        at path: [any CodingKey],
        userInfo: [CodingUserInfoKey: Any] = [:]
    ) throws {
        let text = try ArchiveEncoder.data(
            of: value,
            at: path,
            depthLimit: Self.depthLimit,
            userInfo: userInfo
        )
        self = try JSONValue(text: text)
    }

    /// Makes a typed value of this one.
    ///
    /// Dates are read in the form of archives and in the default form of `JSONEncoder`; `Data` is read as base64.
    /// - Parameter type: The type.
    /// - Returns: The typed value.
    /// - Throws: `DecodingError`, or the error of the type's own `init(from:)`.
    public func decoded<T: Decodable>(as type: T.Type) throws -> T {
        try ArchiveDecoder(self).decoded(type)
    }
}
