internal import CPostgres
import Foundation
import SQLStores

/// A connection to a server of PostgreSQL, or of another database that speaks its protocol.
///
/// All calls of C stand here.
///
/// `server` is valid from the initializer to the deinitializer. `current` is the result being read, with its row. `run` sets it only while its body
/// runs, so that a column of a cleared result is never read. Each wait for the server has a limit.
///
/// The connection stays in the pipeline mode of libpq: several commands share one round trip.
@safe final class PostgresConnection {
    /// The time limits.
    struct Limits: Sendable {
        let connect: Duration
        let statement: Duration
        let network: Duration

        init(connect: Duration, statement: Duration, network: Duration) {
            (self.connect, self.statement, self.network) = (connect, statement, network)
        }
    }

    /// The type numbers that all servers share.
    private enum Kind {
        case integer
        case real
        case text
        case other

        init(_ number: UInt32) {
            self =
                switch number {
                case 20, 21, 23: .integer
                case 701: .real
                case 17, 25, 1_043: .text
                default: .other
                }
        }
    }

    private let server: OpaquePointer
    private let limits: Limits

    /// The names of the prepared statements.
    private var prepared: [String: String] = [:]
    private var current: (result: OpaquePointer, row: Int32)?

    /// The reason why the connection must not be used again.
    private var end: String?

    /// Connects to a server.
    /// - Parameters:
    ///   - description: A URI, or `key=value`, as libpq takes it.
    ///   - limits: The time limits.
    /// - Throws: ``ConnectionFailure``.
    init(_ description: String, _ limits: Limits) throws {
        self.limits = limits
        let settings = [
            ("fallback_application_name", "heraclitus"), ("dbname", description), ("client_encoding", "UTF8"),
            ("connect_timeout", "\(max(2, limits.connect.milliseconds / 1_000))"),
            ("tcp_user_timeout", "\(limits.network.milliseconds)"), ("keepalives_idle", "10"),
        ]
        var keys = unsafe settings.map { unsafe UnsafePointer(strdup($0.0)) }
        var values = unsafe settings.map { unsafe UnsafePointer(strdup($0.1)) }
        defer {
            for index in unsafe keys.indices {
                unsafe free(UnsafeMutableRawPointer(mutating: keys[index]))
                unsafe free(UnsafeMutableRawPointer(mutating: values[index]))
            }
        }
        unsafe keys.append(nil)
        unsafe values.append(nil)
        guard let made = unsafe PQconnectdbParams(keys, values, 1) else {
            throw ConnectionFailure.refused(.inaccessible("There is no memory for the connection."))
        }
        unsafe server = made
        // Discards notices, which libpq writes to the standard error otherwise.
        _ = unsafe PQsetNoticeReceiver(server, { _, _ in }, nil)
        guard unsafe PQstatus(server) == CONNECTION_OK, unsafe PQsetnonblocking(server, 1) == 0,
            unsafe PQenterPipelineMode(server) == 1
        else { throw ConnectionFailure.refused(.inaccessible(message)) }
        try run(Command("set statement_timeout = \(limits.statement.milliseconds)"))
    }

    deinit { unsafe PQfinish(server) }

    /// The host and database of a description, without passwords; `nil` if the description cannot be read.
    static func place(of description: String) -> String? {
        guard let options = unsafe PQconninfoParse(description, nil) else { return nil }
        defer { unsafe PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe values[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        let host = values["host"] ?? values["hostaddr"] ?? "this computer"
        return "\(values["dbname"] ?? "the database") on \(host)" + (values["port"].map { ":\($0)" } ?? "")
    }

    private var message: String {
        unsafe String(cString: PQerrorMessage(server)).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { unsafe PQtransactionStatus(server) != PQTRANS_IDLE }

    /// Whether an open transaction has failed, so that it can only be rolled back.
    var hasFailed: Bool { unsafe PQtransactionStatus(server) == PQTRANS_INERROR }

    // MARK: - Commands

    /// Carries out commands in order, and calls a closure for each row of their results.
    ///
    /// The first failed command is the last that the server carries out.
    /// - Parameters:
    ///   - commands: The commands, sent together.
    ///   - body: Reads a row of the command at that index, with the methods below.
    /// - Returns: The number of rows that each command changed or found.
    /// - Throws: ``ConnectionFailure``, or errors of `body`.
    @discardableResult
    func run(_ commands: [Command], _ body: (_ command: Int) throws -> Void) throws -> [Int] {
        for command in commands { try command.check() }
        try checkIsOpen()
        for command in commands where command.isPrepared { try prepare(command.sql) }
        for command in commands { try send(command) }
        guard unsafe PQpipelineSync(server) == 1 else { throw lost(message) }
        var counts: [Int] = []
        var failure: (any Error)?
        // Results after an error must be read too, or the next commands would get them.
        unsafe try forEachResult(of: commands.count) { result, place in
            guard failure == nil else { return }
            do {
                // A failure of the commit follows the last command.
                if place == commands.count { return unsafe try check(result, isOwn: true) }
                counts.append(unsafe try read(result, commands[place]) { try body(place) })
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return counts
    }

    /// Carries out a command.
    /// - Parameters:
    ///   - command: The command.
    ///   - body: Reads a row.
    /// - Returns: The number of rows that the command changed or found.
    /// - Throws: ``ConnectionFailure``, or errors of `body`.
    @discardableResult
    func run(_ command: Command, _ body: () throws -> Void = {}) throws -> Int {
        try run([command]) { _ in try body() }[0]
    }

    private func send(_ command: Command) throws {
        let count = Int32(command.parameters.count)
        let format: Int32 = command.isOwn ? 1 : 0
        let sent = unsafe Parameters(command.parameters).withPointers { values, lengths, formats in
            if let name = prepared[command.sql] {
                unsafe PQsendQueryPrepared(server, name, count, values, lengths, formats, format)
            } else {
                unsafe PQsendQueryParams(server, command.sql, count, nil, values, lengths, formats, format)
            }
        }
        guard sent == 1 else { throw lost(message) }
    }

    /// Reads the rows of a result.
    private func read(_ result: OpaquePointer, _ command: Command, _ body: () throws -> Void) throws -> Int {
        unsafe try check(result, isOwn: command.isOwn)
        // The server answers the commit of a failed transaction with ROLLBACK, without an error.
        if command.sql == Command.commit.sql, unsafe String(cString: PQcmdStatus(result)) == "ROLLBACK" {
            throw ConnectionFailure.retryable("The server rolled back a failed transaction at its commit.")
        }
        for row in 0..<(unsafe PQntuples(result)) {
            unsafe current = unsafe (result, row)
            defer { unsafe current = nil }
            try body()
        }
        return Int(unsafe String(cString: PQcmdTuples(result))) ?? 0
    }

    /// Prepares a statement at its first use.
    ///
    /// Equal names mean equal statements. A pooler may reuse a server connection where another store has prepared a statement of this name.
    private func prepare(_ sql: String) throws {
        if prepared[sql] != nil { return }
        let name = Data(sql.utf8).sha256.prefix(15).base64EncodedString()
        guard unsafe PQsendPrepare(server, name, sql, 0, nil) == 1, unsafe PQpipelineSync(server) == 1 else {
            throw lost(message)
        }
        var failure: (any Error)?
        unsafe try forEachResult(of: 1) { result, _ in
            // 42P05: the statement exists there already.
            do {
                unsafe try check(result, isOwn: true)
            } catch ConnectionFailure.refused(.failed("42P05", _)) {
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        prepared[sql] = name
        // The error has failed the open transaction, and a commit would roll it back without an error.
        if hasFailed { throw ConnectionFailure.retryable("A statement was prepared already.") }
    }

    /// Throws if the server has closed the idle connection, before anything is sent.
    private func checkIsOpen() throws {
        // The last message of the server arrives before the end of the connection.
        while end == nil, wait(for: POLLIN, .zero) {
            if unsafe PQconsumeInput(server) == 0 || PQstatus(server) != CONNECTION_OK { end = message }
        }
        if let end { throw ConnectionFailure.stale(end) }
    }

    // MARK: - Waiting

    /// Reads the results of commands sent together, up to the synchronization point.
    private func forEachResult(of count: Int, _ body: (_ result: OpaquePointer, _ place: Int) -> Void) throws {
        var place = 0
        while true {
            // The statement time-out of the server ends first, with a message.
            guard let result = unsafe try nextResult(by: .now + limits.statement + limits.network) else {
                place += 1
                // A failed commit adds one result after the commands.
                if place > count + 1 { throw lost(message) }
                continue
            }
            defer { unsafe PQclear(result) }
            switch unsafe PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC: return
            // The result of a command after a failed command.
            case PGRES_PIPELINE_ABORTED: break
            default: unsafe body(result, place)
            }
        }
    }

    /// The next result; `nil` at the end of a command's results.
    ///
    /// libpq itself would wait without a limit.
    private func nextResult(by deadline: ContinuousClock.Instant) throws -> OpaquePointer? {
        while true {
            let unsent = unsafe PQflush(server)
            guard unsent >= 0 else { throw lost(message) }
            if unsent == 0, unsafe PQisBusy(server) == 0 { return unsafe PQgetResult(server) }
            guard wait(for: unsent == 1 ? POLLIN | POLLOUT : POLLIN, deadline - .now) else {
                throw lost("There was no answer within \(limits.statement + limits.network).")
            }
            guard unsafe PQconsumeInput(server) == 1 else { throw lost(message) }
        }
    }

    private func wait(for events: Int32, _ time: Duration) -> Bool {
        let deadline = ContinuousClock.now + time
        while true {
            var descriptor = pollfd(fd: unsafe PQsocket(server), events: Int16(events), revents: 0)
            let count = unsafe poll(&descriptor, 1, max(0, (deadline - .now).milliseconds))
            // A signal does not end the wait.
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }

    private func lost(_ explanation: String) -> ConnectionFailure {
        end = explanation
        return .lost(explanation)
    }

    // MARK: - Columns

    /// A column of the row.
    /// - Parameter column: The index of the column.
    /// - Returns: The number; `nil` for another type or null.
    func integer(_ column: Int) -> Int? {
        let bytes = unsafe content(column, of: .integer) { unsafe [UInt8]($0) }
        guard let bytes, let first = bytes.first else { return nil }
        return bytes.reduce(first < 128 ? 0 : -1) { $0 << 8 | Int($1) }
    }

    /// A column of the row.
    /// - Parameter column: The index of the column.
    /// - Returns: The number; `nil` for another type or null.
    func real(_ column: Int) -> Double? {
        unsafe content(column, of: .real) { bytes in
            unsafe Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    /// A column of the row, of bytes or text.
    /// - Parameter column: The index of the column.
    /// - Returns: The text; `nil` for another type, null, or invalid UTF-8.
    func text(_ column: Int) -> String? {
        unsafe content(column, of: .text) { unsafe String(validated: $0) }.flatMap(\.self)
    }

    /// A column of the row, of bytes or text.
    /// - Parameter column: The index of the column.
    /// - Returns: The bytes; `nil` for another type or null.
    func bytes(_ column: Int) -> Data? { unsafe content(column, of: .text) { unsafe Data($0) } }

    /// A column of the row.
    /// - Parameter column: The index of the column.
    /// - Returns: Whether it is null.
    func isNull(_ column: Int) -> Bool {
        guard let (result, row) = unsafe current else { return false }
        return unsafe PQgetisnull(result, row, Int32(column)) == 1
    }

    /// All columns of the row of a user's statement.
    func texts() -> [String?] {
        guard let (result, row) = unsafe current else { return [] }
        return (0..<(unsafe PQnfields(result))).map { column in
            if isNull(Int(column)) { return nil }
            let start = unsafe PQgetvalue(result, row, column)
            let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
            return unsafe String(decoding: bytes, as: UTF8.self)
        }
    }

    private func content<Value>(
        _ column: Int,
        of kind: Kind,
        _ read: (UnsafeRawBufferPointer) -> Value
    ) -> Value? {
        guard let (result, row) = unsafe current, !isNull(column), Kind(unsafe PQftype(result, Int32(column))) == kind
        else { return nil }
        let start = unsafe PQgetvalue(result, row, Int32(column))
        let count = Int(unsafe PQgetlength(result, row, Int32(column)))
        return unsafe read(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    // MARK: - Errors

    private func check(_ result: OpaquePointer, isOwn: Bool) throws {
        switch unsafe PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return
        default: break
        }
        // "C" is the code, and "M" the message, without values.
        let code = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { unsafe String(cString: $0) } ?? ""
        let text =
            unsafe PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { unsafe String(cString: $0) } ?? message
        let failure = PostgresCode.failure(code, text, isOwn: isOwn)
        if case .lost = failure { end = text }
        if unsafe PQstatus(server) != CONNECTION_OK {
            end = text
            // The connection was cut during the statement, so the last message of the server decides nothing.
            if case .lost = failure { throw failure }
            throw ConnectionFailure.lost(text)
        }
        switch code {
        // A pooler has dropped the prepared statements.
        case "26000": prepared = [:]
        // A read-only server stays read-only; the next attempt opens a new connection and may find the primary.
        case "25006": end = text
        default: break
        }
        throw failure
    }
}

/// Parameters in one block of memory, as libpq takes them.
private struct Parameters {
    private var memory: [UInt8] = []
    private var starts: [Int?] = []
    private var lengths: [Int32] = []

    /// 1 for bytes, 0 for text, which ends with NUL.
    private var formats: [Int32] = []

    init(_ values: [PostgresValue]) {
        for value in values {
            let (content, format): ([UInt8]?, Int32) =
                switch value {
                case .null: (nil, 0)
                case .integer(let number): (Array("\(number)".utf8), 0)
                case .real(let number): (Array("\(number)".utf8), 0)
                case .text(let text): (Array(text.utf8), 0)
                case .bytes(let bytes): ([UInt8](bytes), 1)
                }
            starts.append(content == nil ? nil : memory.count)
            lengths.append(Int32(clamping: content?.count ?? 0))
            formats.append(format)
            memory += content ?? []
            memory.append(0)
        }
    }

    func withPointers<Result>(
        _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
    ) -> Result {
        unsafe memory.withUnsafeBytes { memory in
            let start = unsafe memory.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = unsafe starts.map { place in
                if let place, let start = unsafe start {
                    unsafe start + place
                } else {
                    unsafe UnsafePointer<CChar>?.none
                }
            }
            return unsafe body(pointers, lengths, formats)
        }
    }
}
