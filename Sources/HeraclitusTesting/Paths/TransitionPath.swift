/// Transitions of a workflow one after the other, beginning in a state.
public struct TransitionPath: Hashable, Sendable {
    /// A transition of a path.
    public struct Step: Hashable, Sendable {
        /// The name of the event.
        public let event: String

        /// The name of the state that is entered; of an update, the state that gets new data.
        public let to: String

        /// Whether the state is not left and only gets new data.
        public let isUpdate: Bool
    }

    /// The name of the state that the path begins in.
    public let start: String

    /// The transitions.
    public let steps: [Step]

    /// The name of the state that the path ends in.
    public var end: String { steps.last?.to ?? start }
}

extension TransitionPath: CustomStringConvertible {
    /// The states with the events between them: `Idle –load→ Loading –finish→ Completed`.
    public var description: String { start + steps.map(\.description).joined() }
}

extension TransitionPath.Step: CustomStringConvertible {
    /// The event and the state that it leads to.
    public var description: String { isUpdate ? " –\(event)↻" : " –\(event)→ \(to)" }
}

/// What a set of paths is to go through.
@nonexhaustive
public enum PathCoverage: Hashable, Sendable {
    /// Every transition that a machine can come to, updates too.
    case transitions

    /// Every transition after every other one that it can follow directly, and every first transition of a machine that begins where
    /// paths begin.
    ///
    /// A state that `Workflow.states` lists and that other beginnings lead to is no such beginning.
    case transitionPairs

    /// Paths that are drawn by lot, the same for the same seed: each transition is one of those that lead from the state.
    case randomWalks(Int, length: Int, seed: UInt64)
}
