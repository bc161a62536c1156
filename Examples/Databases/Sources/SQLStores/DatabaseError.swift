/// An error of a database, or of the connection to it.
///
/// A conflict or a damaged archive is a `StoreError` of Heraclitus, as in every store.
public struct DatabaseError: Error, Sendable {
    /// The reason of an error.
    @nonexhaustive
    public enum Reason: Sendable, Equatable {
        /// The database cannot be opened or reached, or denies access. Nothing has changed.
        case inaccessible(String)

        /// The tables have a newer version than this store supports.
        case newerSchema(found: Int, supported: Int)

        /// The tables belong to another program, or have been altered.
        case otherTables(String)

        /// Another program held a lock for longer than the time-out, or the database was overloaded. Nothing has changed.
        case busy

        /// The disk or the database is full. Nothing has changed.
        case full(String)

        /// The database cannot store a text, or a value of this size. Nothing has changed.
        case unstorable(String)

        /// The connection was lost, or the server did not answer in time, during a save or deletion. The change may be stored or lost.
        case unclear(String)

        /// Any other error, with the error code of the database. Nothing has changed.
        case failed(code: String, String)
    }

    /// The database, without passwords.
    public let store: String

    /// The id of the failed call; `nil` for calls without an id, or with several.
    public let id: String?

    /// The reason.
    public let reason: Reason

    /// Makes an error.
    /// - Parameters:
    ///   - store: The database, without passwords.
    ///   - id: The id of the failed call.
    ///   - reason: The reason.
    public init(store: String, id: String? = nil, _ reason: Reason) {
        self.store = store
        self.id = id
        self.reason = reason
    }
}

extension DatabaseError: CustomStringConvertible {
    /// A sentence with the database, the id and the reason.
    public var description: String {
        let what = id.map { "\"\($0)\" in \(store)" } ?? store
        return switch reason {
        case .inaccessible(let explanation): "\(what) cannot be reached: \(explanation)"
        case .newerSchema(let found, let supported):
            "\(what) has tables of version \(found); this program knows versions up to \(supported)."
        case .otherTables(let explanation): "\(what) does not have the tables of a store: \(explanation)"
        case .busy: "\(what) cannot be changed: another program holds a lock, or the database is overloaded."
        case .full(let explanation): "\(what) cannot be saved, because there is no space left: \(explanation)"
        case .unstorable(let explanation): "\(what) cannot be saved: \(explanation)"
        case .unclear(let explanation): "Whether \(what) was changed is unknown: \(explanation)"
        case .failed(let code, let explanation): "\(what): error \(code): \(explanation)"
        }
    }
}
