import SQLStores

/// The tables of a store in PostgreSQL, and the version that they have.
enum PostgresTable {
    private static let version = 3

    /// The tables of this version, where there are none yet.
    ///
    /// A table that an earlier release has left half made stays as it is. The indexes refuse the tables of others.
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

    /// By this name a program of an earlier release does not find the column, and leaves effects alone that it would lose.
    private static let renaming = "alter table machines rename column effects to effects_date"

    /// What makes the tables of an earlier version those of this one; also where that is done already, or half done.
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
            // Last: who is interrupted before does it again.
            "insert into machines_schema (one, version) values (1, \(version)) on conflict (one) do nothing",
            "update machines_schema set version = \(version) where version < \(version)",
        ]

    /// Makes the tables where there are none, or checks those that are there.
    static func check(_ connection: PostgresConnection) throws {
        let found = try version(connection)
        if found == nil { for statement in tables { try connection.run(Command(statement)) } }
        if found ?? 0 < version {
            // There is nothing to rename if it is renamed, or was never there.
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

    /// The version that is there; `nil` for none.
    private static func version(_ connection: PostgresConnection) throws -> Int? {
        var version: Int?
        do {
            try connection.run(Command("select version from machines_schema")) { version = connection.integer(0) }
        } catch ConnectionFailure.refused(.otherTables) {}
        return version
    }
}
