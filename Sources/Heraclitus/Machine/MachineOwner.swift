/// A custom object with a machine, whose events are methods of the object.
///
/// The compiler checks events like methods. If the object has a method with the name of an event, the method is called,
/// and `fire` fires the event. Within the class write `self.suspend()` or `fire.suspend()`.
///
/// ```swift
/// final class Subscription: MachineOwner {
///     let machine = StateMachine<SubscriptionLife>()
/// }
///
/// try subscription.suspend()
/// subscription.can.suspend
/// subscription.isIn(SuspendedState.self)
/// try subscription.fire.suspend()
/// ```
@dynamicMemberLookup
public protocol MachineOwner {
    /// The workflow of the machine; inferred from ``machine``.
    associatedtype MachineWorkflow: Workflow

    /// The machine, always the same one.
    var machine: StateMachine<MachineWorkflow> { get }
}

extension MachineOwner {
    /// An event of the machine.
    /// - Parameter event: The event's property.
    public subscript<Source, Destination>(
        dynamicMember event: KeyPath<MachineWorkflow, MachineWorkflow.Event<Source, Destination>>
    ) -> FireableEvent<MachineWorkflow, Source, Destination> {
        machine.fire[dynamicMember: event]
    }

    /// The current state object.
    public var state: MachineWorkflow.AnyState { machine.state }

    /// Fires events, also events with the name of a method.
    public var fire: Fire<MachineWorkflow> { machine.fire }

    /// Whether the table allows an event, without asking guards.
    public var can: Can<MachineWorkflow> { machine.can }

    /// Whether the current state is an object of a class or its subclass, or conforms to a protocol.
    /// - Parameter type: The class, or the protocol.
    /// - Returns: `true` also for an object of a subclass.
    public func isIn<S>(_ type: S.Type) -> Bool { machine.isIn(type) }

    /// The name of the current state.
    public var stateName: String { machine.stateName }

    /// Guards a method of the object: its body runs only in a state or its subclass.
    ///
    /// ```swift
    /// func goRed() throws { try inState(BlueState.self) { blue in lamp.shine(.red) } }
    /// ```
    ///
    /// It calls ``StateMachine/perform(action:in:userInfo:_:)`` with the name of the method.
    /// - Parameters:
    ///   - allowed: The state's class, or a protocol of states.
    ///   - userInfo: Values passed to observers and carried by errors.
    ///   - method: The name of the method, filled in by the compiler.
    ///   - body: Gets the state.
    /// - Returns: The body's value.
    /// - Throws: ``InvalidTransition`` in another state; the body's error.
    public func inState<S, Result>(
        _ allowed: S.Type,
        userInfo: UserInfo = [:],
        method: String = #function,
        _ body: (S) throws -> Result
    ) throws -> Result {
        // The name is the text before the parenthesis of "goRed()" or "shine(_:)".
        let name = method.prefix { $0 != "(" }
        return try machine.perform(action: String(name), in: allowed, userInfo: userInfo, body)
    }

    /// Whether the current state is in a group, which the workflow declares as a static property:
    /// `download.is.loading`.
    public var `is`: StateQuery<MachineWorkflow> { machine.is }
}
