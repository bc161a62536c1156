import GRDB
import SQLStores

/// The reason why a call failed.
///
/// With the store and the id it becomes an error for users.
struct SQLiteFailure: Error {
    let reason: SQLStores.DatabaseError.Reason

    init(_ reason: SQLStores.DatabaseError.Reason) { self.reason = reason }

    private init(_ error: GRDB.DatabaseError) {
        let explanation = error.message ?? "\(error.extendedResultCode)"
        reason =
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_FULL: .full(explanation)
            case .SQLITE_TOOBIG: .unstorable(explanation)
            // A constant statement failed: its table or columns are missing or differ.
            case .SQLITE_NOTADB, .SQLITE_ERROR: .otherTables(explanation)
            case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH: .inaccessible(explanation)
            default: .failed(code: "\(error.extendedResultCode.rawValue)", explanation)
            }
    }

    /// Runs a closure, and adds the store and the id to its errors.
    static func named<Result>(_ store: String, _ id: String? = nil, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as SQLiteFailure {
            throw SQLStores.DatabaseError(store: store, id: id, failure.reason)
        } catch let error as GRDB.DatabaseError {
            throw SQLStores.DatabaseError(store: store, id: id, SQLiteFailure(error).reason)
        }
    }
}
