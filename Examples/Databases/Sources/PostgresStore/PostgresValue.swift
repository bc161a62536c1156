public import Foundation

/// A parameter of an SQL statement.
public enum PostgresValue: Sendable, Hashable {
    /// Null.
    case null

    /// An integer of 64 bits.
    case integer(Int)

    /// A floating-point number.
    case real(Double)

    /// Text without NUL.
    case text(String)

    /// Bytes.
    case bytes(Data)
}

extension PostgresValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByNilLiteral
{
    /// Text without NUL.
    /// - Parameter value: The text.
    public init(stringLiteral value: String) { self = .text(value) }

    /// An integer.
    /// - Parameter value: The integer.
    public init(integerLiteral value: Int) { self = .integer(value) }

    /// A floating-point number.
    /// - Parameter value: The number.
    public init(floatLiteral value: Double) { self = .real(value) }

    /// Makes null.
    /// - Parameter nilLiteral: An empty tuple.
    public init(nilLiteral: ()) { self = .null }
}

extension PostgresValue {
    /// A date in the form of the tables: seconds since 2001-01-01 UTC.
    ///
    /// A date of NaN, which is never due, is null.
    static func date(_ date: Date?) -> PostgresValue {
        guard let seconds = date?.timeIntervalSinceReferenceDate, seconds.isFinite else { return .null }
        return .real(seconds)
    }
}
