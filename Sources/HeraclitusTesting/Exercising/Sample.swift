public import Heraclitus

/// How a test makes a state for ``exercise(_:samples:covering:restartingAtEveryStep:firedByHooks:except:invariants:)`` to enter.
///
/// ```swift
/// let samples: [Sample<Order>] = [
///     .state(CartState(items: [book])),                       // whenever a cart is entered
///     .state { (placed: PlacedState) in PaidState(placed) },  // whenever a paid order is entered from a placed one
///     .event(\.return) { left in ReturnedState(left) }        // whenever this event is fired
/// ]
/// ```
///
/// Several samples may be for one state: when a guard declines the first, the next is tried. Those of events come before those of states.
/// An `EmptyState` needs none.
public struct Sample<W: Workflow>: Sendable {
    /// The name of the only event that it is for.
    let event: String?

    /// The name of the state that it makes; `nil` if only the object shows that.
    let state: String?

    /// Makes the state from the one that is left; `nil` if it does not make one from such a state.
    let make: @Sendable (Any) throws -> (any WorkflowState)?

    /// A state that is entered from any state.
    /// - Parameter state: Makes the state; called for each transition.
    /// - Returns: The sample.
    public static func state<State: WorkflowState>(_ state: @escaping @autoclosure @Sendable () throws -> State) -> Self
    {
        Sample(event: nil, state: State.name) { _ in try state() }
    }

    /// A state that is made from the one that is left.
    /// - Parameter build: Gets the state that is left, if it is of this type, and returns the state to enter.
    /// - Returns: The sample.
    public static func state<Source, State: WorkflowState>(
        _ build: @escaping @Sendable (Source) throws -> State
    ) -> Self {
        Sample(event: nil, state: State.name) { source in try (source as? Source).map(build) }
    }

    /// A state that an event enters.
    /// - Parameters:
    ///   - event: The event's property.
    ///   - build: Gets the state that is left, and returns the state to enter.
    /// - Returns: The sample.
    public static func event<Source, Destination>(
        _ event: KeyPath<W, W.Event<Source, Destination>>,
        _ build: @escaping @Sendable (Source) throws -> Destination
    ) -> Self {
        Sample(event: W.events[keyPath: event].name, state: (Destination.self as? any WorkflowState.Type)?.name) {
            source in
            try (source as? Source).map(build) as? any WorkflowState
        }
    }

    /// Makes the state again: printed traces call it.
    /// - Parameter source: The state that is left.
    /// - Returns: The state.
    /// - Throws: The closure's error; ``UnsuitableSample`` if it makes no state, or no such state, from that one.
    public func callAsFunction<Destination>(_ source: Any = ()) throws -> Destination {
        guard let state = try make(source) as? Destination else {
            throw UnsuitableSample(source: "\(type(of: source))", destination: "\(Destination.self)")
        }
        return state
    }
}

/// A sample makes no state of the type that is asked for from the state that is left.
public struct UnsuitableSample: Error, Equatable, CustomStringConvertible {
    /// The type of the state that is left.
    public let source: String

    /// The type of the state to enter.
    public let destination: String

    /// Both types.
    public var description: String { "The sample makes no \(destination) from \(source)." }
}

extension Sample {
    /// Whether it may make a state for an event to enter.
    ///
    /// One of an event is declared as the event is, and may make a subclass of that.
    /// - Parameters:
    ///   - state: The state.
    ///   - superstates: The states of which it is a subclass.
    ///   - event: The event.
    /// - Returns: `false` if it certainly makes another one.
    func mayMake(_ state: String, below superstates: [String], for event: String) -> Bool {
        if let own = self.event {
            return own == event && self.state.map { ([state] + superstates).contains($0) } ?? true
        }
        return self.state.map { $0 == state } ?? true
    }
}
