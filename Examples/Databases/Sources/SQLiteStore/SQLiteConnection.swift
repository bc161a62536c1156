internal import CSQLite
public import Foundation
public import SQLStores

/// A connection to an SQLite database: all that calls C.
///
/// `database` is open from the initializer to the deinitializer. Each statement in `prepared` lives as long. `current` is the one whose row
/// is being read, set only while `forEachRow` calls its body, so that a column is never read of a statement without a row.
@safe public final class SQLiteConnection: SQLConnection {
    private let database: OpaquePointer
    private let busyTimeout: Duration
    private var prepared: [SQLStatement: OpaquePointer] = unsafe [:]
    private var current: OpaquePointer?

    /// Opens a file, or makes it if that is wanted.
    ///
    /// A commit has been synced to the disk when it returns.
    package init(path: String, busyTimeout: Duration, sizeLimit: Int?, makes: Bool = true) throws {
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | (makes ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened = unsafe opened else {
            throw ConnectionFailure.refused(.inaccessible("There is no memory for it."))
        }
        unsafe database = opened
        self.busyTimeout = busyTimeout
        guard code == SQLITE_OK else { throw failure(code) }
        unsafe sqlite3_busy_timeout(database, max(0, busyTimeout.milliseconds))
        try run(SQLStatement("pragma synchronous = full"))
        // On Darwin what was synced may still be in the cache of the disk. Elsewhere these do nothing.
        for name in ["fullfsync", "checkpoint_fullfsync"] { try run(SQLStatement("pragma \(name) = on")) }
        if let sizeLimit {
            let size = try number(SQLStatement("pragma page_size"))
            try run(SQLStatement("pragma max_page_count = \(max(1, sizeLimit / max(1, size)))"))
        }
    }

    deinit {
        while let statement = unsafe sqlite3_next_stmt(database, nil) { unsafe sqlite3_finalize(statement) }
        unsafe sqlite3_close_v2(database)
    }

    /// Has changes written ahead into a log, so that readers and the one who writes do not wait for one another.
    ///
    /// SQLite does not wait by itself for others that do the same.
    func useLog() throws {
        let deadline = ContinuousClock.now + busyTimeout
        while true {
            do {
                let mode = try row(of: SQLStatement("pragma journal_mode = wal"), []) { text(0) }
                guard mode == "wal" else {
                    throw ConnectionFailure.refused(.inaccessible("Its file system has no shared memory for a log."))
                }
                return
            } catch ConnectionFailure.refused(.busy) where ContinuousClock.now < deadline {
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
    }

    package func number(_ statement: SQLStatement) throws -> Int {
        try row(of: statement, []) { integer(0) }.flatMap(\.self) ?? 0
    }

    /// Prepares a statement, if that has not been done.
    func prepare(_ statement: SQLStatement) throws { _ = unsafe try made(statement) }

    private func made(_ statement: SQLStatement) throws -> OpaquePointer {
        if let found = unsafe prepared[statement] { return unsafe found }
        var made: OpaquePointer?
        let persistent = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = unsafe sqlite3_prepare_v3(database, statement.sql, -1, persistent, &made, nil)
        guard code == SQLITE_OK, let made = unsafe made else { throw failure(code) }
        unsafe prepared[statement] = made
        return unsafe made
    }

    // MARK: - Statements

    /// Refuses to go on with a file that is not at its place any more.
    ///
    /// What is written into it would be acknowledged, and gone with the last connection.
    private func checkPlace() throws {
        var hasMoved: Int32 = 0
        unsafe sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        if hasMoved != 0 { throw SQLitePlace.gone }
    }

    /// Carries a statement out, and calls a body for each row of its result.
    /// - Parameters:
    ///   - statement: The statement.
    ///   - parameters: The parameters.
    ///   - body: Reads a row.
    /// - Returns: How many rows it has changed; for a query, how many the change before it has.
    /// - Throws: ``ConnectionFailure``, or what `body` throws.
    @discardableResult
    public func forEachRow(
        of statement: SQLStatement,
        _ parameters: [SQLValue],
        _ body: () throws -> Void
    ) throws -> Int {
        // Nothing is acknowledged by it, and a transaction must not stay open.
        if statement != .rollback { try checkPlace() }
        let statement = unsafe try made(statement)
        defer {
            unsafe sqlite3_reset(statement)
            unsafe sqlite3_clear_bindings(statement)
        }
        for (index, parameter) in parameters.enumerated() {
            let code = unsafe Self.bind(parameter, to: Int32(index + 1), of: statement)
            guard code == SQLITE_OK else { throw failure(code) }
        }
        while true {
            switch unsafe sqlite3_step(statement) {
            case SQLITE_ROW:
                unsafe current = statement
                defer { unsafe current = nil }
                try body()
            case SQLITE_DONE: return Int(unsafe sqlite3_changes(database))
            case let code: throw failure(code)
            }
        }
    }

    private static func bind(_ value: SQLValue, to index: Int32, of statement: OpaquePointer) -> Int32 {
        // SQLite copies what it gets.
        let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        return switch value {
        case .null: unsafe sqlite3_bind_null(statement, index)
        case .integer(let number): unsafe sqlite3_bind_int64(statement, index, Int64(number))
        case .real(let number): unsafe sqlite3_bind_double(statement, index, number)
        case .text(let text):
            unsafe sqlite3_bind_text64(statement, index, text, UInt64(text.utf8.count), copied, UInt8(SQLITE_UTF8))
        // No bytes at no address would be null.
        case .bytes(let bytes) where bytes.isEmpty: unsafe sqlite3_bind_zeroblob(statement, index, 0)
        case .bytes(let bytes):
            unsafe bytes.withUnsafeBytes {
                unsafe sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), copied)
            }
        }
    }

    // MARK: - Columns

    /// A column of the row.
    /// - Parameter column: The column.
    /// - Returns: The number; `nil` if it is none.
    public func integer(_ column: Int) -> Int? {
        guard let row = unsafe current, type(column) == SQLITE_INTEGER else { return nil }
        return Int(unsafe sqlite3_column_int64(row, Int32(column)))
    }

    /// A column of the row.
    /// - Parameter column: The column.
    /// - Returns: The number; `nil` if it is none.
    public func real(_ column: Int) -> Double? {
        guard let row = unsafe current, type(column) == SQLITE_FLOAT else { return nil }
        return unsafe sqlite3_column_double(row, Int32(column))
    }

    /// A column of the row, of bytes or text.
    /// - Parameter column: The column.
    /// - Returns: The text; `nil` if it is none, or not UTF-8.
    public func text(_ column: Int) -> String? {
        unsafe content(column) { unsafe String(validated: $0) }.flatMap(\.self)
    }

    /// A column of the row, of bytes or text.
    /// - Parameter column: The column.
    /// - Returns: The bytes; `nil` if it has none.
    public func bytes(_ column: Int) -> Data? { unsafe content(column) { unsafe Data($0) } }

    /// A column of the row.
    /// - Parameter column: The column.
    /// - Returns: Whether it is null.
    public func isNull(_ column: Int) -> Bool { type(column) == SQLITE_NULL }

    /// The type of a column, 0 if there is no row.
    private func type(_ column: Int) -> Int32 {
        guard let row = unsafe current else { return 0 }
        return unsafe sqlite3_column_type(row, Int32(column))
    }

    private func content<Value>(_ column: Int, _ read: (UnsafeRawBufferPointer) -> Value) -> Value? {
        guard let row = unsafe current else { return nil }
        let type = unsafe sqlite3_column_type(row, Int32(column))
        guard type == SQLITE_BLOB || type == SQLITE_TEXT else { return nil }
        let start = unsafe sqlite3_column_blob(row, Int32(column))
        let count = Int(unsafe sqlite3_column_bytes(row, Int32(column)))
        return unsafe read(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    // MARK: - Errors

    private func failure(_ code: Int32) -> ConnectionFailure {
        let explanation = unsafe String(cString: sqlite3_errmsg(database))
        return switch code & 0xFF {
        case SQLITE_BUSY where code == SQLITE_BUSY | (2 << 8): .outrun(explanation)
        case SQLITE_BUSY, SQLITE_LOCKED: .refused(.busy)
        case SQLITE_FULL: .refused(.full(explanation))
        case SQLITE_TOOBIG: .refused(.unstorable(explanation))
        // An error of a statement that never changes: its table or columns are not there, or not so.
        case SQLITE_NOTADB, SQLITE_ERROR: .refused(.otherTables(explanation))
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH: .refused(.inaccessible(explanation))
        default: .refused(.failed(code: "\(code)", explanation))
        }
    }
}
