public import GRDB
public import HeraclitusStores
import SQLStores

extension SQLiteStore {
    /// Changes machines in your own transaction, which saves them together with your own rows.
    ///
    /// ```swift
    /// try await store.database.write { db in
    ///     try store.unit(in: db) { unit in
    ///         let order = try unit.machine("42", of: orders)
    ///         try order.fire.pay(PaidState(…))
    ///     }
    ///     try db.execute(sql: "insert into payments values (?, ?)", arguments: ["42", 4.50])
    /// }
    /// ```
    ///
    /// The machines are saved in a savepoint when the closure returns, and stored when your transaction commits. If the closure throws, the machines
    /// are unchanged. Catch the error to continue your transaction.
    ///
    /// SQLite allows one writer at a time. A transaction that writes from its beginning, as `write` does, therefore has no conflicts.
    /// - Parameters:
    ///   - db: The writing connection of ``database``.
    ///   - body: Loads and changes machines.
    /// - Returns: The value of `body`.
    /// - Throws: Errors of `body`; `DatabaseError`, `StoreError`, `ArchiveError`.
    public func unit<Result>(in db: Database, _ body: (TransactionUnit) throws -> Result) throws -> Result {
        var result: Swift.Result<Result, any Error>?
        try db.inSavepoint {
            result = .success(try SharedTransaction(store: self, db: db).unit(body))
            return .commit
        }
        guard let result else { throw SQLiteFailure(.failed(code: "", "The savepoint has no result.")) }
        return try result.get()
    }
}

/// A transaction of the user.
private struct SharedTransaction: StoreTransaction {
    let store: SQLiteStore
    let db: Database

    func load(_ id: String) throws -> StoredArchive? {
        try SQLiteFailure.named(store.database.path, id) { try transaction.load(id) }
    }

    func save(_ changes: [StoreChange]) throws -> [Int] {
        try SQLiteFailure.named(store.database.path, changes.count == 1 ? changes[0].id : nil) {
            let transaction = try transaction
            if let bell = store.bell, changes.contains(where: \.mayConcernWorkers) {
                db.afterNextTransaction { _ in bell.ring() }
            }
            return try transaction.save(changes)
        }
    }

    private var transaction: SQLiteTransaction {
        get throws {
            try store.files.check()
            return SQLiteTransaction(db: db)
        }
    }
}
