public import HeraclitusStores
import SQLStores

/// A transaction of a ``PostgresStore``, for your own SQL and for machines.
///
/// ``PostgresStore/write(attempts:_:)`` begins the transaction. Use it within the closure only.
public final class PostgresTransaction: StoreTransaction {
    private let connection: PostgresConnection
    private let store: String
    private var isOver = false

    /// The last save of a machine.
    ///
    /// Its token shows whether the transaction was committed.
    private(set) var lastSave: Saving?

    /// The error of a save, after which the transaction must be rolled back.
    private(set) var failure: (any Error)?

    private(set) var concernsWorker = false

    /// The race that a statement has lost, such as a deadlock.
    private var race: ConnectionFailure?

    /// The failure of a transaction with a failed statement: a lost race is retried, even if the user catches it.
    var statementFailure: ConnectionFailure { race ?? .statementFailed }

    init(_ connection: PostgresConnection, store: String) { (self.connection, self.store) = (connection, store) }

    func end() { isOver = true }

    /// Carries out a statement.
    /// - Parameters:
    ///   - sql: The statement, with `$1`, `$2` and so on for the parameters.
    ///   - parameters: The parameters.
    /// - Returns: The number of changed rows.
    /// - Throws: `DatabaseError`. The transaction is rolled back then, even if you catch the error.
    @discardableResult
    public func execute(_ sql: String, _ parameters: [PostgresValue] = []) throws -> Int {
        try run(sql, parameters) {}
    }

    /// Carries out a query.
    /// - Parameters:
    ///   - sql: The query, with `$1`, `$2` and so on for the parameters.
    ///   - parameters: The parameters.
    /// - Returns: The rows. Each column is text in PostgreSQL's notation, or `nil` for null.
    /// - Throws: `DatabaseError`. The transaction is rolled back then, even if you catch the error.
    public func rows(_ sql: String, _ parameters: [PostgresValue] = []) throws -> [[String?]] {
        var rows: [[String?]] = []
        _ = try run(sql, parameters) { rows.append(connection.texts()) }
        return rows
    }

    private func run(_ sql: String, _ parameters: [PostgresValue], _ body: () throws -> Void) throws -> Int {
        precondition(!isOver, "The transaction is over.")
        do {
            return try connection.run(Command(sql, parameters, isOwn: false), body)
        } catch ConnectionFailure.refused(let reason) {
            throw DatabaseError(store: store, reason)
        } catch let failure as ConnectionFailure {
            note(failure)
            throw failure
        }
    }

    private func note(_ failure: ConnectionFailure) { if case .retryable = failure { race = race ?? failure } }

    /// Loads the archive of an id, as the transaction sees it.
    /// - Parameter id: Any text.
    /// - Returns: The archive with its effects; `nil` if nothing is stored.
    /// - Throws: `DatabaseError`; `StoreError.damaged`.
    public func load(_ id: String) throws -> StoredArchive? {
        precondition(!isOver, "The transaction is over.")
        return try named { try connection.load(StoredID(id)) }
    }

    /// Runs a statement of the store's own, with errors for users.
    private func named<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            // The pool would retry the statement in a failed transaction, which fails each time.
            if connection.hasFailed { throw statementFailure }
            return try body()
        } catch ConnectionFailure.refused(let reason) {
            throw DatabaseError(store: store, reason)
        } catch let failure as ConnectionFailure {
            note(failure)
            throw failure
        }
    }

    /// Saves changes in the transaction.
    /// - Parameter changes: The changes, each with its own id.
    /// - Returns: The stored revision for each change.
    /// - Throws: `StoreError.conflict`; `StoreError.effectsChanged`; `DatabaseError`. The transaction is rolled back then, even if you catch the
    ///   error.
    public func save(_ changes: [StoreChange]) throws -> [Int] {
        precondition(!isOver, "The transaction is over.")
        do {
            var saving = Saving(changes)
            try named { try saving.make(in: connection, mayBeCommitted: false) }
            if saving.changes.contains(where: \.writesToken) { lastSave = saving }
            concernsWorker = concernsWorker || saving.changes.contains(where: \.concernsWorker)
            return saving.revisions
        } catch {
            failure = failure ?? error
            throw error
        }
    }
}

extension PostgresStore {
    /// Changes machines and your own rows in one transaction.
    ///
    /// ```swift
    /// try await store.write { connection in
    ///     try connection.execute("insert into payments (number, amount) values ($1, $2)", [7, 9.5])
    ///     try store.unit(in: connection) { unit in
    ///         let order = try unit.machine("42", of: orders)
    ///         try order.fire.pay(…)
    ///     }
    /// }
    /// ```
    ///
    /// The transaction is committed when the closure returns, and rolled back when the closure throws. After a conflict, a serialization failure or a
    /// deadlock, the closure runs again in a new transaction. It runs on a thread of the store.
    /// - Parameters:
    ///   - attempts: The number of attempts after conflicts, at least one.
    ///   - body: Changes the database.
    /// - Returns: The value of `body`.
    /// - Throws: Errors of `body`; `StoreError.conflict`; `DatabaseError`. Nothing was stored, unless the reason is `DatabaseError.Reason.unclear`.
    @discardableResult
    public func write<Result: Sendable>(
        attempts: Int = 20,
        _ body: (_ connection: PostgresTransaction) throws -> Result
    ) async throws -> Result {
        var attempt = 0
        /// The result of the first attempt that reached its commit. A later attempt may find that this commit succeeded.
        var outcome: (result: Result, save: Saving?)?
        var concernsWorker = false
        let retries = max(30, attempts)
        let result = try await pool.run(for: nil, isChange: true, retries: retries) { connection, mayBeCommitted in
            if mayBeCommitted, let outcome {
                guard let save = outcome.save else {
                    throw ConnectionFailure.lost("The connection was lost during the commit.")
                }
                if try save.isCommitted(in: connection) { return outcome.result }
            }
            attempt += 1
            let transaction = PostgresTransaction(connection, store: pool.store)
            defer { transaction.end() }
            var isCommitting = false
            do {
                try connection.run(.begin)
                let result = try body(transaction)
                if let failure = transaction.failure { throw failure }
                if connection.hasFailed { throw transaction.statementFailure }
                if !mayBeCommitted { outcome = (result, transaction.lastSave) }
                concernsWorker = transaction.concernsWorker
                isCommitting = true
                try connection.run(.commit)
                return result
            } catch ConnectionFailure.lost(let explanation) where !isCommitting {
                // The server rolls back an uncommitted transaction.
                throw ConnectionFailure.stale(explanation)
            } catch let error as StoreError where transaction.failure is StoreError && attempt < attempts {
                switch error {
                case .conflict, .effectsChanged: throw ConnectionFailure.retryable("\(error)")
                default: throw error
                }
            }
        }
        if concernsWorker { bell?.ring() }
        return result
    }

    /// Changes machines in a transaction of ``write(attempts:_:)``.
    ///
    /// The machines are saved when the closure returns, and stored when the transaction commits.
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - body: Loads and changes machines.
    /// - Returns: The value of `body`.
    /// - Throws: Errors of `body`; `StoreError`; `DatabaseError`.
    public func unit<Result>(
        in transaction: PostgresTransaction,
        _ body: (_ unit: TransactionUnit) throws -> Result
    ) throws -> Result {
        try transaction.unit(body)
    }
}
