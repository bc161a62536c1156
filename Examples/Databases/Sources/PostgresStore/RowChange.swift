import Foundation
import Heraclitus
import HeraclitusStores

/// What is known of an id: its last revision, also of what was deleted; 0 if nothing ever was stored.
struct LastRow {
    /// Of a damaged row, which can be deleted, any number.
    var revision = 0
    var isDamaged = false
    var token = Data()
    var isStored = false
    var hasValues = false
    var effects: WaitingEffects?

    /// Whether its effects are within the archive, as an earlier release kept them.
    var hasFormerEffects = false

    /// The revision that is stored, 0 for none.
    var stored: Int { isStored ? revision : 0 }
}

/// A change, with what it takes to make it in the table.
struct RowChange {
    let change: StoreChange
    let id: StoredID

    /// By which a change that lost its connection is found again.
    let token = RowChange.token()

    /// The revision that is there: of a deleted row that a new machine comes after, or of a machine to delete whatever its revision is.
    private var found: Int?

    /// Whether nothing is stored that could be deleted.
    private var isAbsent = false

    /// Whether rows of `machine_values` are to be changed as well.
    private var changesValues: Bool

    /// The revision that is stored after the change; of a deleted machine the deleted one.
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
        // Two numbers and not sixteen bytes: each one that is drawn is a system call.
        let halves = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        return Data(halves.flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> ($0 * 8)) } })
    }

    /// Whether the change begins with a look at the revision.
    var needsLook: Bool {
        if case .delete(_, let expected) = change { return found == nil && !isAbsent && expected ?? 0 == 0 }
        return false
    }

    /// Whether the change may concern a worker.
    var concernsWorker: Bool {
        if case .save(let archive, _) = change, archive.due != nil { return true }
        return change.effects?.new?.next != nil
    }

    /// Whether the machine stays as it is, with its revision and its token.
    var isOfEffectsOnly: Bool {
        if case .effects = change { return true }
        return false
    }

    /// Whether the row has the token of the change afterwards.
    var leavesToken: Bool { !isOfEffectsOnly && !isAbsent }

    /// Whether a damaged row can be changed: whoever wants to be rid of it deletes it whatever it is.
    var acceptsDamage: Bool {
        if case .delete(_, expecting: nil) = change { return true }
        return false
    }

    /// Refuses what could never be saved.
    func check() throws {
        guard case .save(let archive, _) = change else { return }
        guard archive.revision < Int.max else {
            throw StoreError.damaged(id: id.id, explanation: "There is no revision after \(archive.revision).")
        }
        // New machines have no effects yet.
        if archive.revision == 0, change.effects?.old != nil { throw StoreError.effectsChanged(id: id.id) }
    }

    /// The commands that make the change; none if nothing is to be changed.
    ///
    /// The change is made if the first command changes a row.
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
        // A literal of an array.
        let names = rows.map { row in
            // By scalars, because a mark after a quotation mark makes one character with it.
            let name = row.name.unicodeScalars.reduce(into: "") { name, scalar in
                if scalar == "\\" || scalar == "\"" { name.unicodeScalars.append("\\") }
                name.unicodeScalars.append(scalar)
            }
            return "\"\(name)\""
        }
        return [.prepared(Statements.deleteOtherValues, saved + [.text("{\(names.joined(separator: ","))}")])]
            + rows.map { .prepared(Statements.saveValue, saved + [.text($0.name)] + $0.columns) }
    }

    /// Notes the revision of a machine whose effects were changed.
    mutating func noteRevision(_ revision: Int) { self.revision = revision }

    /// Notes what there is before a deletion.
    mutating func noteLook(_ last: LastRow) throws {
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
        .lost("The connection was lost, and others have \(others) since.")
    }

    /// Looks why the change was not made.
    /// - Parameters:
    ///   - last: What is known of the id.
    ///   - mayBeDone: Whether an attempt before may have been successful.
    /// - Returns: Whether an attempt before has made it; otherwise it can be tried again.
    /// - Throws: Why it cannot be made.
    mutating func isDone(_ last: LastRow, _ mayBeDone: Bool) throws -> Bool {
        switch change {
        case .effects(_, let effects): return try areEffectsDone(effects, last, mayBeDone)
        case .delete(_, let expected): return try isDeleted(last, mayBeDone, expecting: expected)
        case .save(let archive, _): return try isSaved(last, mayBeDone, expecting: archive.revision)
        }
    }

    private func areEffectsDone(
        _ effects: StoreChange.EffectsChange,
        _ last: LastRow,
        _ mayBeDone: Bool
    ) throws -> Bool {
        if last.hasFormerEffects { return false }
        if last.isStored, last.effects == effects.old { return false }
        guard mayBeDone else { throw StoreError.effectsChanged(id: id.id) }
        if last.isStored, last.effects == effects.new { return true }
        throw Self.unclear("changed the effects")
    }

    private mutating func isDeleted(_ last: LastRow, _ mayBeDone: Bool, expecting expected: Int?) throws -> Bool {
        if mayBeDone, !last.isStored, last.token == token { return true }
        if mayBeDone, last.revision > found ?? expected ?? 0 { throw Self.unclear("changed it") }
        guard let expected, expected != 0 else {
            // Somebody has saved or deleted it since the look.
            if last.isStored { found = last.revision } else { (isAbsent, revision) = (true, 0) }
            return false
        }
        try conflict(expected, last)
        return false
    }

    private mutating func isSaved(_ last: LastRow, _ mayBeDone: Bool, expecting expected: Int) throws -> Bool {
        if mayBeDone, last.isStored, last.token == token {
            revision = last.revision
            return true
        }
        // After an own save others can have come only with later revisions.
        if mayBeDone, last.revision > (last.isStored ? expected + 1 : expected) { throw Self.unclear("saved") }
        try conflict(expected, last)
        if expected == 0, last.revision > 0 { found = last.revision }
        if last.hasValues { changesValues = true }
        if let effects = change.effects, !last.hasFormerEffects, effects.old != last.effects {
            throw StoreError.effectsChanged(id: id.id)
        }
        return false
    }
}
