/// A JSON value of any kind, for data of unknown type.
///
/// It can be written as a literal, and edited by subscript:
///
/// ```swift
/// var data: JSONValue = ["url": "https://example.org", "attempts": 2]
/// data["attempts"] = 3
/// data["url"]?.stringValue
/// ```
///
/// A read number takes the first form of this list with all its digits, so equal numbers are equal values.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null

    /// `true` or `false`.
    case bool(Bool)

    /// A whole number.
    case integer(Int)

    /// A whole number beyond the largest `Int`.
    case unsigned(UInt64)

    /// Any other number that a `Double` represents exactly.
    case number(Double)

    /// The text of a number with more digits than a `Double`, such as an amount of money.
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
    /// The value for a key of an object; `nil` for a missing key and for other values.
    ///
    /// Setting `nil` removes the key. Setting a key turns `null` into an object, and leaves other values unchanged.
    /// - Parameter key: The key.
    public subscript(key: String) -> JSONValue? {
        get { if case .object(let values) = self { values[key] } else { nil } }
        set {
            switch self {
            case .object(var values):
                // Dropping this reference avoids a copy of the object.
                self = .null
                values[key] = newValue
                self = .object(values)
            case .null:
                if let newValue { self = .object([key: newValue]) }
            default: break
            }
        }
    }

    /// The element of a list; `nil` beyond its end and for other values.
    ///
    /// Setting `nil` removes the element. Setting an element beyond the end changes nothing.
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

    /// The text of a string; `nil` for other values.
    public var stringValue: String? { if case .string(let string) = self { string } else { nil } }

    /// The number as an `Int`; `nil` if it is inexact, and for other values.
    public var intValue: Int? {
        switch self {
        case .integer(let integer): integer
        case .unsigned(let unsigned): Int(exactly: unsigned)
        case .number(let number): Int(exactly: number)
        default: nil
        }
    }

    /// The number as the nearest `Double`; `nil` if it is too large, and for other values.
    public var doubleValue: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .unsigned(let unsigned): Double(unsigned)
        case .number(let number): number
        case .decimal(let digits): Double(digits).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// The Boolean; `nil` for other values.
    public var boolValue: Bool? { if case .bool(let bool) = self { bool } else { nil } }

    /// The elements of a list; `nil` for other values.
    public var arrayValue: [JSONValue]? { if case .array(let array) = self { array } else { nil } }

    /// The values of an object by key; `nil` for other values.
    public var objectValue: [String: JSONValue]? {
        if case .object(let object) = self { object } else { nil }
    }
}

// MARK: - Literals

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a text.
    /// - Parameter value: The text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Makes a whole number.
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

    /// Makes an object with the last of two values for one key.
    /// - Parameter elements: The keys and values.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(Dictionary(elements) { $1 }) }
}
