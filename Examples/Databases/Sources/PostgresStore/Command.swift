import SQLStores

/// An SQL statement with its parameters.
struct Command: Sendable {
    /// The statement, with `$1`, `$2` and so on for the parameters.
    ///
    /// Values of a user are always parameters.
    let sql: String
    let parameters: [PostgresValue]

    /// Whether the connection prepares the statement once.
    let isPrepared: Bool

    /// Whether the statement is the store's.
    ///
    /// The columns of a user's statement arrive as text.
    let isOwn: Bool

    /// Makes a statement that the connection sends unprepared.
    init(_ sql: String, _ parameters: [PostgresValue] = [], isPrepared: Bool = false, isOwn: Bool = true) {
        (self.sql, self.parameters, self.isPrepared, self.isOwn) = (sql, parameters, isPrepared, isOwn)
    }

    /// Refuses text with NUL, because libpq would cut the text there.
    func check() throws {
        for case .text(let text) in parameters where text.utf8.contains(0) {
            throw ConnectionFailure.refused(.unstorable("\(text.prefix(100).debugDescription) contains NUL."))
        }
    }

    /// Begins a transaction.
    static let begin = Command("begin")

    /// Commits a transaction.
    static let commit = Command("commit")

    /// Rolls a transaction back.
    static let rollback = Command("rollback")

    /// Begins a savepoint within a transaction.
    static let beginChanges = Command("savepoint machines")

    /// Rolls back to the savepoint; the transaction continues.
    static let rollbackChanges = Command("rollback to savepoint machines")
}
