public import Foundation

/// A parameter of an SQL statement.
public enum SQLValue: Sendable, Hashable {
    /// Nothing.
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

extension SQLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
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

    /// Null.
    /// - Parameter nilLiteral: Nothing.
    public init(nilLiteral: ()) { self = .null }
}

extension SQLValue {
    /// A date as tables have it: in seconds since 2001-01-01 UTC; null for a date that is no number, which is never due.
    package static func date(_ date: Date?) -> SQLValue {
        guard let seconds = date?.timeIntervalSinceReferenceDate, seconds.isFinite else { return .null }
        return .real(seconds)
    }
}
