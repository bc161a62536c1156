public import Heraclitus

/// Makes a state for ``exercise(_:context:samples:covering:restartingAtEveryStep:firedByHooks:except:invariants:)`` to
/// enter.
///
/// ```swift
/// let samples: [Sample<Order>] = [
///     .state(CartState(items: [book])),                       // whenever a cart is entered
///     .state { (placed: PlacedState) in PaidState(placed) },  // whenever a paid order is entered from a placed one
///     .event(\.return) { left in ReturnedState(left) }        // whenever this event is fired
/// ]
/// ```
///
/// A state may have several samples: after a guard declines the first, the exercise tries the next. Samples of events
/// come before samples of states. An `EmptyState` needs no sample.
public struct Sample<W: Workflow>: Sendable {
    /// The name of the only event that uses the sample; `nil` for every event.
    let event: String?

    /// The class of the states that the sample makes; `nil` if the type leaves it open.
    let stateClass: (any WorkflowState.Type)?

    /// Makes the state from the state being left; `nil` if the sample needs another source.
    let make: @Sendable (Any) throws -> (any WorkflowState)?

    /// A state that is entered from any state.
    /// - Parameter state: Makes the state; called for each transition.
    /// - Returns: The sample.
    public static func state<State: WorkflowState>(_ state: @escaping @autoclosure @Sendable () throws -> State) -> Self
    {
        Sample(event: nil, stateClass: State.self) { _ in try state() }
    }

    /// A state that is made from the state being left.
    /// - Parameter build: Gets the state being left if its type fits, and returns the state to enter.
    /// - Returns: The sample.
    public static func state<Source, State: WorkflowState>(
        _ build: @escaping @Sendable (Source) throws -> State
    ) -> Self {
        Sample(event: nil, stateClass: State.self) { source in try (source as? Source).map(build) }
    }

    /// A state for one event to enter.
    /// - Parameters:
    ///   - event: The event's property.
    ///   - build: Gets the state being left, and returns the state to enter.
    /// - Returns: The sample.
    public static func event<Source, Destination>(
        _ event: KeyPath<W, W.Event<Source, Destination>>,
        _ build: @escaping @Sendable (Source) throws -> Destination
    ) -> Self {
        let stateClass = Destination.self as? any WorkflowState.Type
        return Sample(event: W.events[keyPath: event].name, stateClass: stateClass) { source in
            try (source as? Source).map(build) as? any WorkflowState
        }
    }

    /// Makes the state again, for the code that a failure prints.
    /// - Parameter source: The state being left.
    /// - Returns: The state.
    /// - Throws: The closure's error; ``UnsuitableSample`` if the result is missing or of another type.
    public func callAsFunction<Destination>(_ source: Any = ()) throws -> Destination {
        guard let state = try make(source) as? Destination else {
            throw UnsuitableSample(source: "\(type(of: source))", destination: "\(Destination.self)")
        }
        return state
    }
}

/// The error of a sample that cannot make the requested type from the state being left.
public struct UnsuitableSample: Error, Equatable, CustomStringConvertible {
    /// The type of the state being left.
    public let source: String

    /// The type of the state to enter.
    public let destination: String

    /// Both types.
    public var description: String { "The sample makes no \(destination) from \(source)." }
}

extension Sample {
    /// Whether the sample may make the state for an event to enter.
    ///
    /// An event's sample has the event's declared type, and may make a subclass.
    /// - Parameters:
    ///   - state: The name of the state.
    ///   - event: The event.
    /// - Returns: `false` if the sample always makes another state.
    func mayMake(_ state: String, for event: String) -> Bool {
        guard self.event == nil || self.event == event else { return false }
        // The objects of a `DataWorkflow` share one class.
        guard let own = stateClass, let wanted = W.stateClass(named: state) else { return true }
        if self.event != nil { return superclasses(of: wanted).contains { $0 == own } }
        return own.name == state && superclasses(of: own).contains { $0 == wanted }
    }
}
