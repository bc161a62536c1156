public import Heraclitus
public import HeraclitusEssentials

/// A state that names the values by which a store finds its machine.
///
/// ```swift
/// final class PaidState: OrderState, Findable {
///     let buyer: String
///     let total: Double
///     var foundBy: [String: any StoredValueConvertible] { ["buyer": buyer, "total": total] }
/// }
///
/// try await store.workflow(Order.self).ids(where: .value("buyer") == "ada")
/// ```
///
/// A store keeps the values beside the archive, and a database has an index for them. After you change the values, run
/// ``StoredWorkflow/upgrade(after:batch:progress:)`` to update stored machines.
public protocol Findable: WorkflowState {
    /// The values by name.
    ///
    /// A unit of work reads them when it saves the machine.
    var foundBy: [String: any StoredValueConvertible] { get }
}

/// A value by which a store finds a machine: a text or a number.
public enum StoredValue: Sendable, Hashable {
    /// A text, compared by its UTF-8.
    case text(String)

    /// A number, compared exactly.
    ///
    /// Integers beyond 2^53 are rounded; use a text for larger identifiers. A state's infinite number
    /// becomes the largest finite one, and a value that is not a number is left out.
    case number(Double)
}

extension StoredValue {
    /// Compares texts by their UTF-8, as stores do.
    public static func == (left: StoredValue, right: StoredValue) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): ExactID(left) == ExactID(right)
        case (.number(let left), .number(let right)): left == right
        default: false
        }
    }

    /// Hashes the UTF-8 of a text, or the number.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .text(let text): hasher.combine(ExactID(text))
        case .number(let number): hasher.combine(number)
        }
    }
}

/// A value that converts to a ``StoredValue``: a text, a number, a date or a flag.
public protocol StoredValueConvertible: Sendable {
    /// The value for the store.
    var storedValue: StoredValue { get }
}

extension String: StoredValueConvertible {
    /// The text.
    public var storedValue: StoredValue { .text(self) }
}

extension Int: StoredValueConvertible {
    /// The number, rounded beyond 2^53.
    public var storedValue: StoredValue { .number(Double(self)) }
}

extension Double: StoredValueConvertible {
    /// The number; the largest finite one for an infinite number.
    public var storedValue: StoredValue {
        .number(min(max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude))
    }
}

extension Bool: StoredValueConvertible {
    /// 1 for `true` and 0 for `false`.
    public var storedValue: StoredValue { .number(self ? 1 : 0) }
}

extension Date: StoredValueConvertible {
    /// The number of seconds since 2001.
    public var storedValue: StoredValue { timeIntervalSinceReferenceDate.storedValue }
}

extension UUID: StoredValueConvertible {
    /// The text of the identifier.
    public var storedValue: StoredValue { .text(uuidString) }
}

extension StoredValue: StoredValueConvertible {
    /// The value itself; the largest finite number for an infinite one.
    public var storedValue: StoredValue {
        if case .number(let number) = self { number.storedValue } else { self }
    }
}

extension StoredValue: Codable {
    /// Reads a text or a number.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` for any other value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .number(try container.decode(Double.self))
        }
    }

    /// Writes the text or the number.
    /// - Parameter encoder: The encoder.
    /// - Throws: Errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        }
    }
}

/// A condition on a machine's value.
public struct StoredCondition: Sendable, Hashable {
    /// A comparison of two values.
    public enum Comparison: String, Sendable, Hashable {
        /// Both are equal.
        case equal = "="

        /// The machine's value is less.
        case less = "<"

        /// The machine's value is less or equal.
        case lessOrEqual = "<="

        /// The machine's value is greater.
        case greater = ">"

        /// The machine's value is greater or equal.
        case greaterOrEqual = ">="
    }

    /// The name of the value.
    public let name: String

    /// The comparison.
    public let comparison: Comparison

    /// The value to compare with.
    ///
    /// A text and a number never match.
    public let value: StoredValue

    /// Whether a machine's values meet the condition.
    /// - Parameter values: The values of the machine.
    /// - Returns: Whether the condition holds; `false` if the machine lacks the value.
    package func isMet(by values: [String: StoredValue]) -> Bool {
        switch (values[name], value) {
        case (.text(let left)?, .text(let right)):
            holds(ExactID(left), ExactID(right))
        case (.number(let left)?, .number(let right)): holds(left, right)
        default: false
        }
    }

    // A number that is no number meets no condition, so each comparison is the value's own.
    private func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        switch comparison {
        case .equal: left == right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        }
    }

    /// The name of a value, as the left side of an operator.
    public struct Name: Sendable {
        fileprivate let name: String

        /// Names a value: `.value("total") >= 100`.
        /// - Parameter name: The name.
        /// - Returns: The name, as the left side of an operator.
        public static func value(_ name: String) -> Name { Name(name: name) }
    }
}

extension StoredCondition.Name {
    /// The machine's value is equal.
    /// - Parameters:
    ///   - name: The name of the value.
    ///   - value: The value to compare with.
    /// - Returns: The condition.
    public static func == (name: Self, value: some StoredValueConvertible) -> StoredCondition {
        StoredCondition(name: name.name, comparison: .equal, value: value.storedValue)
    }

    /// The machine's value is less.
    /// - Parameters:
    ///   - name: The name of the value.
    ///   - value: The value to compare with.
    /// - Returns: The condition.
    public static func < (name: Self, value: some StoredValueConvertible) -> StoredCondition {
        StoredCondition(name: name.name, comparison: .less, value: value.storedValue)
    }

    /// The machine's value is less or equal.
    /// - Parameters:
    ///   - name: The name of the value.
    ///   - value: The value to compare with.
    /// - Returns: The condition.
    public static func <= (name: Self, value: some StoredValueConvertible) -> StoredCondition {
        StoredCondition(name: name.name, comparison: .lessOrEqual, value: value.storedValue)
    }

    /// The machine's value is greater.
    /// - Parameters:
    ///   - name: The name of the value.
    ///   - value: The value to compare with.
    /// - Returns: The condition.
    public static func > (name: Self, value: some StoredValueConvertible) -> StoredCondition {
        StoredCondition(name: name.name, comparison: .greater, value: value.storedValue)
    }

    /// The machine's value is greater or equal.
    /// - Parameters:
    ///   - name: The name of the value.
    ///   - value: The value to compare with.
    /// - Returns: The condition.
    public static func >= (name: Self, value: some StoredValueConvertible) -> StoredCondition {
        StoredCondition(name: name.name, comparison: .greaterOrEqual, value: value.storedValue)
    }
}
