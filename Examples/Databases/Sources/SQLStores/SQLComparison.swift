package import HeraclitusStores

extension StoredCondition {
    /// The name of the machine's value, the operator of SQL, and the value to compare with.
    package var sqlComparison: (name: String, sign: String, value: StoredValue) {
        switch self {
        case .equal(let name, let value): (name, "=", value)
        case .less(let name, let value): (name, "<", value)
        case .lessOrEqual(let name, let value): (name, "<=", value)
        case .greater(let name, let value): (name, ">", value)
        case .greaterOrEqual(let name, let value): (name, ">=", value)
        }
    }
}
