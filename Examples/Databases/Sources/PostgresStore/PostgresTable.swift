import SQLStores

/// The tables of a store in PostgreSQL, and their version.
enum PostgresTable {
    private static let version = 3

    /// Creates the tables of this version.
    ///
    /// The statements continue a half-made table of an earlier release. The indexes fail on tables of another program.
    private static let tables = [
        """
        create table if not exists machines (
        id bytea not null, id_hash bytea not null, id_rest bytea not null,
        revision bigint not null check (revision > 0), token bytea not null,
        workflow text, version bigint, state text, entered double precision,
        due double precision, claimed double precision, archive bytea, handled bytea, found_by bytea,
        effects_content bytea, effects_next text, effects_date double precision, effects_worker text,
        primary key (id, id_hash),
        check ((workflow is null) = (state is null) and (archive is null) = (state is null))
        )
        """,
        "create index if not exists machines_by_state on machines (workflow, state, id) where state is not null",
        "create index if not exists machines_by_workflow on machines (workflow, id) where state is not null",
        "create index if not exists machines_by_due on machines (workflow, due, id) where due is not null",
    ]

    /// The new name hides the column from programs of an earlier release, which would lose effects in it.
    private static let renaming = "alter table machines rename column effects to effects_date"

    /// Upgrades the tables of an earlier version.
    ///
    /// Each statement may be repeated.
    private static let additions =
        [
            "effects_date double precision", "version bigint", "entered double precision", "claimed double precision",
            "handled bytea", "found_by bytea", "effects_content bytea", "effects_next text", "effects_worker text",
        ].map { "alter table machines add column if not exists \($0)" } + [
            """
            create index if not exists machines_by_effects on machines (workflow, effects_date, id)
            where effects_date is not null
            """,
            "create index if not exists machines_by_entry on machines (workflow, state, entered, id) where state is not null",
            """
            create table if not exists machine_values (
            id bytea not null, id_hash bytea not null, name text not null,
            text bytea, rest bytea, number double precision, primary key (id, id_hash, name)
            )
            """,
            "create index if not exists machine_values_by_text on machine_values (name, text)",
            "create index if not exists machine_values_by_number on machine_values (name, number)",
            "create table if not exists machines_schema (one bigint primary key check (one = 1), version bigint not null)",
            // The last step: an interrupted upgrade starts again.
            "insert into machines_schema (one, version) values (1, \(version)) on conflict (one) do nothing",
            "update machines_schema set version = \(version) where version < \(version)",
        ]

    /// Makes missing tables, and checks existing ones.
    static func check(_ connection: PostgresConnection) throws {
        let found = try version(connection)
        if found == nil { for statement in tables { try connection.run(Command(statement)) } }
        if found ?? 0 < version {
            // The rename fails if an earlier attempt renamed the column, or if the column never existed.
            do { try connection.run(Command(renaming)) } catch ConnectionFailure.refused(.otherTables) {}
            for statement in additions { try connection.run(Command(statement)) }
        }
        guard let found = try version(connection) else {
            throw ConnectionFailure.refused(.otherTables("The table machines_schema does not say its version."))
        }
        guard found <= version else {
            throw ConnectionFailure.refused(.newerSchema(found: found, supported: version))
        }
        let columns = Statements.columns.joined(separator: ", ")
        try connection.run(Command("select \(columns), id_hash, token, claimed from machines limit 0"))
        try connection.run(Command("select id, id_hash, name, text, rest, number from machine_values limit 0"))
    }

    /// The version of the tables; `nil` if they are missing.
    private static func version(_ connection: PostgresConnection) throws -> Int? {
        var version: Int?
        do {
            try connection.run(Command("select version from machines_schema")) { version = connection.integer(0) }
        } catch ConnectionFailure.refused(.otherTables) {}
        return version
    }
}
