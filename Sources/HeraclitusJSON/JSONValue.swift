/// Any JSON value, for data whose type is not known yet.
///
/// It can be written as a literal, and edited by subscript:
///
/// ```swift
/// var data: JSONValue = ["url": "https://example.org", "attempts": 2]
/// data["attempts"] = 3
/// data["url"]?.stringValue
/// ```
///
/// A number that was read has one form, the first in this list that has all of its digits; so equal numbers are equal values.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null

    /// `true` or `false`.
    case bool(Bool)

    /// A number without a fraction.
    case integer(Int)

    /// A number without a fraction that is larger than any `Int`.
    case unsigned(UInt64)

    /// Any other number that a `Double` can represent exactly.
    case number(Double)

    /// A number with more digits than a `Double` can represent, such as an amount of money, as text.
    case decimal(String)

    /// A text.
    case string(String)

    /// A list.
    case array([JSONValue])

    /// Values by key.
    case object([String: JSONValue])
}

// MARK: - Looking and changing

extension JSONValue {
    /// The value for a key of an object; `nil` if there is none, or if this is not an object.
    ///
    /// Setting `nil` removes the key. `null` becomes an object when a key is set; any other value does not change.
    /// - Parameter key: The key.
    public subscript(key: String) -> JSONValue? {
        get { if case .object(let values) = self { values[key] } else { nil } }
        set {
            switch self {
            case .object(var values):
                // Let go of it, or changing it would be copying it.
                self = .null
                values[key] = newValue
                self = .object(values)
            case .null:
                if let newValue { self = .object([key: newValue]) }
            default: break
            }
        }
    }

    /// The element of a list; `nil` beyond its end, or if this is not a list.
    ///
    /// Setting `nil` removes the element; setting one beyond the end changes nothing.
    /// - Parameter index: The place, from 0.
    public subscript(index: Int) -> JSONValue? {
        get {
            guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
            return elements[index]
        }
        set {
            guard case .array(var elements) = self, elements.indices.contains(index) else { return }
            self = .null
            if let newValue { elements[index] = newValue } else { elements.remove(at: index) }
            self = .array(elements)
        }
    }

    /// The text, if this is one.
    public var stringValue: String? { if case .string(let string) = self { string } else { nil } }

    /// The number, if this is one that an `Int` can represent.
    public var intValue: Int? {
        switch self {
        case .integer(let integer): integer
        case .unsigned(let unsigned): Int(exactly: unsigned)
        case .number(let number): Int(exactly: number)
        default: nil
        }
    }

    /// The number, if this is one.
    public var doubleValue: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .unsigned(let unsigned): Double(unsigned)
        case .number(let number): number
        case .decimal(let digits): Double(digits)
        default: nil
        }
    }

    /// The Boolean, if this is one.
    public var boolValue: Bool? { if case .bool(let bool) = self { bool } else { nil } }

    /// The elements, if this is a list.
    public var arrayValue: [JSONValue]? { if case .array(let array) = self { array } else { nil } }

    /// The values by key, if this is an object.
    public var objectValue: [String: JSONValue]? {
        if case .object(let object) = self { object } else { nil }
    }
}

// MARK: - Writing down

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a text.
    /// - Parameter value: The text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Makes a number without a fraction.
    /// - Parameter value: The number.
    public init(integerLiteral value: Int) { self = .integer(value) }

    /// Makes a number.
    /// - Parameter value: The number.
    public init(floatLiteral value: Double) { self = JSONValue(number: "\(value)") ?? .number(value) }

    /// Makes `true` or `false`.
    /// - Parameter value: The Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Makes a list.
    /// - Parameter elements: The elements.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Makes an object; the last of two values for one key is used.
    /// - Parameter elements: Keys and values.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(Dictionary(elements) { $1 }) }
}
