public import Foundation
import Heraclitus
public import HeraclitusStores

/// A store in a table of a database that speaks SQL.
///
/// A store for another database supplies connections and makes the table; what stores promise is done here.
public protocol SQLStore: ArchiveStore {
    /// A connection to the database.
    associatedtype Connection: SQLConnection

    /// Connections that read.
    var readers: ConnectionPool<Connection> { get }

    /// Connections that change the table; the same, or one if the database lets one write at a time.
    var writers: ConnectionPool<Connection> { get }
}

// MARK: - One archive

extension SQLStore {
    /// The threads of the connections that change the table, on which units of work run.
    public var executor: (any TaskExecutor)? { writers.executor }

    /// Loads the archive that is stored for an id.
    /// - Parameter id: Any text.
    /// - Returns: The archive; `nil` if nothing is stored.
    /// - Throws: ``DatabaseError``; `StoreError.damaged` for a row that is not one of a store.
    public func load(_ id: String) async throws -> StoredArchive? {
        // A unit of work has a thread already, and a connection that will save it.
        let pool = writers.isCurrent ? writers : readers
        return try await pool.run(for: id) { connection, _ in try connection.load(StoredID(id)) }
    }

    /// Stores an archive, which replaces the one with its revision.
    /// - Parameter archive: The archive.
    /// - Returns: The new revision.
    /// - Throws: `StoreError.conflict` if another revision is stored; ``DatabaseError``. The stored archive does not change then,
    ///   unless the reason is ``DatabaseError/Reason/unclear(_:)``.
    @discardableResult
    public func save(_ archive: StoredArchive) async throws -> Int {
        let change = Change(archive)
        return try await writers.run(for: archive.id, isChange: true) { connection, mayBeDone in
            try connection.save(change, mayBeDone)
        }
    }

    /// Deletes the stored archive.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The revision to delete; `nil` for any, also for a damaged row.
    /// - Returns: Whether there was an archive.
    /// - Throws: `StoreError.conflict` if another revision is stored; ``DatabaseError``.
    @discardableResult
    public func delete(_ id: String, expecting revision: Int? = nil) async throws -> Bool {
        let deletion = Deletion(id, expecting: revision)
        return try await writers.run(for: id, isChange: true) { connection, mayBeDone in
            try connection.delete(deletion, mayBeDone)
        }
    }
}

// MARK: - Many

extension SQLStore {
    /// Finds the ids of all archives, or of those of a workflow, or of those in a state.
    ///
    /// An index answers it; no archive is read.
    /// - Parameters:
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - state: The name of the state; `nil` for any.
    /// - Returns: The ids, sorted by their UTF-8.
    /// - Throws: ``DatabaseError``.
    public func ids(of workflow: String?, in state: String?) async throws -> [String] {
        try await ids(Statements.ids(of: workflow, in: state))
    }

    /// Finds the next ids of a listing.
    ///
    /// An index answers it; no archive is read.
    /// - Parameters:
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - state: The name of the state; `nil` for any.
    ///   - id: The last id of the page before; `nil` for the first page.
    ///   - limit: The maximum number of ids.
    /// - Returns: The ids, sorted by their UTF-8; fewer than `limit` if there are no more.
    /// - Throws: ``DatabaseError``.
    public func ids(
        of workflow: String?,
        in state: String?,
        after id: String?,
        limit: Int
    ) async throws -> [String] {
        try await ids(Statements.ids(of: workflow, in: state, after: id.map(StoredID.init), limit: limit))
    }

    /// Finds the machines of a workflow with a deadline that has passed.
    ///
    /// An index answers it; no archive is read.
    /// - Parameters:
    ///   - date: By when it is due.
    ///   - workflow: The name of the workflow; `nil` for any.
    /// - Returns: The ids, those first in which something is due first.
    /// - Throws: ``DatabaseError``.
    public func ids(dueBy date: Date, of workflow: String?) async throws -> [String] {
        let due = date.timeIntervalSinceReferenceDate
        // For some databases what is no number comes after all numbers.
        return due.isNaN ? [] : try await ids(Statements.ids(dueBy: due, of: workflow))
    }

    /// Loads several archives.
    /// - Parameter ids: The ids.
    /// - Returns: The archives that are stored for them, in the order of the ids.
    /// - Throws: What ``load(_:)`` throws.
    public func load(each ids: [String]) async throws -> [StoredArchive] {
        try await readers.run(for: nil) { connection, _ in
            try ids.compactMap { try connection.load(StoredID($0)) }
        }
    }

    /// Stores several archives in one transaction, each of which replaces the one with its revision.
    /// - Parameter archives: The archives, with an id each.
    /// - Returns: The new revisions in the order of the archives; `nil` for one that was not stored because of a conflict.
    /// - Throws: ``DatabaseError``; nothing was stored then, unless the reason is ``DatabaseError/Reason/unclear(_:)``.
    @discardableResult
    public func save(each archives: [StoredArchive]) async throws -> [Int?] {
        try await inTransaction(archives) { connection, change, mayBeDone -> Int? in
            do {
                return try connection.save(change, mayBeDone)
            } catch StoreError.conflict {
                return nil
            }
        }
    }

    /// Stores several archives in one transaction, or none of them.
    /// - Parameter archives: The archives, with an id each.
    /// - Returns: The new revisions in the order of the archives.
    /// - Throws: `StoreError.conflict` if another revision of one is stored; ``DatabaseError``. Nothing was stored then, unless the reason is
    ///   ``DatabaseError/Reason/unclear(_:)``.
    @discardableResult
    public func save(together archives: [StoredArchive]) async throws -> [Int] {
        guard let first = archives.first else { return [] }
        if archives.count == 1 { return [try await save(first)] }
        return try await inTransaction(archives) { try $0.save($1, $2) }
    }

    /// Does the same with each of several archives, in one transaction.
    private func inTransaction<Value: Sendable>(
        _ archives: [StoredArchive],
        _ body: @escaping @Sendable (Connection, Change, _ mayBeDone: Bool) throws -> Value
    ) async throws -> [Value] {
        // In one order, so that two that save the same archives wait for one another, and never each for the other.
        let changes = archives.enumerated().map { (place: $0, change: Change($1)) }
            .sorted { $0.change.id.id.utf8.lexicographicallyPrecedes($1.change.id.id.utf8) }
        let done = try await writers.run(for: nil, isChange: true) { connection, mayBeDone in
            try connection.transaction {
                try changes.map { place, change in (place, try body(connection, change, mayBeDone)) }
            }
        }
        return done.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Finds the machines with effects that may be carried out by a date.
    ///
    /// An index answers it; no archive is read.
    /// - Parameters:
    ///   - date: By when; in the distant future also machines all of whose effects are parked.
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - limit: The maximum number of ids.
    /// - Returns: The ids, those first that have waited longest.
    /// - Throws: ``DatabaseError``.
    public func ids(withEffectsBy date: Date, of workflow: String?, limit: Int) async throws -> [String] {
        let seconds = date.timeIntervalSinceReferenceDate
        return seconds.isNaN ? [] : try await ids(Statements.ids(withEffectsBy: seconds, of: workflow, limit: limit))
    }

    /// Changes and saves archives with effects that may be carried out, in one transaction that skips the rows of other workers: for databases
    /// with `for update skip locked`.
    /// - Parameters:
    ///   - date: By when they may be carried out.
    ///   - workflow: The name of the workflow.
    ///   - limit: The maximum number of archives.
    ///   - change: Changes an archive; `nil` for one that is to stay as it is.
    /// - Returns: The archives that were changed, with their new revisions.
    /// - Throws: ``DatabaseError``, and what `change` throws.
    package func claimSkippingLocked(
        effectsBy date: Date,
        of workflow: String,
        limit: Int,
        _ change: @escaping @Sendable (_ archive: StoredArchive) throws -> StoredArchive?
    ) async throws -> [StoredArchive] {
        let seconds = date.timeIntervalSinceReferenceDate
        if seconds.isNaN || SQLValue.text(workflow).hasNUL { return [] }
        // If the connection is lost others are claimed, and the first wait until their lease ends.
        return try await writers.run(for: nil) { connection, _ in
            try connection.transaction {
                try connection.claim(
                    limit: limit,
                    { Statements.idsSkippingLocked(withEffectsBy: seconds, of: workflow, limit: $0) },
                    change
                )
            }
        }
    }

    private func ids(_ query: IDQuery) async throws -> [String] {
        if query.parameters.contains(where: \.hasNUL) { return [] }
        return try await readers.run(for: nil) { connection, _ in try connection.ids(query).ids }
    }
}
