/// A custom object with a machine, whose events are methods of the object, and whose properties are the machine's.
///
/// The compiler checks events like methods. If the object has a method with the name of an event, the method is called,
/// and `fire` fires the event. Within the class write `self.suspend()` or `machine.fire.suspend()`.
///
/// ```swift
/// final class Subscription: MachineOwner {
///     let machine = StateMachine<SubscriptionLife>()
///
///     /// A method that is allowed in one state.
///     func remind() throws { try machine.perform(in: SuspendedState.self) { suspended in … } }
/// }
///
/// try subscription.suspend()
/// subscription.can.suspend
/// subscription.stateName
/// subscription.machine.isIn(SuspendedState.self)
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

    /// A property of the machine, such as ``StateMachine/state``, ``StateMachine/fire`` or ``StateMachine/can``.
    ///
    /// `fire` also fires events with the name of a method.
    /// - Parameter property: The property.
    public subscript<Value>(dynamicMember property: KeyPath<StateMachine<MachineWorkflow>, Value>) -> Value {
        machine[keyPath: property]
    }
}
