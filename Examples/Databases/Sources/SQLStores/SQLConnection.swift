public import Foundation

/// A connection to a database, which one thread uses.
///
/// What a store needs of a database, and all that is different from one to the other.
public protocol SQLConnection: AnyObject, SendableMetatype {
    /// Carries a statement out, and calls a body for each row of its result.
    ///
    /// It prepares the statement at its first use. Within the body, the methods below read the row.
    /// - Parameters:
    ///   - statement: The statement, with `?1`, `?2` and so on where the parameters belong.
    ///   - parameters: The parameters.
    ///   - body: Reads a row.
    /// - Returns: How many rows of the table it has changed; any number for a statement that changes none by itself, such as a query.
    /// - Throws: ``ConnectionFailure``, or what `body` throws.
    @discardableResult
    func forEachRow(of statement: SQLStatement, _ parameters: [SQLValue], _ body: () throws -> Void) throws -> Int

    /// A column of the row, counted from 0.
    /// - Parameter column: The column.
    /// - Returns: The number; `nil` if it is none.
    func integer(_ column: Int) -> Int?

    /// A column of the row, counted from 0.
    /// - Parameter column: The column.
    /// - Returns: The number; `nil` if it is none.
    func real(_ column: Int) -> Double?

    /// A column of the row, counted from 0, of bytes or text.
    /// - Parameter column: The column.
    /// - Returns: The text; `nil` if it is none, or not UTF-8.
    func text(_ column: Int) -> String?

    /// A column of the row, counted from 0, of bytes or text.
    /// - Parameter column: The column.
    /// - Returns: The bytes; `nil` if it has none.
    func bytes(_ column: Int) -> Data?

    /// A column of the row, counted from 0.
    /// - Parameter column: The column.
    /// - Returns: Whether it is null.
    func isNull(_ column: Int) -> Bool
}

/// A statement of a few that a connection prepares once.
public struct SQLStatement: Sendable, Hashable {
    /// The statement; no value of a user is ever a part of it.
    public let sql: String

    /// Makes a statement.
    /// - Parameter sql: The statement.
    public init(_ sql: String) { self.sql = sql }
}

/// A parameter of a statement.
public enum SQLValue: Sendable, Hashable {
    /// Nothing.
    case null

    /// A number of 64 bits.
    case integer(Int)

    /// A floating-point number.
    case real(Double)

    /// Text without NUL.
    case text(String)

    /// Bytes.
    case bytes(Data)

    /// Whether it is text that no archive has, and that some databases would cut at the NUL: they would look for another name.
    var hasNUL: Bool {
        if case .text(let text) = self { return text.utf8.contains(0) }
        return false
    }
}

extension SQLConnection {
    /// Carries out a statement whose rows, if it has any, are of no interest.
    /// - Parameters:
    ///   - statement: The statement.
    ///   - parameters: The parameters.
    /// - Throws: ``ConnectionFailure``.
    public func run(_ statement: SQLStatement, _ parameters: [SQLValue] = []) throws {
        try forEachRow(of: statement, parameters) {}
    }

    /// Carries out a statement that changes one row or none.
    /// - Parameters:
    ///   - statement: The statement.
    ///   - parameters: The parameters.
    /// - Returns: Whether it has changed one.
    /// - Throws: ``ConnectionFailure``.
    public func change(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Bool {
        try forEachRow(of: statement, parameters) {} > 0
    }

    /// Carries out a statement that has one row or none.
    /// - Parameters:
    ///   - statement: The statement.
    ///   - parameters: The parameters.
    ///   - body: Reads the row.
    /// - Returns: What `body` returns; `nil` if there is no row.
    /// - Throws: ``ConnectionFailure``, or what `body` throws.
    public func row<Value>(
        of statement: SQLStatement,
        _ parameters: [SQLValue],
        _ body: () throws -> Value
    ) throws -> Value? {
        var value: Value?
        try forEachRow(of: statement, parameters) { value = try body() }
        return value
    }
}
