import Heraclitus

extension [WorkflowProblem] {
    /// The kind and the names of each problem, such as `endlessDeadline tick`.
    package var facts: [String] { map { ([$0.kind] + $0.names).joined(separator: " ") } }
}

extension TransitionTable.Transition {
    /// Both states with an arrow between them, such as `A → B`, or `A ↻ A` for an update.
    var text: String { "\(from) \(isUpdate ? "↻" : "→") \(to)" }
}
