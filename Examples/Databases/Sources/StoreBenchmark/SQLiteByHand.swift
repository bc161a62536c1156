import Foundation
import GRDBSQLite
import Heraclitus

/// A connection to SQLite whose calls run on its own queue.
///
/// The pointers are valid from the initializer to the deinitializer, and only the queue uses them.
@safe final class SQLiteByHand: ByHand, @unchecked Sendable {
    private let queue = DispatchQueue(label: "SQLite by hand")
    private let database: OpaquePointer
    private let select: OpaquePointer
    private let update: OpaquePointer
    private let list: OpaquePointer

    init(_ path: String) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        guard unsafe sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened = unsafe opened else {
            throw Unexpected(explanation: "\(path) cannot be opened.")
        }
        unsafe database = opened
        unsafe sqlite3_busy_timeout(opened, 10_000)
        for setting in ["synchronous = full", "fullfsync = on", "checkpoint_fullfsync = on"] {
            unsafe sqlite3_exec(opened, "pragma \(setting)", nil, nil, nil)
        }
        unsafe select = try Self.prepare(
            "select revision, archive from machines where id = ?1",
            opened
        )
        unsafe update = try Self.prepare(
            """
            update machines set revision = revision + 1, workflow = ?3, version = ?8, state = ?4, entered = ?9, due = ?5,
            claimed = null, archive = ?6, handled = ?7 where id = ?1 and revision = ?2
            """,
            opened
        )
        unsafe list = try Self.prepare(
            "select id from machines where workflow = ?1 and state = ?2 and state is not null order by id",
            opened
        )
    }

    deinit {
        unsafe sqlite3_finalize(select)
        unsafe sqlite3_finalize(update)
        unsafe sqlite3_finalize(list)
        unsafe sqlite3_close_v2(database)
    }

    private static func prepare(_ sql: String, _ database: OpaquePointer) throws -> OpaquePointer {
        var made: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(database, sql, -1, &made, nil) == SQLITE_OK, let made = unsafe made else {
            throw Unexpected(explanation: unsafe String(cString: sqlite3_errmsg(database)))
        }
        return unsafe made
    }

    func unit(_ id: String) async throws {
        try await queue.run { [self] in
            while true {
                let (revision, archive) = try load(id)
                if try save(id, revision, archive) { return }
            }
        }
    }

    private func load(_ id: String) throws -> (revision: Int64, archive: Data) {
        defer { unsafe sqlite3_reset(select) }
        unsafe bind([UInt8](id.utf8), 1, select)
        guard unsafe sqlite3_step(select) == SQLITE_ROW, let bytes = unsafe sqlite3_column_blob(select, 1) else {
            throw Unexpected(explanation: "The machine \(id) is missing.")
        }
        let archive = unsafe Data(bytes: bytes, count: Int(sqlite3_column_bytes(select, 1)))
        return (unsafe sqlite3_column_int64(select, 0), archive)
    }

    private func save(_ id: String, _ revision: Int64, _ archive: Data) throws -> Bool {
        defer { unsafe sqlite3_reset(update) }
        unsafe bind([UInt8](id.utf8), 1, update)
        unsafe sqlite3_bind_int64(update, 2, revision)
        unsafe bind(Counting.name, 3, update)
        unsafe bind(CountState.name, 4, update)
        unsafe sqlite3_bind_null(update, 5)
        unsafe bind([UInt8](archive), 6, update)
        unsafe sqlite3_bind_null(update, 7)
        unsafe sqlite3_bind_int64(update, 8, Int64(Counting.version))
        unsafe sqlite3_bind_double(update, 9, Date.now.timeIntervalSinceReferenceDate)
        guard unsafe sqlite3_step(update) == SQLITE_DONE else {
            throw Unexpected(explanation: unsafe String(cString: sqlite3_errmsg(database)))
        }
        return unsafe sqlite3_changes(database) == 1
    }

    func ids(of workflow: String, in state: String) async throws -> [String] {
        try await queue.run { [self] in
            defer { unsafe sqlite3_reset(list) }
            unsafe bind(workflow, 1, list)
            unsafe bind(state, 2, list)
            var ids: [String] = []
            while unsafe sqlite3_step(list) == SQLITE_ROW {
                let count = Int(unsafe sqlite3_column_bytes(list, 0))
                let bytes = unsafe UnsafeRawBufferPointer(start: sqlite3_column_blob(list, 0), count: count)
                ids.append(unsafe String(decoding: bytes, as: UTF8.self))
            }
            return ids
        }
    }

    /// SQLite copies the argument.
    private static var copied: sqlite3_destructor_type { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    private func bind(_ bytes: [UInt8], _ index: Int32, _ statement: OpaquePointer) {
        _ = unsafe sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), Self.copied)
    }

    private func bind(_ text: String, _ index: Int32, _ statement: OpaquePointer) {
        _ = unsafe sqlite3_bind_text(statement, index, text, -1, Self.copied)
    }
}
