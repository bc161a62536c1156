/// The statements of all stores: each is one of those that every database has.
///
/// A row stays when its archive is deleted, with nulls, so that the revisions of what is stored anew go on from there. `token` is new
/// with every change; whoever lost the connection finds out by it whether a change is their own.
enum Statements {
    /// Also of what was deleted: a row that is damaged is not to look like that.
    static let load = SQLStatement(
        "select revision, workflow, state, due, archive, id_rest from machines where id = ?1 and id_hash = ?2"
    )

    /// What was deleted stays so: a server that carries this out late would bring back what another attempt saved and somebody deleted.
    static let insert = SQLStatement(
        """
        insert into machines (id, id_hash, id_rest, revision, token, workflow, state, due, archive, effects)
        values (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9) on conflict (id, id_hash) do nothing
        """
    )

    /// Stores anew what was deleted with a revision.
    static let restore = SQLStatement(
        """
        update machines set revision = revision + 1, token = ?4, workflow = ?5, state = ?6, due = ?7, archive = ?8,
        effects = ?9
        where id = ?1 and id_hash = ?2 and revision = ?3 and state is null
        """
    )

    static let replace = SQLStatement(
        """
        update machines set revision = revision + 1, token = ?4, workflow = ?5, state = ?6, due = ?7, archive = ?8,
        effects = ?9
        where id = ?1 and id_hash = ?2 and revision = ?3 and state is not null
        """
    )

    static let delete = SQLStatement(
        """
        update machines set token = ?4, workflow = null, state = null, due = null, archive = null, effects = null
        where id = ?1 and id_hash = ?2 and revision = ?3 and state is not null
        """
    )

    /// What is known of an id: also after it was deleted.
    static let last = SQLStatement("select revision, token, state from machines where id = ?1 and id_hash = ?2")

    /// Ids, with as many conditions as there are.
    static func ids(
        of workflow: String?,
        in state: String?,
        after id: StoredID? = nil,
        limit: Int? = nil
    ) -> IDQuery {
        var (sql, parameters) = ("state is not null", [SQLValue]())
        if let workflow {
            parameters.append(.text(workflow))
            sql += " and workflow = ?\(parameters.count)"
        }
        if let state {
            parameters.append(.text(state))
            sql += " and state = ?\(parameters.count)"
        }
        if let id {
            parameters += [.bytes(id.beginning), .bytes(id.rest)]
            sql += " and (id, id_rest) > (?\(parameters.count - 1), ?\(parameters.count))"
        }
        sql += " order by id, id_rest"
        if let limit {
            parameters.append(.integer(max(0, limit)))
            sql += " limit ?\(parameters.count)"
        }
        return IDQuery(condition: sql, parameters: parameters)
    }

    static func ids(dueBy due: Double, of workflow: String?) -> IDQuery {
        var (sql, parameters) = ("due <= cast(?1 as double precision)", [SQLValue.real(due)])
        if let workflow {
            parameters.append(.text(workflow))
            sql += " and workflow = ?2"
        }
        return IDQuery(condition: sql + " order by due, id, id_rest", parameters: parameters)
    }

    static func ids(withEffectsBy date: Double, of workflow: String?, limit: Int) -> IDQuery {
        var (sql, parameters) = ("effects <= cast(?1 as double precision)", [SQLValue.real(date)])
        if let workflow {
            parameters.append(.text(workflow))
            sql += " and workflow = ?2"
        }
        parameters.append(.integer(max(0, limit)))
        return IDQuery(
            condition: sql + " order by effects, id, id_rest limit ?\(parameters.count)",
            parameters: parameters
        )
    }

    /// The rows that nobody else has locked, locked.
    static func idsSkippingLocked(
        withEffectsBy date: Double,
        of workflow: String,
        limit: Int
    ) -> IDQuery {
        var query = ids(withEffectsBy: date, of: workflow, limit: limit)
        query.condition += " for update skip locked"
        return query
    }
}

extension SQLStatement {
    /// What ends a transaction, so that what it has done stays.
    package static let commit = SQLStatement("commit")

    /// What undoes a transaction.
    package static let rollback = SQLStatement("rollback")

    /// The statements that every store uses, by which a connection finds out whether the table has the columns for them.
    public static let ofStores = [
        Statements.load, Statements.insert, Statements.restore, Statements.replace, Statements.delete,
        Statements.last,
    ]
}
