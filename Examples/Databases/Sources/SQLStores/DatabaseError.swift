/// An error of a database, or of the way there.
///
/// Conflicts, and archives that somebody has damaged, are errors of every store, so they are `StoreError`s of Heraclitus.
public struct DatabaseError: Error, Sendable {
    /// What went wrong.
    @nonexhaustive
    public enum Reason: Sendable, Equatable {
        /// The database cannot be opened or reached, or does not let this program in. Nothing has changed.
        case inaccessible(String)

        /// The tables are those of a newer version of this store.
        case newerSchema(found: Int, supported: Int)

        /// What is there are not the tables of this store, or somebody has altered them.
        case otherTables(String)

        /// Other programs held locks, or the database was overloaded, for longer than the store waits. Nothing has changed.
        case busy

        /// There is no space left. Nothing has changed.
        case full(String)

        /// The database cannot keep this text or this size. Nothing has changed.
        case unstorable(String)

        /// The connection was lost, or there was no answer in time, when something was to be saved or deleted, and it cannot be
        /// found out whether it was.
        case unclear(String)

        /// Any other error, with the database's own code for it. Nothing has changed.
        case failed(code: String, String)
    }

    /// The database, without passwords.
    public let store: String

    /// The id that it was about; `nil` if it was about none, or several.
    public let id: String?

    /// What went wrong.
    public let reason: Reason

    /// Makes an error.
    /// - Parameters:
    ///   - store: The database, without passwords.
    ///   - id: The id that it is about.
    ///   - reason: What went wrong.
    public init(store: String, id: String? = nil, _ reason: Reason) {
        self.store = store
        self.id = id
        self.reason = reason
    }
}

extension DatabaseError: CustomStringConvertible {
    /// A sentence with the database, the id, and what went wrong.
    public var description: String {
        let what = id.map { "\"\($0)\" in \(store)" } ?? store
        return switch reason {
        case .inaccessible(let explanation): "\(what) cannot be reached: \(explanation)"
        case .newerSchema(let found, let supported):
            "\(what) has tables of version \(found); this program knows versions up to \(supported)."
        case .otherTables(let explanation): "\(what) does not have the tables of a store: \(explanation)"
        case .busy: "\(what) cannot be changed: others lock it for too long, or the database is overloaded."
        case .full(let explanation): "\(what) cannot be saved, because there is no space left: \(explanation)"
        case .unstorable(let explanation): "\(what) cannot be saved: \(explanation)"
        case .unclear(let explanation): "Whether \(what) was changed cannot be found out: \(explanation)"
        case .failed(let code, let explanation): "\(what): error \(code): \(explanation)"
        }
    }
}
