import Heraclitus

/// A transaction of a database that loads and saves machines together with other rows.
///
/// A database store implements it for the connection of an open transaction, and calls ``unit(_:)``:
///
/// ```swift
/// try await store.write { db in                           // a transaction of GRDB
///     try store.unit(in: db) { unit in
///         let order = try unit.machine("42", of: orders)
///         try order.fire.pay(…)
///     }
///     try db.execute(sql: "insert into payments …")         // both are committed, or neither
/// }
/// ```
public protocol StoreTransaction {
    /// Loads the archive of an id within the transaction.
    /// - Parameter id: Any text.
    /// - Returns: The archive with its effects; `nil` if the id is unknown.
    /// - Throws: Errors of the store's medium.
    func load(_ id: String) throws -> StoredArchive?

    /// Saves changes in the transaction.
    /// - Parameter changes: The changes, each with its own id.
    /// - Returns: The stored revision of each change, as in ``ArchiveStore/save(_:)``.
    /// - Throws: ``StoreError/conflict(id:expected:found:)``; ``StoreError/effectsChanged(id:)``; errors of the store's medium.
    func save(_ changes: [StoreChange]) throws -> [Int]
}
