import Foundation
import GRDB
import HeraclitusStores
import SQLStores

/// A row of a result, valid while its cursor stands at it.
///
/// GRDB's own `Row` makes a dictionary of column names for each result, and the store needs no names. Texts are read as bytes, because text in SQLite
/// may be invalid UTF-8.
@safe struct SQLiteRow: StatementColumnConvertible, DatabaseValueConvertible {
    private let statement: SQLiteStatement

    init(sqliteStatement: SQLiteStatement, index: CInt) { unsafe statement = sqliteStatement }

    private func value(_ column: Int) -> DatabaseValue.Storage {
        unsafe DatabaseValue(sqliteStatement: statement, index: CInt(column)).storage
    }

    func isNull(_ column: Int) -> Bool { if case .null = value(column) { true } else { false } }

    func integer(_ column: Int) -> Int? {
        if case .int64(let number) = value(column) { Int(exactly: number) } else { nil }
    }

    func real(_ column: Int) -> Double? {
        if case .double(let number) = value(column) { number } else { nil }
    }

    func bytes(_ column: Int) -> Data? {
        if case .blob(let bytes) = value(column) { bytes } else { nil }
    }

    func text(_ column: Int) -> String? { bytes(column).flatMap(String.init(valid:)) }
}

extension SQLiteRow {
    // GRDB requires this of all values of a cursor.
    var databaseValue: DatabaseValue { .null }
    static func fromDatabaseValue(_ value: DatabaseValue) -> SQLiteRow? { nil }
}

extension String {
    /// Makes text of UTF-8 bytes; `nil` for other bytes.
    init?(valid bytes: Data) {
        guard let text = unsafe bytes.withUnsafeBytes({ unsafe String(validated: $0) }) else { return nil }
        self = text
    }
}

// MARK: - Machines

extension SQLiteRow {
    /// The columns that ``archive(_:_:)`` reads, and their number.
    static let columns = """
        revision, cast(workflow as blob), version, cast(state as blob), entered, due, valued, archive, handled,
        effects_date, cast(effects_next as blob), cast(effects_worker as blob), effects_content
        """
    static let columnCount = 13

    /// The archive; `nil` for a deleted machine.
    func archive(
        _ id: String,
        _ values: (_ id: String) throws -> [String: StoredValue]
    ) throws -> StoredArchive? {
        let archive = try archiveWithOutbox(id, values)
        // The upgrade could not read these effects of an earlier release, so this throws.
        return isNull(9) || !isNull(12) ? archive : try archive?.splittingOutbox()
    }

    /// The stored archive, with the effects that an earlier release stored within it.
    func archiveWithOutbox(
        _ id: String,
        _ values: (_ id: String) throws -> [String: StoredValue] = { _ in [:] }
    ) throws -> StoredArchive? {
        guard let revision = integer(0), revision > 0 else {
            throw Self.damaged(id, "the revision is not a positive number")
        }
        // A deleted machine leaves its revision.
        if isNull(1), isNull(3), isNull(7) { return nil }
        guard let workflow = text(1), let state = text(3) else {
            throw Self.damaged(id, "the name of its workflow or state is not text")
        }
        guard let archive = bytes(7) else { throw Self.damaged(id, "it has no archive") }
        return StoredArchive(
            id: id,
            revision: revision,
            workflow: workflow,
            version: integer(2),
            state: state,
            entered: date(4),
            due: date(5),
            values: integer(6) == 0 ? [:] : try values(id),
            archive: archive,
            handled: bytes(8),
            effects: effects
        )
    }

    private func date(_ column: Int) -> Date? { real(column).map(Date.init(timeIntervalSinceReferenceDate:)) }

    private var effects: WaitingEffects? {
        guard let content = bytes(12) else { return nil }
        return WaitingEffects(content: content, next: text(10), date: date(9) ?? .distantFuture, worker: text(11))
    }

    static func damaged(_ id: String, _ explanation: String) -> StoreError {
        .damaged(id: id, explanation: "In its row of the table, \(explanation).")
    }

    // MARK: - Columns

    /// The columns from `workflow` to `handled`, which a save changes.
    static func columns(of archive: StoredArchive) throws -> [DatabaseValue] {
        [
            try column(archive.workflow), archive.version.databaseValue, try column(archive.state),
            column(archive.entered), column(archive.due), try column(archive.archive), try column(archive.handled),
        ]
    }

    /// The columns of effects; nulls if there are none.
    static func columns(of effects: WaitingEffects?) throws -> [DatabaseValue] {
        guard let effects else { return [.null, .null, .null, .null] }
        // SQLite cannot store NaN.
        let seconds = effects.date.timeIntervalSinceReferenceDate
        let date = seconds.isNaN ? Date.distantFuture.timeIntervalSinceReferenceDate : seconds
        return [date.databaseValue, try column(effects.next), try column(effects.worker), try column(effects.content)]
    }

    /// The columns `text` and `number` of a value.
    ///
    /// Text is stored as bytes, because GRDB ends texts at NUL.
    static func columns(of value: StoredValue) throws -> [DatabaseValue] {
        switch value {
        case .text(let text): [try column(Data(text.utf8)), .null]
        case .number(let number): [.null, number.databaseValue]
        }
    }

    static func column(_ text: String?) throws -> DatabaseValue {
        guard let text else { return .null }
        guard !text.hasNUL else { throw SQLiteFailure(.unstorable("\(text.debugDescription) contains NUL.")) }
        return text.databaseValue
    }

    private static func column(_ bytes: Data?) throws -> DatabaseValue {
        guard let bytes else { return .null }
        guard bytes.count < Int32.max else { throw SQLiteFailure(.unstorable("\(bytes.count) bytes are too many.")) }
        return bytes.databaseValue
    }

    /// A date; null for NaN or infinity.
    static func column(_ date: Date?) -> DatabaseValue {
        guard let seconds = date?.timeIntervalSinceReferenceDate, seconds.isFinite else { return .null }
        return seconds.databaseValue
    }
}

extension String {
    /// Whether the text contains NUL, at which GRDB and SQLite's functions would cut it.
    var hasNUL: Bool { utf8.contains(0) }
}
