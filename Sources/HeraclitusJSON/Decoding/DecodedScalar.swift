import HeraclitusEssentials

/// Integers, for which a single-value container has a method each.
package typealias CodableInteger = Codable & FixedWidthInteger

/// Floating-point numbers, for which a single-value container has a method each.
package typealias CodableFloat = BinaryFloatingPoint & Codable & LosslessStringConvertible

// Conversions to types; errors have the path of the value.

extension JSONValue {
    package typealias Path = [any CodingKey]

    var isObject: Bool { if case .object = self { true } else { false } }

    package var isNull: Bool { if case .null = self { true } else { false } }

    package func bool(_ path: @autoclosure () -> Path) throws -> Bool {
        if case .bool(let bool) = self { return bool }
        throw mismatch(Bool.self, path())
    }

    package func text(_ path: @autoclosure () -> Path) throws -> String {
        if case .string(let string) = self { return string }
        throw mismatch(String.self, path())
    }

    package func integer<T: FixedWidthInteger>(_ type: T.Type, _ path: @autoclosure () -> Path) throws -> T {
        let integer: T?
        switch self {
        case .integer(let number): integer = T(exactly: number)
        case .unsigned(let number): integer = T(exactly: number)
        default: integer = DecimalDigits(try numberText(type, path()).utf8)?.integer(as: type)
        }
        if let integer { return integer }
        throw misfit(type, path())
    }

    func floating<T: CodableFloat>(_ type: T.Type, _ path: @autoclosure () -> Path) throws -> T {
        if case .number(let number) = self, number.isFinite, let number = number as? T { return number }
        // The number is parsed from its text, because rounding twice may give another number.
        if let number = T(try numberText(type, path())), number.isFinite { return number }
        throw misfit(type, path())
    }

    func decimal(_ path: @autoclosure () -> Path) throws -> Decimal {
        if let decimal = DecimalDigits(try numberText(Decimal.self, path()).utf8)?.decimal { return decimal }
        throw misfit(Decimal.self, path())
    }

    /// The text of a number, with all its digits.
    private func numberText(_ type: Any.Type, _ path: @autoclosure () -> Path) throws -> String {
        switch self {
        case .integer(let integer): return "\(integer)"
        case .unsigned(let unsigned): return "\(unsigned)"
        case .number(let number) where number.isFinite: return "\(number)"
        case .decimal(let digits) where DecimalDigits(digits.utf8) != nil: return digits
        default: throw mismatch(type, path())
        }
    }
}

// MARK: - Errors

extension DecodingError {
    package static func corrupted(_ text: String, at path: [any CodingKey], because cause: (any Error)? = nil) -> Self {
        .dataCorrupted(Context(codingPath: path, debugDescription: text, underlyingError: cause))
    }

    package static func missing(_ key: some CodingKey, in path: [any CodingKey]) -> DecodingError {
        let explanation = "There is no value for the key \"\(key.stringValue.shortened)\"."
        return .keyNotFound(key, Context(codingPath: path, debugDescription: explanation))
    }
}

extension JSONValue {
    func mismatch(_ type: Any.Type, _ path: Path) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: path,
            debugDescription: "Expected to decode \(type) but found \(kind) instead."
        )
        return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func misfit(_ type: Any.Type, _ path: Path) -> DecodingError {
        let number = (try? numberText(type, path)) ?? ""
        let explanation = "The number \(number.prefix(40)) does not fit into \(type)."
        return .corrupted(explanation, at: path)
    }

    /// The kind of the value, for errors.
    private var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a bool"
        case .number(let number) where !number.isFinite: "what is no number (\(number))"
        case .decimal(let digits) where DecimalDigits(digits.utf8) == nil: "what is no number (\(digits))"
        case .integer, .unsigned, .number, .decimal: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Whether the value has at most a number of nested levels.
    func isWithin(_ levels: Int) -> Bool {
        switch self {
        case .array(let elements): levels >= 0 && elements.allSatisfy { $0.isWithin(levels - 1) }
        case .object(let members): levels >= 0 && members.values.allSatisfy { $0.isWithin(levels - 1) }
        default: levels >= 0
        }
    }
}
