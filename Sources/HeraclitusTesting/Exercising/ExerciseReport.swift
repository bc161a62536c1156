public import Heraclitus

/// The counts and the untried transitions of one
/// ``exercise(_:context:samples:covering:restartingAtEveryStep:firedByHooks:except:invariants:)``.
public struct ExerciseReport: Sendable {
    /// A transition of the table that was never carried out.
    public struct Untried: Hashable, Sendable {
        /// The name of the event.
        public let event: String

        /// The source and the destination.
        public let transition: TransitionTable.Transition

        /// The reason: a guard's error, or that every machine missed the state.
        public let reason: String
    }

    /// The number of machines that were started.
    public internal(set) var machines = 0

    /// The number of transitions carried out, besides those of hooks.
    public internal(set) var steps = 0

    /// The number of times that a machine was archived and restored.
    public internal(set) var restarts = 0

    /// The transitions of the table that were never carried out, in the order of the definition.
    public internal(set) var untried: [Untried] = []

    /// The transitions of machines in states that were carried out in none of the states.
    ///
    /// Each event has the path of properties to its machine: `payment.receive`.
    public internal(set) var untriedInRegions: [Untried] = []
}

extension ExerciseReport.Untried {
    /// Without a reason, every machine missed the state.
    init(_ transition: ExercisedTransition, because reason: String?) {
        event = (transition.path.map(\.name) + [transition.event]).joined(separator: ".")
        self.transition = transition.states
        self.reason = reason ?? "no machine fired it in \(transition.from)"
    }
}

extension ExerciseReport.Untried: CustomStringConvertible {
    /// The event, the states and the reason.
    public var description: String {
        let arrow = transition.isUpdate ? "↻" : "→"
        return "\(event): \(transition.from) \(arrow) \(transition.to): \(reason)"
    }
}

extension ExerciseReport: CustomStringConvertible {
    /// The numbers, and a line for each transition that was never carried out.
    public var description: String {
        (["\(steps) steps of \(machines) machines, which were restored \(restarts) times"]
            + (untried.isEmpty ? [] : ["never carried out:"]) + untried.map { "  \($0)" }
            + (untriedInRegions.isEmpty ? [] : ["never carried out in regions:"])
            + untriedInRegions.map { "  \($0)" }).joined(separator: "\n")
    }
}
