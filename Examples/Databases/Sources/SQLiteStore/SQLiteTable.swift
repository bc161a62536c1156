import Foundation
import GRDB
import SQLStores

/// The tables of a store in SQLite, and the version that they have.
///
/// In a file of the store's own the version is in `user_version`, and `application_id` says whose file it is. In a database of the user's it is in the
/// table `machines_schema`.
enum SQLiteTable {
    /// The version that this store makes and uses.
    static let version = 3

    /// "Hera": whose file it is, in `application_id`.
    private static let application = 0x4865_7261

    /// A row stays when its machine is deleted, with nulls, so that the revisions of what is stored anew go on from there.
    ///
    /// The columns that are compared come before those that are large.
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
    /// A claim needs no column that is not in its index.
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

    /// What makes tables of each version those of the next, beginning with version 1.
    private static let steps = [
        ["alter table machines add column effects real"],
        // A new table and not more columns: programs of version 2 would drop effects that they do not know, and leave the machines alone now.
        ["alter table machines rename to machines_2"] + tables + [
            // A damaged row is moved as it is; whoever loads it is told.
            "pragma ignore_check_constraints = on",
            """
            insert into machines (id, revision, workflow, state, due, effects_date, valued, archive)
            select cast(id || id_rest as blob), revision, workflow, state, due, effects, 0, archive from machines_2
            """,
            "pragma ignore_check_constraints = off",
            "drop table machines_2",
        ] + indexes,
    ]

    /// Makes the tables that are missing, or brings those of an earlier version up to date.
    static func make(_ db: Database, isShared: Bool) throws {
        if try version(in: db, isShared: isShared) == version { return try SQLiteTransaction(db: db).check() }
        try db.inTransaction(.immediate) {
            // Somebody else may have been faster.
            let found = try Self.version(in: db, isShared: isShared)
            if found == version { return .commit }
            let statements = found.map { steps[($0 - 1)...].flatMap(\.self) } ?? tables + indexes
            for statement in statements { try db.execute(sql: statement) }
            if found != nil { try splitOutboxes(db) }
            try mark(db, isShared: isShared)
            return .commit
        }
    }

    /// Takes effects out of the archives, where earlier releases have kept them.
    ///
    /// Effects that cannot be read stay there, and whoever loads the machine is told.
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

    /// Finds the version of the tables, and refuses a file of others.
    /// - Returns: The version; `nil` if there are no tables yet, and they may be made.
    static func version(in db: Database, isShared: Bool) throws -> Int? {
        if db.isInsideTransaction { return try versionNow(in: db, isShared: isShared) }
        // At one moment: another program may make the tables between two statements.
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
            guard isFree else { throw SQLiteFailure(.otherTables("It is the file of another program.")) }
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
