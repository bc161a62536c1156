public import Heraclitus

extension TransitionTable {
    /// The keys of states' data with their types.
    ///
    /// The data of a listed state has exactly these keys. The data of other states is unchecked. Each access reads the
    /// table's JSON. It leaves out wrong values, and ``problems`` names their places. ``keys(_:in:)`` adds keys.
    public var keys: [String: [String: Key]] { TableData(self).keys }

    /// The steps that convert archives of older versions, older versions first.
    ///
    /// Each access reads the table's JSON. It leaves out wrong steps, and ``problems`` names their places.
    /// ``migrating(_:)`` adds steps.
    public var migrations: [MigrationStep] { TableData(self).migrations }

    /// The table without members that workflows of data do not read.
    var withoutUnknownMembers: TransitionTable {
        var table = self
        table.others = others.filter { Self.dataMembers[$0.key] != nil }
        return table
    }
}

/// The members of a table that only workflows of data have, decoded once for each compilation.
struct TableData {
    private(set) var keys: [String: [String: TransitionTable.Key]] = [:]
    private(set) var migrations: [TransitionTable.MigrationStep] = []

    /// The problems of wrong steps, and of the first wrong key of each state.
    private(set) var problems: [WorkflowProblem] = []

    /// Whether all steps could be read.
    private(set) var hasAllSteps = true

    init(_ table: TransitionTable) {
        let states: [String: JSONValue] = read(table.others["keys"], at: "keys") ?? [:]
        for (state, json) in states.sorted(by: { $0.key < $1.key }) {
            guard let types: [String: JSONValue] = read(json, at: "keys.\(state)") else { continue }
            let known = types.compactMapValues { try? $0.decoded(as: TransitionTable.Key.self) }
            keys[state] = known
            // One problem for each state, because its name may be long.
            guard let wrong = types.keys.filter({ known[$0] == nil }).min() else { continue }
            let _: TransitionTable.Key? = read(types[wrong], at: "keys.\(state).\(wrong)")
        }
        let steps: [JSONValue]? = read(table.others["migrations"], at: "migrations")
        migrations = steps?.enumerated().compactMap { read($1, at: "migrations[\($0)]") } ?? []
        hasAllSteps = table.others["migrations"] == nil || migrations.count == steps?.count
    }

    /// A typed value; `nil` for a missing one, and for a wrong one, which is a problem.
    private mutating func read<T: Decodable>(_ json: JSONValue?, at place: String) -> T? {
        do { return try json?.decoded(as: T.self) } catch {
            let inner = ArchiveError.path(of: error, else: [])
            let path = inner.isEmpty ? place : "\(place).\(inner)"
            let text = "The table is wrong at \(path.shortened): \(ArchiveError.explanation(of: error))"
            problems.append(WorkflowProblem("malformedTable", [path], "\(text) Correct this value."))
            return nil
        }
    }
}
