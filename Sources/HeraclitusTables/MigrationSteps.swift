// Carries out the steps of a table.

import Heraclitus

extension TransitionTable.MigrationStep {
    /// The step of a workflow's definition.
    var migration: Migration {
        switch change {
        case .renameState(let old, let new), .removeState(let old, let new): .state(old, becomes: new, in: version)
        case .renameKey(let old, let new, let state):
            Self.step("rename the key \(old) to \(new)", version, state) { data in
                guard let value = data[old], data[new] == nil else { return }
                data[old] = nil
                data[new] = value
            }
        case .setKey(let key, let value, let state):
            Self.step("set the key \(key)", version, state) { data in if data[key] == nil { data[key] = value } }
        case .removeKey(let key, let state): Self.step("remove the key \(key)", version, state) { $0[key] = nil }
        case .renameEffect(let old, let new): .effect(old, becomes: new, in: version)
        case .unchanged: .unchanged(in: version)
        }
    }

    private static func step(
        _ name: String,
        _ version: Int,
        _ state: String?,
        _ change: @escaping @Sendable (inout JSONValue) -> Void
    ) -> Migration {
        guard let state else { return .step(name, in: version) { change(&$0.data) } }
        return .step("\(name) of \(state)", in: version, of: state) { change(&$0.data) }
    }
}
