import SQLStores

/// The table of a store in SQLite, and the version that it has.
enum SQLiteTable {
    /// The version of the table, in `user_version`.
    private static let version = 2

    /// "Hera": whose file it is, in `application_id`.
    private static let application = 0x4865_7261

    private static let definition = [
        """
        create table machines (
        id blob not null, id_hash blob not null, id_rest blob not null,
        revision integer not null check (revision > 0), token blob not null,
        workflow text, state text, due real, archive blob, effects real,
        primary key (id, id_hash),
        check ((workflow is null) = (state is null) and (archive is null) = (state is null))
        ) strict
        """,
        "create index machines_by_state on machines (workflow, state, id, id_rest) where state is not null",
        "create index machines_by_workflow on machines (workflow, id, id_rest) where state is not null",
        "create index machines_by_due on machines (workflow, due, id, id_rest) where due is not null",
        effectsIndex,
        "pragma application_id = \(application)",
        "pragma user_version = \(version)",
    ]

    private static let effectsIndex =
        "create index machines_by_effects on machines (workflow, effects, id, id_rest) where effects is not null"

    /// What makes a table of each version one of the next, beginning with version 1.
    private static let steps = [
        ["alter table machines add column effects real", effectsIndex, "pragma user_version = 2"]
    ]

    /// Makes the table in an empty file if that is wanted, or checks the one that is there.
    static func check(_ connection: SQLiteConnection, makes: Bool) throws {
        // What is there at one moment.
        let mustBeMade = try connection.transaction { try !isThere(connection) }
        guard makes || !mustBeMade else {
            throw ConnectionFailure.refused(.otherTables("Its table was there when the store was made, and is gone."))
        }
        // Not before it is known whose file it is.
        try connection.useLog()
        if mustBeMade {
            // At once for writing: who only reads yet is not let wait for others who write.
            try connection.transaction(beginning: SQLStatement("begin immediate")) {
                // Somebody else may have been faster.
                if try isThere(connection) { return }
                for statement in definition { try connection.run(SQLStatement(statement)) }
            }
        }
        if try connection.number(SQLStatement("pragma user_version")) < version {
            try connection.transaction(beginning: SQLStatement("begin immediate")) {
                for step in steps.dropFirst(max(0, try connection.number(SQLStatement("pragma user_version")) - 1)) {
                    for statement in step { try connection.run(SQLStatement(statement)) }
                }
            }
        }
        for statement in SQLStatement.ofStores { try connection.prepare(statement) }
    }

    private static func isThere(_ connection: SQLiteConnection) throws -> Bool {
        let found = try connection.number(SQLStatement("pragma user_version"))
        let application = try connection.number(SQLStatement("pragma application_id"))
        if application == Self.application {
            guard found <= version else {
                throw ConnectionFailure.refused(.newerSchema(found: found, supported: version))
            }
            return true
        }
        let tables = try connection.number(SQLStatement("select count(*) from sqlite_schema"))
        guard application == 0, found == 0, tables == 0 else {
            throw ConnectionFailure.refused(.otherTables("It is the file of another program."))
        }
        return false
    }
}
