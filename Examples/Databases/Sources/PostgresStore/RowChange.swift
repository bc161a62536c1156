import Foundation
import Heraclitus
import HeraclitusStores

/// The last known revision of an id, including a deleted machine's; 0 if the id is new.
struct LastRow {
    /// The revision; any number if the row is damaged.
    var revision = 0
    var isDamaged = false
    var token = Data()
    var isStored = false
    var hasValues = false
    var effects: WaitingEffects?

    /// Whether an earlier release stored the effects within the archive.
    var hasFormerEffects = false

    /// The stored revision; 0 if nothing is stored.
    var stored: Int { isStored ? revision : 0 }
}

/// A change, with its SQL commands.
struct RowChange {
    let change: StoreChange
    let id: StoredID

    /// Identifies the change after a lost connection.
    let token = RowChange.token()

    /// The revision in the table: of a deleted row, or of a machine to delete without an expected revision.
    private var found: Int?

    /// Whether a deletion found no machine.
    private var isAbsent = false

    /// Whether the change also writes rows of `machine_values`.
    private var changesValues: Bool

    /// The revision after the change; for a deletion, the revision of the deleted machine.
    private(set) var revision = 0

    init(_ change: StoreChange) {
        self.change = change
        id = StoredID(change.id)
        if case .save(let archive, _) = change {
            changesValues = !archive.values.isEmpty
        } else {
            changesValues = false
        }
    }

    private static func token() -> Data {
        // Two numbers cost two system calls; sixteen bytes would cost sixteen.
        let halves = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        return Data(halves.flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> ($0 * 8)) } })
    }

    /// Whether the change must read the revision first.
    var readsRevisionFirst: Bool {
        if case .delete(_, let expected) = change { return found == nil && !isAbsent && expected ?? 0 == 0 }
        return false
    }

    /// Whether the change may concern a worker.
    var concernsWorker: Bool {
        if case .save(let archive, _) = change, archive.due != nil { return true }
        return change.effects?.new?.next != nil
    }

    /// Whether the change leaves the machine, its revision and its token.
    var isOfEffectsOnly: Bool {
        if case .effects = change { return true }
        return false
    }

    /// Whether the change writes its token into the row.
    var writesToken: Bool { !isOfEffectsOnly && !isAbsent }

    /// Whether the change can overwrite a damaged row: a deletion without an expected revision can.
    var acceptsDamage: Bool {
        if case .delete(_, expecting: nil) = change { return true }
        return false
    }

    /// Refuses a change that can never be saved.
    func check() throws {
        guard case .save(let archive, _) = change else { return }
        guard archive.revision < Int.max else {
            throw StoreError.damaged(id: id.id, explanation: "There is no revision after \(archive.revision).")
        }
        // A new machine has no effects yet.
        if archive.revision == 0, change.effects?.old != nil { throw StoreError.effectsChanged(id: id.id) }
    }

    /// The commands of the change; empty if the change has nothing to do.
    ///
    /// The change succeeds if its first command changes a row.
    mutating func commands() -> [Command] {
        switch change {
        case .effects(_, let effects):
            return [.prepared(Statements.changeEffects, id.key + effects.new.values + effects.old.values)]
        case .delete(_, let expected):
            guard !isAbsent, let before = found ?? expected else { return [] }
            revision = max(1, before)
            return [
                .prepared(Statements.delete, id.key + [.integer(before), .bytes(token)]),
                .prepared(Statements.deleteValues, id.key + [.bytes(token)]),
            ]
        case .save(let archive, _): return commands(archive)
        }
    }

    private mutating func commands(_ archive: StoredArchive) -> [Command] {
        let values = FoundValues(archive.values)
        let columns: [PostgresValue] = [
            .bytes(token), .text(archive.workflow), archive.version.map(PostgresValue.integer) ?? .null,
            .text(archive.state), .date(archive.entered), .date(archive.due), .bytes(archive.archive),
            archive.handled.map(PostgresValue.bytes) ?? .null, values.column,
        ]
        let isChangingValues = PostgresValue.text(changesValues ? "true" : "false")
        let before = found ?? archive.revision
        let key = id.key + [.integer(before)]
        revision = before + 1
        let first: Command
        if archive.revision == 0 {
            let effects = (change.effects?.new).values
            first =
                found == nil
                ? .prepared(Statements.insert, id.key + [.bytes(id.bytes.rest)] + columns + effects)
                : .prepared(Statements.restore, key + columns + effects)
        } else if let effects = change.effects {
            first = .prepared(
                Statements.replaceWithEffects,
                key + columns + effects.new.values + effects.old.values + [isChangingValues]
            )
        } else {
            first = .prepared(Statements.replace, key + columns + [isChangingValues])
        }
        return changesValues ? [first] + commands(values) : [first]
    }

    private func commands(_ values: FoundValues) -> [Command] {
        let saved = id.key + [.bytes(token)]
        let rows = values.rows
        // An array literal.
        let names = rows.map { row in
            // Compares scalars, because a combining mark after a quotation mark forms one character with it.
            let name = row.name.unicodeScalars.reduce(into: "") { name, scalar in
                if scalar == "\\" || scalar == "\"" { name.unicodeScalars.append("\\") }
                name.unicodeScalars.append(scalar)
            }
            return "\"\(name)\""
        }
        return [.prepared(Statements.deleteOtherValues, saved + [.text("{\(names.joined(separator: ","))}")])]
            + rows.map { .prepared(Statements.saveValue, saved + [.text($0.name)] + $0.columns) }
    }

    /// Records the revision of a machine whose effects have changed.
    mutating func noteRevision(_ revision: Int) { self.revision = revision }

    /// Records the row that a deletion has found.
    mutating func noteFound(_ last: LastRow) throws {
        guard case .delete(_, let expected) = change else { return }
        if let expected { try conflict(expected, last) }
        if last.isStored { found = last.revision } else { (isAbsent, revision) = (true, 0) }
    }

    private func conflict(_ expected: Int, _ last: LastRow) throws {
        if last.stored != expected {
            throw StoreError.conflict(id: id.id, expected: expected, found: last.stored)
        }
    }

    private static func unclear(_ others: String) -> ConnectionFailure {
        .lost("The connection was lost, and another writer has \(others) since.")
    }

    /// Finds out why the first command changed no row.
    /// - Parameters:
    ///   - last: The last known row of the id.
    ///   - mayBeCommitted: Whether an earlier attempt may have been committed.
    /// - Returns: Whether an earlier attempt was committed; otherwise the change can be retried.
    /// - Throws: The error that prevents the change.
    mutating func isDone(_ last: LastRow, _ mayBeCommitted: Bool) throws -> Bool {
        switch change {
        case .effects(_, let effects): return try areEffectsDone(effects, last, mayBeCommitted)
        case .delete(_, let expected): return try isDeleted(last, mayBeCommitted, expecting: expected)
        case .save(let archive, _): return try isSaved(last, mayBeCommitted, expecting: archive.revision)
        }
    }

    private func areEffectsDone(
        _ effects: (old: WaitingEffects?, new: WaitingEffects?),
        _ last: LastRow,
        _ mayBeCommitted: Bool
    ) throws -> Bool {
        if last.hasFormerEffects { return false }
        if last.isStored, last.effects == effects.old { return false }
        guard mayBeCommitted else { throw StoreError.effectsChanged(id: id.id) }
        if last.isStored, last.effects == effects.new { return true }
        throw Self.unclear("changed the effects")
    }

    private mutating func isDeleted(_ last: LastRow, _ mayBeCommitted: Bool, expecting expected: Int?) throws -> Bool {
        if mayBeCommitted, !last.isStored, last.token == token { return true }
        if mayBeCommitted, last.revision > found ?? expected ?? 0 { throw Self.unclear("changed it") }
        guard let expected, expected != 0 else {
            // Another writer has saved or deleted the machine since the first read.
            if last.isStored { found = last.revision } else { (isAbsent, revision) = (true, 0) }
            return false
        }
        try conflict(expected, last)
        return false
    }

    private mutating func isSaved(_ last: LastRow, _ mayBeCommitted: Bool, expecting expected: Int) throws -> Bool {
        if mayBeCommitted, last.isStored, last.token == token {
            revision = last.revision
            return true
        }
        // After a save of its own, the store can find only later revisions of other writers.
        if mayBeCommitted, last.revision > (last.isStored ? expected + 1 : expected) { throw Self.unclear("saved") }
        try conflict(expected, last)
        if expected == 0, last.revision > 0 { found = last.revision }
        if last.hasValues { changesValues = true }
        if let effects = change.effects, !last.hasFormerEffects, effects.old != last.effects {
            throw StoreError.effectsChanged(id: id.id)
        }
        return false
    }
}
