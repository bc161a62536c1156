import Foundation
import HeraclitusStores

/// Changes that are made together, through any number of attempts and connections.
struct Saving {
    /// In one order, so that two that save the same machines wait for one another, and never each for the other.
    private(set) var changes: [RowChange]

    /// For each change its place among those that were asked for.
    private let places: [Int]

    /// How often commands are sent in one attempt: again for a row of an earlier release, for one that was deleted, for values that go.
    private static let tries = 4

    init(_ changes: [StoreChange]) {
        let sorted = changes.enumerated().map { (place: $0, change: RowChange($1)) }
            .sorted { $0.change.id.id.utf8.lexicographicallyPrecedes($1.change.id.id.utf8) }
        (self.changes, places) = (sorted.map(\.change), sorted.map(\.place))
    }

    /// The revisions that are stored now, in the order in which the changes were asked for.
    var revisions: [Int] {
        var revisions = [Int](repeating: 0, count: changes.count)
        for (place, change) in zip(places, changes) { revisions[place] = change.revision }
        return revisions
    }

    /// Makes all changes, or none of them.
    /// - Parameters:
    ///   - connection: The connection. If a transaction has begun there, the changes become a part of it; after an error it must be undone.
    ///   - mayBeDone: Whether an attempt before may have been successful.
    /// - Throws: `StoreError`; ``ConnectionFailure``.
    mutating func make(in connection: PostgresConnection, mayBeDone: Bool) throws {
        for change in changes { try change.check() }
        let isPart = connection.isInTransaction
        let looks = changes.indices.filter { changes[$0].needsLook }
        for (place, last) in zip(looks, try connection.last(looks.map { changes[$0].id })) {
            try changes[place].noteLook(last)
        }
        for _ in 0..<Self.tries {
            // A token says of all changes whether they are done, so those that leave one come first.
            let undone = try send(to: connection).sorted { changes[$0].leavesToken && !changes[$1].leavesToken }
            if undone.isEmpty { return }
            // Before the others are undone, because one of them may have changed the same machine.
            let lasts = try connection.last(undone.map { changes[$0].id })
            if isPart, changes.count > 1 {
                try connection.run(.rollbackChanges)
            } else if !isPart, connection.isInTransaction {
                try connection.run(.rollback)
            }
            for (place, last) in zip(undone, lasts) {
                let id = changes[place].id
                if last.isDamaged, !changes[place].acceptsDamage {
                    throw connection.damaged(id.id, "the revision is no number above 0")
                }
                if try changes[place].isDone(last, mayBeDone) { return try noteRevisionsOfEffects(connection) }
                if last.hasFormerEffects { try connection.splitEffects(of: id) }
            }
        }
        throw ConnectionFailure.outrun("Others change it all the time.")
    }

    /// Sends the changes, and commits them if all could be made.
    /// - Returns: The places of those that could not be made.
    private mutating func send(to connection: PostgresConnection) throws -> [Int] {
        var (commands, firsts) = ([Command](), [(place: Int, command: Int)]())
        for place in changes.indices {
            let own = changes[place].commands()
            if !own.isEmpty { firsts.append((place, commands.count)) }
            commands += own
        }
        if commands.isEmpty { return [] }
        // One command is a transaction by itself.
        let isPart = connection.isInTransaction
        let hasTransaction = isPart || commands.count == 1
        // What follows the first command of a change does nothing if that one did nothing.
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

    /// Whether the transaction in which the changes were made was committed, although its connection was lost then.
    /// - Throws: ``ConnectionFailure`` if nobody can know any more.
    func isCommitted(in connection: PostgresConnection) throws -> Bool {
        guard var change = changes.first(where: \.leavesToken) else { return false }
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
    /// Looks what is known of some ids.
    fileprivate func last(_ ids: [StoredID]) throws -> [LastRow] {
        var rows = [LastRow](repeating: LastRow(), count: ids.count)
        if ids.isEmpty { return rows }
        try run(ids.map { .prepared(Statements.last, $0.key) }) { place in
            guard let revision = integer(0) else { throw damaged(ids[place].id, "the revision is no number") }
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

    /// Takes the effects of a machine out of the archive of an earlier release.
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
    ///   - date: When the effects may be carried out, as it stands in the table.
    ///   - worker: Who has leased the effects, as it stands in the table.
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
