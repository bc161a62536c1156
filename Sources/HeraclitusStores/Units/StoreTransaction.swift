import Heraclitus

/// A transaction of a database in which machines can be loaded and saved, with its other rows.
///
/// A database store implements it for the connection of a transaction that the caller has begun, and calls ``unit(_:)``:
///
/// ```swift
/// try await store.write { db in                           // a transaction of GRDB
///     try store.unit(in: db) { unit in
///         let order = try unit.machine("42", of: Order.self)
///         try order.fire.pay(…)
///     }
///     try db.execute(sql: "insert into payments …")         // both are committed, or neither
/// }
/// ```
public protocol StoreTransaction {
    /// Loads the archive that is stored for an id, as the transaction sees it.
    /// - Parameter id: Any text.
    /// - Returns: The archive with its effects; `nil` if nothing is stored.
    /// - Throws: Errors of the store's medium.
    func load(_ id: String) throws -> StoredArchive?

    /// Saves changes in the transaction.
    /// - Parameter changes: The changes, with an id each.
    /// - Returns: For each change the revision that is stored now, as ``ArchiveStore/save(_:)-([StoreChange])`` returns it.
    /// - Throws: ``StoreError/conflict(id:expected:found:)``; ``StoreError/effectsChanged(id:)``; errors of the store's medium.
    func save(_ changes: [StoreChange]) throws -> [Int]
}
