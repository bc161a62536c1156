import Heraclitus

extension [WorkflowProblem] {
    /// The kind and the names of each problem, such as `endlessDeadline tick`.
    package var facts: [String] { map { ([$0.kind] + $0.names).joined(separator: " ") } }
}
