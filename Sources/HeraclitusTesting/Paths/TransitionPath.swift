/// A sequence of transitions that begins in a state.
public struct TransitionPath: Hashable, Sendable {
    /// A transition of a path.
    public struct Step: Hashable, Sendable {
        /// The name of the event.
        public let event: String

        /// The name of the destination; for an update, the state that gets new data.
        public let to: String

        /// Whether the step is an update, which keeps the state and replaces its data.
        public let isUpdate: Bool
    }

    /// The name of the first state.
    public let start: String

    /// The transitions.
    public let steps: [Step]

    /// The name of the last state.
    public var end: String { steps.last?.to ?? start }
}

extension TransitionPath: CustomStringConvertible {
    /// The states with the events between them: `Idle –load→ Loading –finish→ Completed`.
    public var description: String { start + steps.map(\.description).joined() }
}

extension TransitionPath.Step: CustomStringConvertible {
    /// The event and its destination.
    public var description: String { isUpdate ? " –\(event)↻" : " –\(event)→ \(to)" }
}

/// The transitions that a set of paths has to cover.
@nonexhaustive
public enum PathCoverage: Hashable, Sendable {
    /// Every reachable transition, including updates.
    case transitions

    /// Every transition after every transition that it can follow directly, and every first transition from a start
    /// state.
    ///
    /// A state of `Workflow.states` is a start state unless other start states can reach it.
    case transitionPairs

    /// Random paths, always the same for the same seed.
    ///
    /// Each step is a random transition from the current state.
    case randomWalks(Int, length: Int, seed: UInt64)
}
