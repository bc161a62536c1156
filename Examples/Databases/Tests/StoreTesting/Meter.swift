public import Heraclitus
public import HeraclitusStores

/// A counting workflow whose states each have an effect with the number.
///
/// A comparison of both shows lost and repeated numbers.
public struct Meter: Workflow {
    /// Its initial state.
    public static var initial: any WorkflowState { CountedState(0) }

    /// The effects of its states.
    public static var effects: [any Effect.Type] { [Reading.self] }

    /// Counts up.
    public let count = Event(from: CountedState.self, to: CountedState.self)

    /// Makes the workflow.
    public init() {}

    /// A counted number.
    public final class CountedState: WorkflowState, Effecting {
        /// The number.
        public let number: Int

        /// Makes a state.
        public init(_ number: Int) { self.number = number }

        /// The effect of the number; none for the number 0.
        public var effects: [any Effect] { number == 0 ? [] : [Reading(number: number)] }
    }

    /// An effect that reads out a number.
    public struct Reading: Effect {
        /// The number.
        public let number: Int
    }
}

extension ArchiveStore {
    /// Counts up in a unit of work.
    /// - Returns: The number.
    public func count(_ id: String) async throws -> Int {
        try await workflow(Meter.self).update(id) { meter in
            try meter.fire.count { counted in Meter.CountedState(counted.number + 1) }
            return (meter.state as? Meter.CountedState)?.number ?? 0
        }
    }

    /// The counted number.
    public func counted(_ id: String) async throws -> Int {
        (try await workflow(Meter.self).machine(id)?.machine.state as? Meter.CountedState)?.number ?? 0
    }
}
