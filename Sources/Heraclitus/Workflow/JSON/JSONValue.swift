/// Any JSON, for data whose type is not known yet.
///
/// It is written like what it stands for, and edited by subscript:
///
/// ```swift
/// var data: JSONValue = ["url": "https://example.org", "attempts": 2]
/// data["attempts"] = 3
/// data["url"]?.stringValue
/// ```
///
/// To tell what a value is, switch over its ``content``. What was read is a place in the text that it was read from until somebody
/// asks for it, and so takes little memory however large it is.
public struct JSONValue: Hashable, Sendable {
    /// What a value is.
    public enum Content: Hashable, Sendable {
        /// `null`.
        case null

        /// `true` or `false`.
        case bool(Bool)

        /// A number without a fraction.
        case integer(Int)

        /// A number without a fraction that is larger than any `Int`.
        case unsigned(UInt64)

        /// Any other number that a `Double` keeps.
        case number(Double)

        /// A number with more digits than a `Double` keeps, such as an amount of money, as text.
        case decimal(String)

        /// A text.
        case string(String)

        /// A list.
        case array([JSONValue])

        /// Values by key.
        case object([String: JSONValue])
    }

    let node: JSONNode

    init(_ node: JSONNode) { self.node = node }

    /// Makes a value of what it is.
    /// - Parameter content: What it is.
    public init(_ content: Content) { node = .content(content) }

    /// What the value is, to switch over; a list or an object with its values one level deep.
    ///
    /// A list or an object that was read is taken apart each time that somebody asks; who needs it more than once keeps what comes
    /// back.
    public var content: Content { node.content }

    /// Whether two are the same JSON, whatever the order of keys and the form of numbers.
    /// - Parameters:
    ///   - one: A value.
    ///   - other: Another one.
    /// - Returns: Whether they are.
    public static func == (one: JSONValue, other: JSONValue) -> Bool { one.content == other.content }

    /// Hashes the value.
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

extension JSONValue {
    /// `null`.
    public static var null: JSONValue { JSONValue(.null) }

    /// `true` or `false`.
    /// - Parameter bool: Which.
    /// - Returns: The value.
    public static func bool(_ bool: Bool) -> JSONValue { JSONValue(.bool(bool)) }

    /// A number without a fraction.
    /// - Parameter integer: The number.
    /// - Returns: The value.
    public static func integer(_ integer: Int) -> JSONValue { JSONValue(.integer(integer)) }

    /// A number without a fraction that is larger than any `Int`.
    /// - Parameter unsigned: The number.
    /// - Returns: The value.
    public static func unsigned(_ unsigned: UInt64) -> JSONValue { JSONValue(.unsigned(unsigned)) }

    /// Any other number that a `Double` keeps.
    /// - Parameter number: The number.
    /// - Returns: The value.
    public static func number(_ number: Double) -> JSONValue { JSONValue(.number(number)) }

    /// A number with more digits than a `Double` keeps, such as an amount of money, as text.
    /// - Parameter digits: The text.
    /// - Returns: The value.
    public static func decimal(_ digits: String) -> JSONValue { JSONValue(.decimal(digits)) }

    /// A text.
    /// - Parameter string: The text.
    /// - Returns: The value.
    public static func string(_ string: String) -> JSONValue { JSONValue(.string(string)) }

    /// A list.
    /// - Parameter elements: The elements.
    /// - Returns: The value.
    public static func array(_ elements: [JSONValue]) -> JSONValue { JSONValue(.array(elements)) }

    /// Values by key.
    /// - Parameter members: The values by key.
    /// - Returns: The value.
    public static func object(_ members: [String: JSONValue]) -> JSONValue { JSONValue(.object(members)) }
}

// MARK: - Looking and changing

extension JSONValue {
    /// The value for a key of an object; `nil` if there is none, or for what is no object.
    ///
    /// Setting `nil` removes the key. `null` becomes an object when a key is set; what is neither stays as it is.
    /// - Parameter key: The key.
    public subscript(key: String) -> JSONValue? {
        get { node.member(key).map(JSONValue.init) }
        set {
            switch content {
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

    /// The element of a list; `nil` beyond its end, or for what is no list.
    ///
    /// Setting `nil` removes the element; setting one beyond the end changes nothing.
    /// - Parameter index: The place, from 0.
    public subscript(index: Int) -> JSONValue? {
        get { node.element(index).map(JSONValue.init) }
        set {
            guard case .array(var elements) = content, elements.indices.contains(index) else { return }
            self = .null
            if let newValue { elements[index] = newValue } else { elements.remove(at: index) }
            self = .array(elements)
        }
    }

    /// The text, if it is one.
    public var stringValue: String? { node.string }

    /// The number, if it is one without a fraction that an `Int` can be.
    public var intValue: Int? { if case .integer(let integer) = number { integer } else { nil } }

    /// The number, if it is one.
    public var doubleValue: Double? {
        switch number {
        case .integer(let integer): Double(integer)
        case .unsigned(let unsigned): Double(unsigned)
        case .number(let number): number
        case .decimal(let digits): Double(digits)
        default: nil
        }
    }

    /// The answer, if it is one.
    public var boolValue: Bool? { node.bool }

    /// The number, if it is one, without taking apart what is none.
    private var number: Content? { node.isNumber ? content : nil }

    /// The elements, if it is a list.
    public var arrayValue: [JSONValue]? { if node.isArray, case .array(let array) = content { array } else { nil } }

    /// The values by key, if it is an object.
    public var objectValue: [String: JSONValue]? {
        if node.isObject, case .object(let object) = content { object } else { nil }
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
    public init(floatLiteral value: Double) { self = .number(value) }

    /// Makes `true` or `false`.
    /// - Parameter value: Which.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Makes a list.
    /// - Parameter elements: The elements.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Makes an object; of two values for one key the last stays.
    /// - Parameter elements: Keys and values.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(Dictionary(elements) { $1 }) }
}

extension JSONValue: CustomStringConvertible {
    /// What the value is.
    public var description: String { "\(content)" }
}
