import HeraclitusEssentials

extension JSONValue: Codable {
    /// How deep values may lie within values: coders call themselves for each level, and a thread that is not the main one may
    /// have a stack of 512 KiB.
    package static let depthLimit = 64

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
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: Self.tooDeep)
            )
        }
        // What fails costs most, and the more the deeper it is: so what there is most of is tried first.
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? container.decode(Double.self) {
            self = Self.number(number, in: container)
        } else if let decimal = try? container.decode(Decimal.self) {
            self = .decimal("\(decimal)")
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([JSONValue].self))
        } else if (try? decoder.container(keyedBy: JSONKey.self)) != nil {
            self = .object(try container.decode([String: JSONValue].self))
        } else if let date = try? container.decode(Date.self), let text = ArchivedDate.text(of: date) {
            // Property lists have two types that JSON has not.
            self = .string(text)
        } else {
            self = .string(try container.decode(Data.self).base64EncodedString())
        }
    }

    /// A number that a decoder has rounded to a `Double`, as exactly as that decoder can say it.
    private static func number(_ number: Double, in container: any SingleValueDecodingContainer) -> JSONValue {
        // A Decimal has more digits, but neither the sign of a zero nor very large or small numbers.
        if number == 0, number.sign == .minus { return .number(number) }
        let decimal = try? container.decode(Decimal.self)
        if number.rounded() == number, abs(number) <= 0x1p64 {
            if let integer = try? container.decode(Int.self), Decimal(integer) == decimal ?? Decimal(integer) {
                return .integer(integer)
            }
            if let unsigned = try? container.decode(UInt64.self), Decimal(unsigned) == decimal ?? Decimal(unsigned) {
                return .unsigned(unsigned)
            }
        }
        guard let decimal, decimal.isFinite, Decimal(string: "\(number)") != decimal else { return .number(number) }
        return .decimal("\(decimal)")
    }

    /// Encodes the value.
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError` for a number that JSON does not have, or that has more digits than a `Decimal`; for a value that
    ///   is more than 64 levels deep.
    public func encode(to encoder: any Encoder) throws {
        try LeveledValue(value: self, levels: Self.depthLimit - encoder.codingPath.count).encode(to: encoder)
    }
}

/// A value that knows how many levels may lie within it: to ask its encoder takes longer the deeper it is.
private struct LeveledValue: Encodable {
    let value: JSONValue
    let levels: Int

    func encode(to encoder: any Encoder) throws {
        // Or it could not be read again.
        guard levels >= 0 else {
            throw EncodingError.invalidValue(
                value,
                .init(codingPath: encoder.codingPath, debugDescription: JSONValue.tooDeep)
            )
        }
        switch value {
        case .array(let array):
            var container = encoder.unkeyedContainer()
            for element in array { try container.encode(LeveledValue(value: element, levels: levels - 1)) }
        case .object(let object):
            var container = encoder.container(keyedBy: JSONKey.self)
            for (key, member) in object {
                try container.encode(LeveledValue(value: member, levels: levels - 1), forKey: JSONKey(key))
            }
        default:
            var container = encoder.singleValueContainer()
            try encodeSingle(in: &container, encoder)
        }
    }

    private func encodeSingle(
        in container: inout some SingleValueEncodingContainer,
        _ encoder: any Encoder
    ) throws {
        switch value {
        case .null, .array, .object: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .unsigned(let unsigned): try container.encode(unsigned)
        case .number(let number): try container.encode(number)
        case .decimal(let text):
            // Every digit is written, or none.
            guard let decimal = DecimalDigits(text.utf8)?.decimal else {
                throw EncodingError.invalidValue(
                    value,
                    .init(
                        codingPath: encoder.codingPath,
                        debugDescription: "\"\(text.prefix(40))\" is not a number that a Decimal can represent."
                    )
                )
            }
            try container.encode(decimal)
        case .string(let string): try container.encode(string)
        }
    }
}

extension JSONValue {
    /// Makes a typed value of this one.
    ///
    /// Dates are read in either way, as an archive has written them or a coder that was left as it is; `Data` is read as
    /// base64.
    /// - Parameter type: The type.
    /// - Returns: The typed value.
    /// - Throws: `DecodingError`, or what the type's own `init(from:)` throws.
    public func decoded<T: Decodable>(as type: T.Type) throws -> T {
        try ArchiveDecoder(JSONNode(self)).decoded(type)
    }
}
