import Foundation
import Heraclitus
import HeraclitusStores

extension PostgresConnection {
    /// Loads the machines of some ids in one round trip.
    /// - Returns: The archives in the order of the ids; `nil` for an id without a machine.
    func load(_ ids: [StoredID]) throws -> [StoredArchive?] {
        var found = [StoredArchive?](repeating: nil, count: ids.count)
        if ids.isEmpty { return found }
        try run(ids.map { .prepared(Statements.load, $0.key) }) { place in
            let id = ids[place]
            guard bytes(1) == id.bytes.rest else { throw damaged(id.id, "it belongs to another id") }
            found[place] = try archive(of: id.id)
        }
        return found
    }

    /// Loads the machine of an id.
    func load(_ id: StoredID) throws -> StoredArchive? { try load([id])[0] }

    /// Reads the row of a machine, with the columns of ``Statements/columns``.
    /// - Returns: The archive; `nil` for a deleted machine, whose row keeps the revision.
    func archive(of id: String) throws -> StoredArchive? {
        guard let revision = integer(2), revision > 0 else {
            throw damaged(id, "the revision is not a positive number")
        }
        if [3, 5, 7, 8].allSatisfy(isNull) { return nil }
        guard let workflow = text(3), let state = text(5) else {
            throw damaged(id, "the name of its workflow or state is not text")
        }
        guard let archive = bytes(8) else { throw damaged(id, "it has no archive") }
        guard let values = FoundValues.values(of: bytes(10)) else {
            throw damaged(id, "the values by which it is found cannot be read")
        }
        let content = bytes(11)
        let effects = try date(13, of: id, "when its effects may be carried out").map { date in
            WaitingEffects(content: content ?? Data(), next: text(12), date: date, worker: text(14))
        }
        if content != nil, effects == nil { throw damaged(id, "its effects have no date") }
        let row = StoredArchive(
            id: id,
            revision: revision,
            workflow: workflow,
            version: integer(4),
            state: state,
            entered: try date(6, of: id, "when it entered its state"),
            due: try date(7, of: id, "when it is due"),
            values: values,
            archive: archive,
            handled: bytes(9),
            effects: content == nil ? nil : effects
        )
        guard content == nil, let effects else { return row }
        var split = try row.splittingOutbox()
        // The columns have the current lease of the effects.
        split.effects = split.effects.map {
            WaitingEffects(content: $0.content, next: $0.next, date: effects.date, worker: effects.worker)
        }
        return split
    }

    private func date(_ column: Int, of id: String, _ name: String) throws -> Date? {
        if isNull(column) { return nil }
        guard let seconds = real(column) else { throw damaged(id, "\(name) is not a number") }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    func damaged(_ id: String, _ explanation: String) -> StoreError {
        .damaged(id: id, explanation: "In its row of the table, \(explanation).")
    }

    /// Finds ids.
    ///
    /// The list skips a damaged row, which would hide all others. A load of that machine throws.
    func ids(_ query: ArchiveQuery) throws -> [String] {
        guard var condition = ArchiveCondition(query) else { return [] }
        let sql = condition.sqlInOrder()
        // Almost all ids fit in one column, so the query reads the second column for long ids only.
        var (ids, areShort) = ([String](), true)
        try run(Command("select id from machines where \(sql)", condition.parameters)) {
            if let id = text(0), id.utf8.count < IndexedBytes.limit {
                ids.append(id)
            } else if (bytes(0)?.count ?? 0) >= IndexedBytes.limit {
                areShort = false
            }
        }
        if areShort { return ids }
        ids = []
        try run(Command("select id, id_rest from machines where \(sql)", condition.parameters)) {
            if let start = bytes(0), let rest = bytes(1), let id = StoredID.text(start, rest) { ids.append(id) }
        }
        return ids
    }

    /// Finds the date at which the next machine waits for a worker.
    func nextDate(_ query: ArchiveQuery, after date: Date) throws -> Date? {
        var query = query
        query.limit = 1
        guard var condition = ArchiveCondition(query), let column = condition.dateColumn,
            condition.add(column, ">", date)
        else { return nil }
        var next: Double?
        try run(Command("select \(column) from machines where \(condition.sqlInOrder())", condition.parameters)) {
            next = real(0)
        }
        return next.map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// Counts machines by their states.
    func counts(_ query: ArchiveQuery) throws -> [String: Int] {
        guard var condition = ArchiveCondition(query) else { return [:] }
        let states =
            query.limit == .max
            ? "machines where \(condition.sql)"
            : "(select state from machines where \(condition.sqlInOrder())) as states"
        var counts: [String: Int] = [:]
        try run(Command("select state, count(*) from \(states) group by state", condition.parameters)) {
            if let state = text(0), let count = integer(1) { counts[state] = count }
        }
        return counts
    }
}
