import Foundation
import Heraclitus
import HeraclitusStores
import Synchronization

/// An archive to save, with the token by which a save that lost its connection is found again.
struct Change: Sendable {
    let id: StoredID
    let archive: StoredArchive
    let token: Data

    init(_ archive: StoredArchive) {
        id = StoredID(archive.id)
        self.archive = archive
        token = Self.token()
    }

    static func token() -> Data {
        // Two numbers and not sixteen bytes: each one that is drawn is a system call.
        let halves = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        return Data(halves.flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> ($0 * 8)) } })
    }

    /// The columns that change, beginning with `token`.
    ///
    /// A date that is none is never due.
    var values: [SQLValue] {
        return [
            .bytes(token), .text(archive.workflow), .text(archive.state), Self.column(archive.due),
            .bytes(archive.archive), Self.column(archive.effectsDue),
        ]
    }

    private static func column(_ date: Date?) -> SQLValue {
        guard let seconds = date?.timeIntervalSinceReferenceDate, seconds.isFinite else { return .null }
        return .real(seconds)
    }
}

/// A deletion, with the token by which one that lost its connection is found again.
final class Deletion: Sendable {
    let id: StoredID
    let token = Change.token()

    /// The revision to delete; `nil` for any.
    let expected: Int?

    /// The one that is there, where any is to be deleted.
    private let found = Mutex<Int?>(nil)

    init(_ id: String, expecting revision: Int?) {
        self.id = StoredID(id)
        expected = revision
    }

    /// The revision that an attempt deletes; `nil` if nothing is stored.
    ///
    /// After a loss it is the same as before, or what others have saved since would be deleted.
    func revision(_ mayBeDone: Bool, stored: () throws -> Int?) rethrows -> Int? {
        if let expected { return expected }
        return try found.withLock { found in
            if found == nil || !mayBeDone { found = try stored() }
            return found
        }
    }
}

/// What is known of an id: its last revision, also of what was deleted; 0 if nothing ever was stored.
private struct Last {
    var revision = 0
    var isStored = false
    var token = Data()

    /// The revision that is stored, 0 for none.
    var stored: Int { isStored ? revision : 0 }
}

extension SQLConnection {
    func load(_ id: StoredID) throws -> StoredArchive? {
        let found = try row(of: Statements.load, id.key) { () throws -> StoredArchive? in
            guard bytes(5) == id.rest else { throw damaged(id, "it belongs to another id") }
            let revision = try revision(of: id)
            // What was deleted has left its revision.
            if (1...4).allSatisfy(isNull) { return nil }
            guard let workflow = text(1), let state = text(2) else {
                throw damaged(id, "the name of its workflow or state is no text")
            }
            guard let archive = bytes(4) else { throw damaged(id, "it has no archive") }
            let due = real(3)
            guard due != nil || isNull(3) else { throw damaged(id, "when it is due is no number") }
            return StoredArchive(
                id: id.id,
                revision: revision,
                workflow: workflow,
                state: state,
                due: due.map(Date.init(timeIntervalSinceReferenceDate:)),
                archive: archive
            )
        }
        return found.flatMap(\.self)
    }

    private func damaged(_ id: StoredID, _ explanation: String) -> StoreError {
        .damaged(id: id.id, explanation: "Of its row in the table, \(explanation).")
    }

    func save(_ change: Change, _ mayBeDone: Bool) throws -> Int {
        let (id, expected) = (change.id, change.archive.revision)
        for name in [change.archive.workflow, change.archive.state] where name.utf8.contains(0) {
            throw ConnectionFailure.refused(.unstorable("\(name.debugDescription) contains NUL."))
        }
        guard expected < Int.max else {
            throw StoreError.damaged(id: id.id, explanation: "There is no revision after \(expected).")
        }
        let (statement, parameters) =
            if expected == 0 {
                (Statements.insert, id.columns)
            } else {
                (Statements.replace, id.key + [.integer(expected)])
            }
        if try self.change(statement, parameters + change.values) { return expected + 1 }
        let last = try self.last(id)
        if mayBeDone, last.isStored, last.token == change.token { return last.revision }
        // After an own save others can have come only with later revisions.
        if mayBeDone, last.revision > (last.isStored ? expected + 1 : expected) {
            throw ConnectionFailure.lost("The connection was lost, and others have saved since.")
        }
        if expected == 0, !last.isStored, last.revision > 0 {
            let parameters = id.key + [.integer(last.revision)] + change.values
            if try self.change(Statements.restore, parameters) { return last.revision + 1 }
        }
        if last.stored == expected { throw Self.inBetween }
        throw StoreError.conflict(id: id.id, expected: expected, found: last.stored)
    }

    /// Somebody has saved or deleted between the change, which found another revision, and the look at what there is.
    private static var inBetween: ConnectionFailure { .outrun("Others change it all the time.") }

    private func revision(of id: StoredID) throws -> Int {
        guard let revision = integer(0), revision > 0 else { throw damaged(id, "the revision is no number above 0") }
        return revision
    }

    func delete(_ deletion: Deletion, _ mayBeDone: Bool) throws -> Bool {
        let id = deletion.id
        guard let revision = try deletion.revision(mayBeDone, stored: { try storedRevision(id) }) else { return false }
        let parameters = id.key + [.integer(revision), .bytes(deletion.token)]
        if try change(Statements.delete, parameters) { return true }
        let last = try self.last(id)
        if mayBeDone, !last.isStored, last.token == deletion.token { return true }
        if mayBeDone, last.revision > revision {
            throw ConnectionFailure.lost("The connection was lost, and others have changed it since.")
        }
        if !last.isStored, deletion.expected ?? 0 == 0 { return false }
        guard let expected = deletion.expected, expected != last.stored else { throw Self.inBetween }
        throw StoreError.conflict(id: id.id, expected: expected, found: last.stored)
    }

    /// The revision that is stored, `nil` for none: of a damaged row, which can be deleted, any number.
    private func storedRevision(_ id: StoredID) throws -> Int? {
        try row(of: Statements.last, id.key) { () throws -> Int? in
            if isNull(2) { return nil }
            guard let revision = integer(0) else { throw damaged(id, "the revision is no number") }
            return revision
        }.flatMap(\.self)
    }

    private func last(_ id: StoredID) throws -> Last {
        try row(of: Statements.last, id.key) {
            Last(revision: try revision(of: id), isStored: !isNull(2), token: bytes(1) ?? Data())
        } ?? Last()
    }

    /// Changes archives with effects, of rows that it locks and that nobody else has locked; `query` finds the ids of a number of rows.
    func claim(
        limit: Int,
        _ query: (_ limit: Int) -> IDQuery,
        _ change: (StoredArchive) throws -> StoredArchive?
    ) throws -> [StoredArchive] {
        var claimed: [StoredArchive] = []
        // Their bytes: strings are equal that are different ids.
        var seen: Set<Data> = []
        var most = limit
        while true {
            let (ids, rows) = try ids(query(most))
            var unloadable = rows - ids.count
            for id in ids where claimed.count < limit {
                guard let found = try loadUndamaged(StoredID(id)) else {
                    unloadable += 1
                    continue
                }
                guard seen.insert(Data(id.utf8)).inserted, let changed = try change(found) else { continue }
                let revision = try save(Change(changed), false)
                claimed.append(
                    StoredArchive(
                        id: id,
                        revision: revision,
                        workflow: changed.workflow,
                        state: changed.state,
                        due: changed.due,
                        archive: changed.archive
                    )
                )
            }
            // Rows that cannot be loaded stay where they are, and would hold up all that come after them.
            if !claimed.isEmpty || unloadable == 0 || rows < most { return claimed }
            most += min(unloadable, .max - most)
        }
    }

    /// Loads an archive; `nil` also for a damaged row, which whoever loads it is told of, and which here would hold up all others.
    private func loadUndamaged(_ id: StoredID) throws -> StoredArchive? {
        do { return try load(id) } catch StoreError.damaged { return nil }
    }

    /// Does several things as one, or nothing.
    package func transaction<Result>(
        beginning begin: SQLStatement = SQLStatement("begin"),
        _ body: () throws -> Result
    ) throws -> Result {
        try run(begin)
        do {
            let result = try body()
            try run(.commit)
            return result
        } catch {
            switch error {
            // A connection that is lost takes its transaction with it.
            case ConnectionFailure.lost, ConnectionFailure.stale: throw error
            default: break
            }
            do { try run(.rollback) } catch _ { throw NotRolledBack(cause: error) }
            throw error
        }
    }
}

/// Why a transaction did not end with a commit, on a connection where it may still be open.
///
/// Whoever used that connection later would do so within the transaction, and lose what they save.
struct NotRolledBack: Error {
    let cause: any Error
}
