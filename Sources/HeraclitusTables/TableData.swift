public import Heraclitus

extension TransitionTable {
    /// The keys of states' data with their types.
    ///
    /// The data of a listed state has exactly these keys. The data of other states is unchecked. Each access reads or
    /// writes the table's JSON: wrong JSON reads as no keys, and ``problems`` names its place.
    public var keys: [String: [String: Key]] {
        get { (try? others["keys"]?.decoded(as: [String: [String: Key]].self)) ?? [:] }
        set {
            let keys = newValue.mapValues { JSONValue.object($0.mapValues { .string($0.description) }) }
            others["keys"] = keys.isEmpty ? nil : .object(keys)
        }
    }

    /// The steps that convert archives of older versions, older versions first.
    ///
    /// Each access reads or writes the table's JSON: wrong JSON reads as no steps, and ``problems`` names its place.
    public var migrations: [MigrationStep] {
        get { (try? others["migrations"]?.decoded(as: [MigrationStep].self)) ?? [] }
        set { others["migrations"] = newValue.isEmpty ? nil : .array(newValue.map(\.json)) }
    }
}

/// The members of a table that only workflows of data have, decoded once for each compilation.
struct TableData: Decodable {
    var keys: [String: [String: TransitionTable.Key]]?
    var migrations: [TransitionTable.MigrationStep]?
}
