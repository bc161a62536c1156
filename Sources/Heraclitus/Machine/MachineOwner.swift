/// An object of your own with a machine, whose events are methods of the object.
///
/// The compiler checks them like methods. If the object has a method with the name of an event, the object's method is
/// called, and the event is fired with `fire`. Within the class write `self.suspend()` or `fire.suspend()`.
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

    /// The machine, the same one at all times.
    var machine: StateMachine<MachineWorkflow> { get }
}

extension MachineOwner {
    /// An event of the machine, ready to be fired.
    /// - Parameter event: The event's property.
    public subscript<Source, Destination>(
        dynamicMember event: KeyPath<MachineWorkflow, MachineWorkflow.Event<Source, Destination>>
    ) -> FireableEvent<MachineWorkflow, Source, Destination> {
        machine.fire[dynamicMember: event]
    }

    /// The current state object.
    public var state: MachineWorkflow.AnyState { machine.state }

    /// Fires events, also those that have the name of a method.
    public var fire: Fire<MachineWorkflow> { machine.fire }

    /// Answers what a fire would do, guards included, and changes nothing: ``StateMachine/rehearse``.
    public var rehearse: Fire<MachineWorkflow> { machine.rehearse }

    /// Whether an event would be accepted by the table; guards are not asked.
    public var can: Can<MachineWorkflow> { machine.can }

    /// Whether the current state is an object of a class or of a subclass of it, or conforms to a protocol.
    /// - Parameter type: The class, or the protocol.
    /// - Returns: `true` for an object of a subclass, too.
    public func isIn<S>(_ type: S.Type) -> Bool { machine.isIn(type) }

    /// Whether the current state, a registered superclass, or a group of it has a name.
    /// - Parameter name: The name.
    /// - Returns: `false` for an unknown name, too.
    public func isIn(named name: String) -> Bool { machine.isIn(named: name) }

    /// The name of the current state.
    public var stateName: String { machine.stateName }

    /// The names of the events that lead from the current state, in the order of the definition; guards are not asked.
    public var allowedEvents: [String] { machine.allowedEvents }

    /// The names of the actions that the current state allows, in the order of the definition.
    public var allowedActions: [String] { machine.allowedActions }

    /// Every event with what a fire would do now, guards included: ``StateMachine/eventAvailability(userInfo:)``.
    /// - Parameter userInfo: Values passed to guards and carried by errors.
    /// - Returns: An answer for each event.
    public func eventAvailability(userInfo: UserInfo = [:]) -> [EventAvailability] {
        machine.eventAvailability(userInfo: userInfo)
    }

    /// Guards a method of the object: its body runs only in a state, or in a subclass of it.
    ///
    /// ```swift
    /// func goRed() throws { try inState(BlueState.self) { blue in lamp.shine(.red) } }
    /// ```
    ///
    /// It calls ``StateMachine/perform(action:in:userInfo:_:)`` with the name of the method.
    /// - Parameters:
    ///   - allowed: The state's class, or a protocol of states.
    ///   - userInfo: Values passed to observers and carried by errors.
    ///   - method: The name of the method, which the compiler fills in.
    ///   - body: Gets the state.
    /// - Returns: The body's value.
    /// - Throws: ``InvalidTransition`` in another state; the body's error.
    public func inState<S, Result>(
        _ allowed: S.Type,
        userInfo: UserInfo = [:],
        method: String = #function,
        _ body: (S) throws -> Result
    ) throws -> Result {
        // "goRed()" or "shine(_:)": the name is what stands before the parenthesis.
        let name = method.prefix { $0 != "(" }
        return try machine.perform(action: String(name), in: allowed, userInfo: userInfo, body)
    }
}
