import SQLStores

/// The table of a store in PostgreSQL, and the version that it has.
///
/// No statement here or elsewhere uses more than CockroachDB and YugabyteDB have as well.
enum PostgresTable {
    private static let version = 2

    private static let definition = [
        """
        create table if not exists machines (
        id bytea not null, id_hash bytea not null, id_rest bytea not null,
        revision bigint not null check (revision > 0), token bytea not null,
        workflow text, state text, due double precision, archive bytea, effects double precision,
        primary key (id, id_hash),
        check ((workflow is null) = (state is null) and (archive is null) = (state is null))
        )
        """,
        "create index if not exists machines_by_state on machines (workflow, state, id) where state is not null",
        "create index if not exists machines_by_workflow on machines (workflow, id) where state is not null",
        "create index if not exists machines_by_due on machines (workflow, due, id) where due is not null",
        // A program that knew version 1 may have been interrupted after the first statement. The indexes above refuse the table of others.
        effectsColumn, effectsIndex,
        "create table if not exists machines_schema (one bigint primary key check (one = 1), version bigint not null)",
        // Last: who is interrupted before does it again.
        "insert into machines_schema (one, version) values (1, \(version)) on conflict (one) do nothing",
    ]

    private static let effectsColumn = "alter table machines add column if not exists effects double precision"

    private static let effectsIndex =
        "create index if not exists machines_by_effects on machines (workflow, effects, id) where effects is not null"

    /// What makes a table of each version one of the next, beginning with version 1; each may be done again by who was interrupted.
    private static let steps = [
        [
            effectsColumn, effectsIndex, "update machines_schema set version = 2 where version = 1",
        ]
    ]

    /// Makes the table where there is none, or checks the one that is there.
    static func check(_ connection: PostgresConnection) throws {
        if try found(connection) == nil {
            for statement in definition { try connection.run(SQLStatement(statement)) }
        }
        guard let found = try found(connection) else {
            throw ConnectionFailure.refused(.otherTables("The table machines_schema does not say its version."))
        }
        guard found <= version else {
            throw ConnectionFailure.refused(.newerSchema(found: found, supported: version))
        }
        for step in steps.dropFirst(max(0, found - 1)) {
            for statement in step { try connection.run(SQLStatement(statement)) }
        }
        try connection.run(
            SQLStatement(
                "select id, id_hash, id_rest, revision, token, workflow, state, due, archive, effects from machines limit 0"
            )
        )
    }

    /// The version that is there; `nil` for none.
    private static func found(_ connection: PostgresConnection) throws -> Int? {
        do {
            return try connection.row(of: SQLStatement("select version from machines_schema"), []) {
                connection.integer(0)
            }.flatMap(\.self)
        } catch ConnectionFailure.refused(.otherTables) {
            return nil
        }
    }
}
