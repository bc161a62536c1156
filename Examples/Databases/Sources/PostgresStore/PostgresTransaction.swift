public import HeraclitusStores
import SQLStores

/// A transaction of a ``PostgresStore``, for SQL of your own and for machines.
///
/// ``PostgresStore/write(attempts:_:)`` begins it. Use it within the closure only.
public final class PostgresTransaction: StoreTransaction {
    private let connection: PostgresConnection
    private let store: String
    private var isOver = false

    /// The last save of a machine, whose token says whether the transaction was committed.
    private(set) var lastSave: Saving?

    /// Why machines could not be saved, so that the transaction must be undone.
    private(set) var failure: (any Error)?

    private(set) var concernsWorker = false

    init(_ connection: PostgresConnection, store: String) { (self.connection, self.store) = (connection, store) }

    func end() { isOver = true }

    /// Carries a statement out.
    /// - Parameters:
    ///   - sql: The statement, with `$1`, `$2` and so on where the parameters belong.
    ///   - parameters: The parameters.
    /// - Returns: How many rows it has changed.
    /// - Throws: `DatabaseError`. The transaction is undone then, also if you catch the error.
    @discardableResult
    public func execute(_ sql: String, _ parameters: [PostgresValue] = []) throws -> Int {
        try run(sql, parameters) {}
    }

    /// Carries a query out.
    /// - Parameters:
    ///   - sql: The query, with `$1`, `$2` and so on where the parameters belong.
    ///   - parameters: The parameters.
    /// - Returns: The rows; each column as the text that the database has for it, `nil` for null.
    /// - Throws: `DatabaseError`. The transaction is undone then, also if you catch the error.
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
        }
    }

    /// Loads the archive that is stored for an id, as the transaction sees it.
    /// - Parameter id: Any text.
    /// - Returns: The archive with its effects; `nil` if nothing is stored.
    /// - Throws: `DatabaseError`; `StoreError.damaged`.
    public func load(_ id: String) throws -> StoredArchive? {
        precondition(!isOver, "The transaction is over.")
        return try connection.load(StoredID(id))
    }

    /// Saves changes in the transaction.
    /// - Parameter changes: The changes, with an id each.
    /// - Returns: For each change the revision that is stored now.
    /// - Throws: `StoreError.conflict`; `StoreError.effectsChanged`; `DatabaseError`. The transaction is undone then, also if you catch the error.
    public func save(_ changes: [StoreChange]) throws -> [Int] {
        precondition(!isOver, "The transaction is over.")
        do {
            var saving = Saving(changes)
            try saving.make(in: connection, mayBeDone: false)
            if saving.changes.contains(where: \.leavesToken) { lastSave = saving }
            concernsWorker = concernsWorker || saving.changes.contains(where: \.concernsWorker)
            return saving.revisions
        } catch {
            failure = failure ?? error
            throw error
        }
    }
}

extension PostgresStore {
    /// Changes machines and rows of your own in one transaction.
    ///
    /// ```swift
    /// try await store.write { connection in
    ///     try connection.execute("insert into payments (number, amount) values ($1, $2)", [7, 9.5])
    ///     try store.unit(in: connection) { unit in
    ///         let order = try unit.machine("42", of: Order.self)
    ///         try order.fire.pay(…)
    ///     }
    /// }
    /// ```
    ///
    /// The transaction is committed when the closure returns, and undone when it throws. After a conflict, a serialization failure or a deadlock the closure runs again, in a new
    /// transaction. It runs on a thread of the store's.
    /// - Parameters:
    ///   - attempts: The number of attempts after conflicts, at least one.
    ///   - body: Changes what is in the database.
    /// - Returns: The value of `body`.
    /// - Throws: Errors of `body`; `StoreError.conflict`; `DatabaseError`. Nothing was stored then, unless the reason is
    ///   `DatabaseError.Reason.unclear`.
    @discardableResult
    public func write<Result: Sendable>(
        attempts: Int = 20,
        _ body: (_ connection: PostgresTransaction) throws -> Result
    ) async throws -> Result {
        var attempt = 0
        /// What there is when the first attempt that came so far is to be committed; also later its connection may turn out to have committed it.
        var outcome: (result: Result, save: Saving?)?
        var concernsWorker = false
        let result = try await pool.run(for: nil, isChange: true, outruns: max(30, attempts)) { connection, mayBeDone in
            if mayBeDone, let outcome {
                guard let save = outcome.save else {
                    throw ConnectionFailure.lost("The connection was lost when a transaction was to be committed.")
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
                if connection.hasFailed {
                    throw ConnectionFailure.refused(
                        .failed(code: "25P02", "A statement of the transaction has failed.")
                    )
                }
                if !mayBeDone { outcome = (result, transaction.lastSave) }
                concernsWorker = transaction.concernsWorker
                isCommitting = true
                try connection.run(.commit)
                return result
            } catch ConnectionFailure.lost(let explanation) where !isCommitting {
                // What was not committed is undone.
                throw ConnectionFailure.stale(explanation)
            } catch let error as StoreError where transaction.failure is StoreError && attempt < attempts {
                switch error {
                case .conflict, .effectsChanged: throw ConnectionFailure.outrun("\(error)")
                default: throw error
                }
            }
        }
        if concernsWorker { bell?.ring() }
        return result
    }

    /// Changes machines in a transaction of ``write(attempts:_:)``: they are saved when the closure returns, and count when the transaction is committed.
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
