import Foundation
import GRDB
import HeraclitusStores
import SQLStores

/// The work of a store on one connection, in a transaction or without one.
struct SQLiteTransaction {
    let db: Database

    /// Runs a closure in a transaction.
    func committed<Result>(
        to files: SQLiteFiles,
        _ body: (SQLiteTransaction) throws -> Result
    ) throws -> Result {
        var result: Result?
        try db.inTransaction(.immediate) {
            result = try body(self)
            try files.check()
            return .commit
        }
        guard let result else { throw SQLiteFailure(.failed(code: "", "The transaction has no result.")) }
        return result
    }

    /// Checks that the tables have all used columns.
    func check() throws { for sql in [Self.load, Self.write] { _ = try db.cachedStatement(sql: sql) } }

    /// Carries out a statement.
    /// - Returns: The number of changed rows.
    @discardableResult
    private func change(_ sql: String, _ values: [DatabaseValue]) throws -> Int {
        try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(of: values))
        return db.changesCount
    }
}

// MARK: - Loading

extension SQLiteTransaction {
    func load(_ id: String) throws -> StoredArchive? { try find(id) { try $0.archive(id, values) } }

    private static let load = "select \(SQLiteRow.columns) from machines where id = ?"

    private func find<Result>(_ id: String, _ body: (SQLiteRow) throws -> Result?) throws -> Result? {
        let statement = try db.cachedStatement(sql: Self.load)
        let rows = try SQLiteRow.fetchCursor(statement, arguments: [Data(id.utf8)])
        // A row is valid while its cursor exists.
        return try withExtendedLifetime(rows) { try rows.next().flatMap(body) }
    }

    private func values(of id: String) throws -> [String: StoredValue] {
        let statement = try db.cachedStatement(
            sql: "select cast(name as blob), text, number from machine_values where id = ?"
        )
        var values: [String: StoredValue] = [:]
        let rows = try SQLiteRow.fetchCursor(statement, arguments: [Data(id.utf8)])
        while let row = try rows.next() {
            guard let name = row.text(0) else { throw SQLiteRow.damaged(id, "the name of a value is not text") }
            // SQLite stores NaN as null.
            values[name] = row.text(1).map(StoredValue.text) ?? .number(row.real(2) ?? .nan)
        }
        return values
    }

    /// Finds ids.
    ///
    /// The list skips a damaged row, which would hide all others.
    func ids(_ query: ArchiveQuery) throws -> [String] {
        let condition = SQLiteCondition(query)
        let statement = try db.cachedStatement(
            sql: "select id from machines where \(condition.sql) order by \(condition.order) limit ?"
        )
        let arguments = condition.arguments + [max(0, query.limit).databaseValue]
        var ids: [String] = []
        let rows = try SQLiteRow.fetchCursor(statement, arguments: StatementArguments(of: arguments))
        while let row = try rows.next() {
            if let id = row.text(0) { ids.append(id) }
        }
        return ids
    }

    func nextDate(_ query: ArchiveQuery, after date: Date) throws -> Date? {
        guard let column = SQLiteCondition.dateColumn(of: query) else { return nil }
        var condition = SQLiteCondition(query)
        condition.add("\(column) > ?", [date.timeIntervalSinceReferenceDate.databaseValue])
        let statement = try db.cachedStatement(
            sql: "select \(column) from machines where \(condition.sql) order by \(column) limit 1"
        )
        return try Double.fetchOne(statement, arguments: StatementArguments(of: condition.arguments))
            .map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    func counts(_ query: ArchiveQuery) throws -> [String: Int] {
        let condition = SQLiteCondition(query)
        let isLimited = query.limit < .max
        let machines =
            isLimited
            ? "(select state from machines where \(condition.sql) order by \(condition.order) limit ?)"
            : "machines where \(condition.sql)"
        let statement = try db.cachedStatement(
            sql: "select cast(state as blob), count(*) from \(machines) group by state"
        )
        let arguments = condition.arguments + (isLimited ? [max(0, query.limit).databaseValue] : [])
        var counts: [String: Int] = [:]
        let rows = try SQLiteRow.fetchCursor(statement, arguments: StatementArguments(of: arguments))
        while let row = try rows.next() {
            if let state = row.text(0) { counts[state] = row.integer(1) }
        }
        return counts
    }
}

// MARK: - Saving

extension SQLiteTransaction {
    /// Saves changes in a transaction.
    func save(_ changes: [StoreChange]) throws -> [Int] {
        try changes.map { change in try saveInOneStatement(change) ?? saveInTransaction(change) }
    }

    private static let isSame =
        "effects_date is ? and effects_next is ? and effects_worker is ? and effects_content is ?"

    private static let effectsColumns =
        "effects_date = ?, effects_next = ?, effects_worker = ?, effects_content = ?"

    private static let replace = """
        update machines set revision = revision + 1, workflow = ?, version = ?, state = ?, entered = ?, due = ?,
        claimed = null, archive = ?, handled = ?
        """

    private static let replaces = "where id = ? and revision = ? and state is not null and valued = 0"

    // Texts of statements, made once.
    private static let replaceAlone = "\(replace) \(replaces) and (effects_date is null or effects_content is not null)"
    private static let replaceWithEffects = "\(replace), \(effectsColumns) \(replaces) and \(isSame)"
    private static let replaceEffects =
        "update machines set \(effectsColumns) where id = ? and state is not null and \(isSame) returning revision"

    /// Saves the usual change in one statement, which is its own transaction.
    /// - Returns: The revision; `nil` if the change needs more statements, and then nothing has changed.
    func saveInOneStatement(_ change: StoreChange) throws -> Int? {
        let key = Data(change.id.utf8).databaseValue
        switch change {
        case .save(let archive, let effects)
        where archive.revision > 0 && archive.revision < .max && archive.values.isEmpty:
            let columns = try SQLiteRow.columns(of: archive)
            let changed: Int
            if let effects {
                let (old, new) = try (SQLiteRow.columns(of: effects.old), SQLiteRow.columns(of: effects.new))
                changed = try self.change(
                    Self.replaceWithEffects,
                    columns + new + [key, archive.revision.databaseValue] + old
                )
            } else {
                changed = try self.change(
                    Self.replaceAlone,
                    columns + [key, archive.revision.databaseValue]
                )
            }
            return changed == 1 ? archive.revision + 1 : nil
        case .effects(_, let effects):
            let (old, new) = try (SQLiteRow.columns(of: effects.old), SQLiteRow.columns(of: effects.new))
            let statement = try db.cachedStatement(sql: Self.replaceEffects)
            return try Int.fetchAll(statement, arguments: StatementArguments(of: new + [key] + old)).first
        default: return nil
        }
    }

    /// Saves any change in a transaction.
    private func saveInTransaction(_ change: StoreChange) throws -> Int {
        let last = try find(change.id) { $0.integer(0) } ?? 0
        let stored: StoredArchive?
        do {
            stored = try load(change.id)
        } catch StoreError.damaged where change.isDeletionOfAny {
            try delete(change.id)
            return max(last, 1)
        }
        let changed = try change.applied(to: stored, after: stored == nil ? last : 0)
        guard let changed else {
            if stored != nil { try delete(change.id) }
            return stored?.revision ?? 0
        }
        try write(changed, over: stored)
        return changed.revision
    }

    private func delete(_ id: String) throws {
        let key = Data(id.utf8).databaseValue
        try change(
            """
            update machines set revision = max(revision, 1), workflow = null, version = null, state = null, entered = null, due = null,
            claimed = null, valued = 0, archive = null, handled = null, effects_date = null, effects_next = null,
            effects_worker = null, effects_content = null where id = ?
            """,
            [key]
        )
        try change("delete from machine_values where id = ?", [key])
    }

    private static let write = """
        insert into machines (workflow, version, state, entered, due, archive, handled,
        effects_date, effects_next, effects_worker, effects_content, id, revision, valued)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (id) do update set
        claimed = case when revision = excluded.revision then claimed end,
        workflow = excluded.workflow, version = excluded.version, state = excluded.state, entered = excluded.entered,
        due = excluded.due, archive = excluded.archive, handled = excluded.handled,
        effects_date = excluded.effects_date, effects_next = excluded.effects_next,
        effects_worker = excluded.effects_worker, effects_content = excluded.effects_content,
        revision = excluded.revision, valued = excluded.valued
        """

    private func write(_ archive: StoredArchive, over stored: StoredArchive?) throws {
        let key = Data(archive.id.utf8).databaseValue
        try change(
            Self.write,
            try SQLiteRow.columns(of: archive) + SQLiteRow.columns(of: archive.effects)
                + [key, archive.revision.databaseValue, archive.values.count.databaseValue]
        )
        if archive.values == stored?.values ?? [:] { return }
        try change("delete from machine_values where id = ?", [key])
        for (name, value) in archive.values {
            let columns = try [key, SQLiteRow.column(name)] + SQLiteRow.columns(of: value)
            try change("insert into machine_values (id, name, text, number) values (?, ?, ?, ?)", columns)
        }
    }
}

extension StatementArguments {
    /// Makes arguments of values.
    ///
    /// GRDB's initializer for values of one type reads each through a key path, which takes 1 µs.
    fileprivate init(of values: [DatabaseValue]) { self.init(values.map { $0 as (any DatabaseValueConvertible)? }) }
}

extension StoreChange {
    fileprivate var isDeletionOfAny: Bool {
        if case .delete(_, expecting: nil) = self { return true }
        return false
    }
}

// MARK: - Earlier releases

extension SQLiteTransaction {
    /// Moves readable effects out of an archive, where earlier releases stored them.
    func splitOutbox(_ id: String) throws {
        do {
            guard let archive = try find(id, { try $0.archiveWithOutbox(id) }) else { return }
            let split = try archive.splittingOutbox()
            // The same revision, because the other columns of the row stay.
            try write(split, over: split)
        } catch StoreError.damaged {
        }
    }
}

// MARK: - Claiming

extension SQLiteTransaction {
    /// Claims machines in a transaction.
    func claim(_ claim: StoreClaim) throws -> [StoredArchive] {
        var claimed: [StoredArchive] = []
        // Claims one workflow after another, so that an index gives the order.
        let parts: [[String]?] = claim.query.workflows?.map { [$0] } ?? [nil]
        for workflows in parts where claimed.count < claim.query.limit {
            var query = claim.query
            query.workflows = workflows
            query.limit -= claimed.count
            claimed += try waiting(query, at: claim.now)
        }
        for index in claimed.indices {
            let key = Data(claimed[index].id.utf8).databaseValue
            switch claim.query.queue {
            case .due?, nil:
                try change("update machines set claimed = ? where id = ?", [SQLiteRow.column(claim.end), key])
            case .effects?:
                let old = claimed[index].effects
                claimed[index].effects = claim.leased(claimed[index])
                _ = try save([.effects(of: claimed[index].id, (old, claimed[index].effects))])
            }
        }
        return claimed
    }

    private func waiting(_ query: ArchiveQuery, at now: Date) throws -> [StoredArchive] {
        var condition = SQLiteCondition(query)
        if case .due? = query.queue {
            condition.add("(claimed is null or claimed <= ?)", [SQLiteRow.column(now)])
        }
        let statement = try db.makeStatement(
            sql: """
                select \(SQLiteRow.columns), id from machines where \(condition.sql) order by \(condition.order)
                """
        )
        var waiting: [StoredArchive] = []
        let rows = try SQLiteRow.fetchCursor(statement, arguments: StatementArguments(of: condition.arguments))
        while waiting.count < query.limit, let row = try rows.next() {
            // A load of an unreadable row throws; the claim skips it, so that the others get their turn.
            guard let id = row.text(SQLiteRow.columnCount) else { continue }
            do {
                if let archive = try row.archive(id, values), query.includes(archive) { waiting.append(archive) }
            } catch StoreError.damaged {
                continue
            }
        }
        return waiting
    }
}
