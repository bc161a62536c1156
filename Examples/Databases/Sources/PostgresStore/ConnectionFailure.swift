import SQLStores

/// Why a connection did not carry out a statement; the pool makes a `DatabaseError` of it, with the store and the id.
enum ConnectionFailure: Error, Sendable, Equatable {
    /// The connection is gone, or was given up. The statement was carried out, or was not.
    case lost(String)

    /// The connection is gone, and nothing was committed.
    case stale(String)

    /// The statement was not carried out, because others were faster, and can be tried again.
    case outrun(String)

    /// The statement was not carried out, for a reason that stays.
    case refused(DatabaseError.Reason)
}
