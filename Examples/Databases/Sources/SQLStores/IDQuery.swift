/// A query for ids.
struct IDQuery {
    /// What follows `where`.
    var condition: String
    var parameters: [SQLValue]

    /// The ids without what is behind the index of long ones.
    fileprivate var beginnings: SQLStatement { SQLStatement("select id from machines where \(condition)") }

    /// The whole ids.
    fileprivate var ids: SQLStatement { SQLStatement("select id, id_rest from machines where \(condition)") }
}

extension SQLConnection {
    /// Finds ids.
    ///
    /// A damaged row is left out: whoever loads it finds it, and here it would hide all others.
    /// - Returns: The ids, and the number of rows in which the database found them.
    func ids(_ query: IDQuery) throws -> (ids: [String], rows: Int) {
        try shortIDs(query) ?? wholeIDs(query)
    }

    /// Finds ids that stand in one column, as almost all do; `nil` if one of them does not.
    ///
    /// It saves the time in which the database reads the other column.
    private func shortIDs(_ query: IDQuery) throws -> (ids: [String], rows: Int)? {
        var (ids, rows, areShort) = ([String](), 0, true)
        try forEachRow(of: query.beginnings, query.parameters) {
            rows += 1
            if let id = text(0), id.utf8.count < StoredID.indexed {
                ids.append(id)
            } else if (bytes(0)?.count ?? 0) >= StoredID.indexed {
                areShort = false
            }
        }
        return areShort ? (ids, rows) : nil
    }

    private func wholeIDs(_ query: IDQuery) throws -> (ids: [String], rows: Int) {
        var (ids, rows) = ([String](), 0)
        try forEachRow(of: query.ids, query.parameters) {
            rows += 1
            if let id = StoredID.text(self, beginning: 0, rest: 1) { ids.append(id) }
        }
        return (ids, rows)
    }
}
