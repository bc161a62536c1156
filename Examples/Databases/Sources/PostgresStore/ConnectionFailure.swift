import SQLStores

/// The reason why a connection did not carry out a statement.
///
/// The pool converts it into a `DatabaseError` with the store and the id.
enum ConnectionFailure: Error, Sendable, Equatable {
    /// The connection was lost during the statement, which may have been committed.
    case lost(String)

    /// The connection was lost before the statement, and nothing was committed.
    case stale(String)

    /// The statement lost a race, such as a serialization failure, and can be retried.
    case retryable(String)

    /// The statement failed, and a retry would fail again.
    case refused(DatabaseError.Reason)

    /// An earlier statement has failed the open transaction.
    static let statementFailed = refused(.failed(code: "25P02", "A statement of the transaction has failed."))
}
