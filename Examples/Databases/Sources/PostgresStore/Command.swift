import SQLStores

/// A statement to be carried out, with its parameters.
struct Command: Sendable {
    /// The statement, with `$1`, `$2` and so on where the parameters belong; no value of a user is ever a part of it.
    let sql: String
    let parameters: [PostgresValue]

    /// Whether it is one of a few that a connection prepares once.
    let isPrepared: Bool

    /// Whether it is the store's, and not a user's: a user reads the rows as text.
    let isOwn: Bool

    /// A statement that is as it is for a few calls.
    init(_ sql: String, _ parameters: [PostgresValue] = [], isPrepared: Bool = false, isOwn: Bool = true) {
        (self.sql, self.parameters, self.isPrepared, self.isOwn) = (sql, parameters, isPrepared, isOwn)
    }

    /// Refuses text with NUL, which libpq would cut there.
    func check() throws {
        for case .text(let text) in parameters where text.utf8.contains(0) {
            throw ConnectionFailure.refused(.unstorable("\(text.prefix(100).debugDescription) contains NUL."))
        }
    }

    /// What begins a transaction.
    static let begin = Command("begin")

    /// What ends a transaction, so that what it has done stays.
    static let commit = Command("commit")

    /// What undoes a transaction.
    static let rollback = Command("rollback")

    /// What begins changes that are undone together within a transaction.
    static let beginChanges = Command("savepoint machines")

    /// What undoes changes within a transaction, which goes on.
    static let rollbackChanges = Command("rollback to savepoint machines")
}
