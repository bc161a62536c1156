import Foundation
import GRDB
import SQLStores

/// The tables of a store in SQLite, and their version.
///
/// In a file of the store, `user_version` has the version, and `application_id` identifies the program. In a database of the user, the table
/// `machines_schema` has the version.
enum SQLiteTable {
    /// The version that this store makes and uses.
    static let version = 3

    /// "Hera", the `application_id` of a file of this store.
    private static let application = 0x4865_7261

    /// A deleted machine leaves a row of nulls, so that the revisions of a new machine with this id continue.
    ///
    /// Compared columns come before large columns.
    private static let tables = [
        """
        create table machines (
        id blob not null primary key, revision integer not null check (revision > 0),
        workflow text, version integer, state text, entered real, due real, claimed real, valued integer not null,
        effects_date real, effects_next text, effects_worker text,
        archive blob, handled blob, effects_content blob,
        check ((workflow is null) = (state is null) and (archive is null) = (state is null))
        ) strict
        """,
        """
        create table machine_values (
        id blob not null, name text not null, text blob, number real, primary key (id, name)
        ) strict, without rowid
        """,
    ]

    /// Made after the rows, which is faster.
    ///
    /// The index contains every column that a claim needs.
    private static let indexes = [
        "create index machines_by_state on machines (workflow, state, id, version) where state is not null",
        "create index machines_by_workflow on machines (workflow, id, version, state) where state is not null",
        "create index machines_by_entered on machines (workflow, state, entered, id) where entered is not null",
        "create index machines_by_due on machines (workflow, due, id, version, claimed) where due is not null",
        """
        create index machines_by_effects on machines (workflow, effects_date, id, version, effects_next)
        where effects_date is not null
        """,
        "create index machine_values_by_text on machine_values (name, text, id) where text is not null",
        "create index machine_values_by_number on machine_values (name, number, id) where number is not null",
    ]

    /// The statements that upgrade the tables of each version to the next, from version 1 on.
    private static let steps = [
        ["alter table machines add column effects real"],
        // A new table instead of new columns: programs of version 2 would drop unknown effects, and now leave the machines alone.
        ["alter table machines rename to machines_2"] + tables + [
            // A damaged row moves unchanged; a load of that machine throws.
            "pragma ignore_check_constraints = on",
            """
            insert into machines (id, revision, workflow, state, due, effects_date, valued, archive)
            select cast(id || id_rest as blob), revision, workflow, state, due, effects, 0, archive from machines_2
            """,
            "pragma ignore_check_constraints = off",
            "drop table machines_2",
        ] + indexes,
    ]

    /// Makes missing tables, or upgrades the tables of an earlier version.
    static func make(_ db: Database, isShared: Bool) throws {
        if try version(in: db, isShared: isShared) == version { return try SQLiteTransaction(db: db).check() }
        try db.inTransaction(.immediate) {
            // Another process may have upgraded the tables.
            let found = try Self.version(in: db, isShared: isShared)
            if found == version { return .commit }
            let statements = found.map { steps[($0 - 1)...].flatMap(\.self) } ?? tables + indexes
            for statement in statements { try db.execute(sql: statement) }
            if found != nil { try splitOutboxes(db) }
            try mark(db, isShared: isShared)
            return .commit
        }
    }

    /// Moves effects out of the archives, where earlier releases stored them.
    ///
    /// Unreadable effects stay there, and a load of that machine throws.
    private static func splitOutboxes(_ db: Database) throws {
        let transaction = SQLiteTransaction(db: db)
        for id in try Data.fetchAll(db, sql: "select id from machines where effects_date is not null") {
            if let id = String(valid: id) { try transaction.splitOutbox(id) }
        }
    }

    private static func mark(_ db: Database, isShared: Bool) throws {
        let isOwn = try number(db, "pragma application_id") == application
        let hasSchema = try number(db, "select count(*) from sqlite_schema where name = 'machines_schema'") > 0
        if isOwn || (!isShared && !hasSchema) {
            try db.execute(sql: "pragma application_id = \(application)")
            try db.execute(sql: "pragma user_version = \(version)")
        } else {
            try db.execute(sql: "create table if not exists machines_schema (version integer not null) strict")
            try db.execute(sql: "delete from machines_schema")
            try db.execute(sql: "insert into machines_schema values (\(version))")
        }
    }

    /// Finds the version of the tables, and refuses the file of another program.
    /// - Returns: The version; `nil` if the tables are missing and may be made.
    static func version(in db: Database, isShared: Bool) throws -> Int? {
        if db.isInsideTransaction { return try versionNow(in: db, isShared: isShared) }
        // In one transaction, because another program may make the tables between two statements.
        var version: Int?
        try db.inTransaction(.deferred) {
            version = try versionNow(in: db, isShared: isShared)
            return .commit
        }
        return version
    }

    private static func versionNow(in db: Database, isShared: Bool) throws -> Int? {
        let application = try number(db, "pragma application_id")
        let named = "from sqlite_schema where name"
        let found: Int?
        if application == Self.application {
            found = try number(db, "pragma user_version")
        } else if try number(db, "select count(*) \(named) = 'machines_schema'") > 0 {
            found = try number(db, "select version from machines_schema")
        } else {
            found = nil
            let isFree =
                isShared
                ? try number(db, "select count(*) \(named) in ('machines', 'machine_values')") == 0
                : try application == 0 && number(db, "pragma user_version") == 0
                    && number(db, "select count(*) from sqlite_schema") == 0
            guard isFree else { throw SQLiteFailure(.otherTables("The file belongs to another program.")) }
        }
        guard let found else { return nil }
        guard found <= version else { throw SQLiteFailure(.newerSchema(found: found, supported: version)) }
        guard found > 0 else { throw SQLiteFailure(.otherTables("Its tables have version \(found).")) }
        return found
    }

    private static func number(_ db: Database, _ sql: String) throws -> Int {
        try Int.fetchOne(db, sql: sql) ?? 0
    }
}
