import Foundation
import HeraclitusStores

/// Changes that are saved together, over any number of attempts and connections.
struct Saving {
    /// The changes are sorted, so that two saves of the same machines wait in one order, without a deadlock.
    private(set) var changes: [RowChange]

    /// For each sorted change its index in the caller's order.
    private let places: [Int]

    /// How often one attempt sends commands: again for a row of an earlier release, a deleted row, or removed values.
    private static let tries = 4

    init(_ changes: [StoreChange]) {
        let sorted = changes.enumerated().map { (place: $0, change: RowChange($1)) }
            .sorted { $0.change.id.id.utf8.lexicographicallyPrecedes($1.change.id.id.utf8) }
        (self.changes, places) = (sorted.map(\.change), sorted.map(\.place))
    }

    /// The stored revisions, in the caller's order of changes.
    var revisions: [Int] {
        var revisions = [Int](repeating: 0, count: changes.count)
        for (place, change) in zip(places, changes) { revisions[place] = change.revision }
        return revisions
    }

    /// Makes all changes, or none.
    /// - Parameters:
    ///   - connection: The connection. In an open transaction, the changes become a part of it, and the caller must roll it back after an error.
    ///   - mayBeCommitted: Whether an earlier attempt may have been committed.
    /// - Throws: `StoreError`; ``ConnectionFailure``.
    mutating func make(in connection: PostgresConnection, mayBeCommitted: Bool) throws {
        for change in changes { try change.check() }
        let isPart = connection.isInTransaction
        let reads = changes.indices.filter { changes[$0].readsRevisionFirst }
        for (place, last) in zip(reads, try connection.last(reads.map { changes[$0].id })) {
            try changes[place].noteFound(last)
        }
        for _ in 0..<Self.tries {
            // A token shows whether all changes were committed, so changes with a token come first.
            let undone = try send(to: connection).sorted { changes[$0].writesToken && !changes[$1].writesToken }
            if undone.isEmpty { return }
            // Read before the rollback, because one of the other changes may have changed the same machine.
            let lasts = try connection.last(undone.map { changes[$0].id })
            if isPart, changes.count > 1 {
                try connection.run(.rollbackChanges)
            } else if !isPart, connection.isInTransaction {
                try connection.run(.rollback)
            }
            for (place, last) in zip(undone, lasts) {
                let id = changes[place].id
                if last.isDamaged, !changes[place].acceptsDamage {
                    throw connection.damaged(id.id, "the revision is not a positive number")
                }
                if try changes[place].isDone(last, mayBeCommitted) { return try noteRevisionsOfEffects(connection) }
                if last.hasFormerEffects { try connection.splitEffects(of: id) }
            }
        }
        throw ConnectionFailure.retryable("Other writers change the machine again and again.")
    }

    /// Sends the changes, and commits them if all succeed.
    /// - Returns: The indexes of the changes that failed.
    private mutating func send(to connection: PostgresConnection) throws -> [Int] {
        var (commands, firsts) = ([Command](), [(place: Int, command: Int)]())
        for place in changes.indices {
            let own = changes[place].commands()
            if !own.isEmpty { firsts.append((place, commands.count)) }
            commands += own
        }
        if commands.isEmpty { return [] }
        // A single command is its own transaction.
        let isPart = connection.isInTransaction
        let hasTransaction = isPart || commands.count == 1
        // Later commands of a change do nothing if its first command changed no row.
        let isOne = firsts.count == 1
        let before: [Command] = hasTransaction ? (isPart && changes.count > 1 ? [.beginChanges] : []) : [.begin]
        let after: [Command] = hasTransaction || !isOne ? [] : [.commit]
        var revisions: [Int: Int] = [:]
        let counts = try connection.run(before + commands + after) {
            revisions[$0 - before.count] = connection.integer(0)
        }
        let undone = firsts.filter { counts[before.count + $0.command] == 0 }.map(\.place)
        if !hasTransaction, !isOne, undone.isEmpty { try connection.run(.commit) }
        for first in firsts {
            if let revision = revisions[first.command] { changes[first.place].noteRevision(revision) }
        }
        return undone
    }

    /// Whether a transaction that lost its connection was committed.
    /// - Throws: ``ConnectionFailure`` if the outcome can no longer be known.
    func isCommitted(in connection: PostgresConnection) throws -> Bool {
        guard var change = changes.first(where: \.writesToken) else { return false }
        let last = try connection.last([change.id])[0]
        do { return try change.isDone(last, true) } catch is StoreError { return false }
    }

    private mutating func noteRevisionsOfEffects(_ connection: PostgresConnection) throws {
        let places = changes.indices.filter { changes[$0].isOfEffectsOnly }
        for (place, last) in zip(places, try connection.last(places.map { changes[$0].id })) {
            changes[place].noteRevision(last.stored)
        }
    }
}

extension PostgresConnection {
    /// Reads the last rows of some ids.
    fileprivate func last(_ ids: [StoredID]) throws -> [LastRow] {
        var rows = [LastRow](repeating: LastRow(), count: ids.count)
        if ids.isEmpty { return rows }
        try run(ids.map { .prepared(Statements.last, $0.key) }) { place in
            guard let revision = integer(0) else { throw damaged(ids[place].id, "the revision is not a number") }
            let (content, date) = (bytes(4), real(6).map(Date.init(timeIntervalSinceReferenceDate:)))
            rows[place] = LastRow(
                revision: revision,
                isDamaged: revision <= 0,
                token: bytes(1) ?? Data(),
                isStored: !isNull(2),
                hasValues: !isNull(3),
                effects: content.flatMap { content in
                    date.map { WaitingEffects(content: content, next: text(5), date: $0, worker: text(7)) }
                },
                hasFormerEffects: content == nil && date != nil
            )
        }
        return rows
    }

    /// Moves the effects of a machine from the archive of an earlier release to their own columns.
    fileprivate func splitEffects(of id: StoredID) throws {
        var former: (date: PostgresValue, worker: PostgresValue)?
        var row: StoredArchive?
        try run(.prepared(Statements.load, id.key)) {
            guard isNull(11), let date = real(13) else { return }
            former = (.real(date), text(14).map(PostgresValue.text) ?? .null)
            row = try archive(of: id.id)
        }
        if let row, let former { try split(row, id, date: former.date, worker: former.worker) }
    }

    /// Writes a row of an earlier release with the effects in their own columns.
    /// - Parameters:
    ///   - row: The row, with its effects.
    ///   - id: The id.
    ///   - date: The date of the effects in the table.
    ///   - worker: The worker with the lease in the table.
    /// - Throws: ``ConnectionFailure``.
    func split(_ row: StoredArchive, _ id: StoredID, date: PostgresValue, worker: PostgresValue) throws {
        try run(
            .prepared(
                Statements.splitEffects,
                id.key + [.integer(row.revision), .bytes(row.archive)] + row.effects.values + [date, worker]
            )
        )
    }
}
