public import Heraclitus
public import HeraclitusStores

/// A workflow that counts, and each of whose states has an effect with its number: whoever compares both finds what was lost or came twice.
public struct Meter: Workflow {
    /// Its initial state.
    public static var initial: any WorkflowState { CountedState(0) }

    /// The effects of its states.
    public static var effects: [any Effect.Type] { [Reading.self] }

    /// Counts one more.
    public let count = Event(from: CountedState.self, to: CountedState.self)

    /// Makes the workflow.
    public init() {}

    /// A number that was counted to.
    public final class CountedState: WorkflowState, Effecting {
        /// The number.
        public let number: Int

        /// Makes a state.
        public init(_ number: Int) { self.number = number }

        /// The number, to be read out; nothing before anything was counted.
        public var effects: [any Effect] { number == 0 ? [] : [Reading(number: number)] }
    }

    /// A number that is to be read out.
    public struct Reading: Effect {
        /// The number.
        public let number: Int
    }
}

extension ArchiveStore {
    /// Counts one more, as a unit of work.
    /// - Returns: The number.
    public func count(_ id: String) async throws -> Int {
        try await workflow(Meter.self).update(id) { meter in
            try meter.fire.count { counted in Meter.CountedState(counted.number + 1) }
            return (meter.state as? Meter.CountedState)?.number ?? 0
        }
    }

    /// The number that was counted to.
    public func counted(_ id: String) async throws -> Int {
        (try await workflow(Meter.self).machine(id)?.machine.state as? Meter.CountedState)?.number ?? 0
    }
}
