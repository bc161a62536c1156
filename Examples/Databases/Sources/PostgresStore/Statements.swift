import Foundation
import HeraclitusStores

/// The statements that a connection prepares once.
///
/// A deleted machine leaves a row of nulls, so that the revisions of a new machine with this id continue. Each save and deletion writes a new
/// `token`. After a lost connection, the token shows which change was committed. Changes of effects and claims leave the token.
///
/// All statements also run on CockroachDB and YugabyteDB.
enum Statements {
    /// The columns of a machine, in the order of reading.
    static let columns = [
        "id", "id_rest", "revision", "workflow", "version", "state", "entered", "due", "archive", "handled", "found_by",
        "effects_content", "effects_next", "effects_date", "effects_worker",
    ]

    /// Also finds deleted rows, so that a damaged row does not look deleted.
    static let load = "select \(columns.joined(separator: ", ")) from machines where id = $1 and id_hash = $2"

    /// Reads the last row of an id, also after a deletion.
    static let last = """
        select revision, token, state, found_by is not null, effects_content, effects_next, effects_date, effects_worker
        from machines where id = $1 and id_hash = $2
        """

    /// A deleted row stays deleted: a late insert would bring back a machine that another attempt saved and another user deleted.
    static let insert = """
        insert into machines (id, id_hash, id_rest, revision, token, workflow, version, state, entered, due, archive,
        handled, found_by, effects_content, effects_next, effects_date, effects_worker)
        values ($1, $2, $3, 1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
        on conflict (id, id_hash) do nothing
        """

    private static let machine = """
        update machines set revision = revision + 1, token = $4, workflow = $5, version = $6, state = $7, entered = $8,
        due = $9, archive = $10, handled = $11, found_by = $12, claimed = null
        """

    private static let effects = "effects_content = $13, effects_next = $14, effects_date = $15, effects_worker = $16"

    /// Saves a new machine over a deleted one with a known revision.
    static let restore = """
        \(machine), \(effects) where id = $1 and id_hash = $2 and revision = $3 and state is null
        """

    /// Replaces the machine and leaves its effects.
    ///
    /// The archive of an earlier release may contain effects, so the store moves them first. The last parameter is whether values change as well.
    static let replace = """
        \(machine) where id = $1 and id_hash = $2 and revision = $3 and state is not null
        and (effects_date is null or effects_content is not null) and (found_by is null or cast($13 as boolean))
        """

    static let replaceWithEffects = """
        \(machine), \(effects) where id = $1 and id_hash = $2 and revision = $3 and state is not null
        and effects_content is not distinct from $17 and effects_next is not distinct from $18
        and effects_date is not distinct from $19 and effects_worker is not distinct from $20
        and (found_by is null or cast($21 as boolean))
        """

    static let changeEffects = """
        update machines set effects_content = $3, effects_next = $4, effects_date = $5, effects_worker = $6
        where id = $1 and id_hash = $2 and state is not null
        and effects_content is not distinct from $7 and effects_next is not distinct from $8
        and effects_date is not distinct from $9 and effects_worker is not distinct from $10
        returning revision
        """

    /// Moves the effects out of the archive of an earlier release.
    static let splitEffects = """
        update machines set archive = $4, effects_content = $5, effects_next = $6, effects_date = $7, effects_worker = $8
        where id = $1 and id_hash = $2 and revision = $3
        and effects_content is null and effects_date is not distinct from $9 and effects_worker is not distinct from $10
        """

    static let delete = """
        update machines set token = $4, workflow = null, version = null, state = null, entered = null, due = null,
        claimed = null, archive = null, handled = null, found_by = null, effects_content = null, effects_next = null,
        effects_date = null, effects_worker = null
        where id = $1 and id_hash = $2 and revision = $3 and state is not null
        """

    // The commands after a save in its transaction change a row only if the save did: the row then has its token.

    private static let isSaved = "exists (select 1 from machines where id = $1 and id_hash = $2 and token = $3)"

    static let deleteValues = "delete from machine_values where id = $1 and id_hash = $2 and \(isSaved)"

    /// The fourth parameter has the names of the values to keep.
    static let deleteOtherValues = "\(deleteValues) and name <> all (cast($4 as text[]))"

    static let saveValue = """
        insert into machine_values (id, id_hash, name, text, rest, number)
        select id, id_hash, cast($4 as text), cast($5 as bytea), cast($6 as bytea), cast($7 as double precision)
        from machines where id = $1 and id_hash = $2 and token = $3
        on conflict (id, id_hash, name) do update set text = excluded.text, rest = excluded.rest, number = excluded.number
        where machine_values.text is distinct from excluded.text or machine_values.rest is distinct from excluded.rest
        or machine_values.number is distinct from excluded.number
        """
}

extension Command {
    /// Makes a command of one of ``Statements``.
    static func prepared(_ sql: String, _ parameters: [PostgresValue]) -> Command {
        Command(sql, parameters, isPrepared: true)
    }
}

extension WaitingEffects? {
    /// The columns of effects, in the order of ``Statements``.
    var values: [PostgresValue] {
        guard let self else { return [.null, .null, .null, .null] }
        return [
            .bytes(self.content), self.next.map(PostgresValue.text) ?? .null,
            .real(self.date.timeIntervalSinceReferenceDate), self.worker.map(PostgresValue.text) ?? .null,
        ]
    }
}
