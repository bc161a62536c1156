public import Heraclitus
public import HeraclitusEssentials

/// A state that names the values by which a store finds its machine.
///
/// ```swift
/// final class PaidState: OrderState, Findable {
///     let buyer: String
///     let total: Double
///     var foundBy: [String: StoredValue] { ["buyer": .text(buyer), "total": .number(total)] }
/// }
///
/// try await store.workflow(Order.self).ids(where: .equal("buyer", .text("ada")))
/// ```
///
/// A store keeps the values beside the archive, and a database has an index for them. After you change the values, run
/// ``StoredWorkflow/upgrade(after:batch:progress:)`` to update stored machines.
public protocol Findable: WorkflowState {
    /// The values by name.
    ///
    /// A unit of work reads them when it saves the machine.
    var foundBy: [String: StoredValue] { get }
}

/// A value by which a store finds a machine: a text or a number.
public enum StoredValue: Sendable, Hashable {
    /// A text, compared by its UTF-8.
    case text(String)

    /// A number, compared exactly.
    ///
    /// Use a text for identifiers beyond 2^53, and 1 or 0 for a flag. A state's infinite number becomes the
    /// largest finite one, and a value that is not a number is left out.
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

extension StoredValue {
    /// A date, as the number of seconds since 2001.
    /// - Parameter date: The date.
    /// - Returns: The number.
    public static func date(_ date: Date) -> StoredValue { .number(date.timeIntervalSinceReferenceDate) }

    /// The value; the largest finite number for an infinite one, because files and databases may store no other.
    var clamped: StoredValue {
        guard case .number(let number) = self else { return self }
        return .number(min(max(number, -.greatestFiniteMagnitude), .greatestFiniteMagnitude))
    }
}

/// A condition on a machine's value: a name, and a value to compare with.
///
/// A text and a number never match, and a value that is not a number matches nothing.
public enum StoredCondition: Sendable, Hashable {
    /// The machine's value is equal.
    case equal(String, StoredValue)

    /// The machine's value is less.
    case less(String, StoredValue)

    /// The machine's value is less or equal.
    case lessOrEqual(String, StoredValue)

    /// The machine's value is greater.
    case greater(String, StoredValue)

    /// The machine's value is greater or equal.
    case greaterOrEqual(String, StoredValue)
}

extension StoredCondition {
    /// Whether a machine's values meet the condition.
    /// - Parameter values: The values of the machine.
    /// - Returns: Whether the condition holds; `false` if the machine lacks the value.
    package func isMet(by values: [String: StoredValue]) -> Bool {
        switch self {
        case .equal(let name, let value): values[name] == value
        case .less(let name, let value): Self.isLess(values[name], value)
        case .lessOrEqual(let name, let value): values[name] == value || Self.isLess(values[name], value)
        case .greater(let name, let value): Self.isLess(value, values[name])
        case .greaterOrEqual(let name, let value): values[name] == value || Self.isLess(value, values[name])
        }
    }

    private static func isLess(_ left: StoredValue?, _ right: StoredValue?) -> Bool {
        switch (left, right) {
        case (.text(let left)?, .text(let right)?): ExactID(left) < ExactID(right)
        case (.number(let left)?, .number(let right)?): left < right
        default: false
        }
    }

    /// The condition with another value.
    func mapValue(_ change: (StoredValue) throws -> StoredValue) rethrows -> StoredCondition {
        switch self {
        case .equal(let name, let value): .equal(name, try change(value))
        case .less(let name, let value): .less(name, try change(value))
        case .lessOrEqual(let name, let value): .lessOrEqual(name, try change(value))
        case .greater(let name, let value): .greater(name, try change(value))
        case .greaterOrEqual(let name, let value): .greaterOrEqual(name, try change(value))
        }
    }
}

/// The coding of a value, which files and sealed rows need: a text or a number.
struct CodedValue: Codable {
    let value: StoredValue

    init(_ value: StoredValue) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            value = .text(text)
        } else {
            value = .number(try container.decode(Double.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        }
    }
}
