/// The type of `machine.can`: tells for every event whether the table allows it now.
///
/// It is `true` if the event leads from the current state, or is ignored there: to fire an ignored event is not an error, and so no
/// reason to disable a button. Guards are not asked: ``StateMachine/rehearse`` asks them.
///
/// ```swift
/// machine.can.cancel
/// machine.can(event)                   // an event value
/// machine.can(named: "cancel")
/// ```
@frozen @dynamicMemberLookup
public struct Can<W: Workflow>: Sendable {
    @usableFromInline let machine: StateMachine<W>

    @inlinable
    init(machine: StateMachine<W>) { self.machine = machine }

    /// Whether the table allows an event now; guards are not asked.
    /// - Parameter event: The event's property.
    @inlinable @inline(__always)  // to where the key path is written, which is no more than a number then
    public subscript<S, D>(dynamicMember event: KeyPath<W, W.Event<S, D>>) -> Bool {
        machine.workflow.index(of: event).map { accepts($0) } ?? false
    }

    /// Whether the table allows an event now; guards are not asked.
    /// - Parameter event: The event, such as one that was decoded.
    /// - Returns: `true` if the table would not reject it.
    @inlinable
    public func callAsFunction<S, D>(_ event: W.Event<S, D>) -> Bool {
        event.slot.index.map { accepts($0) } ?? false
    }

    /// Whether the table allows an event now; guards are not asked.
    /// - Parameter name: The event's name.
    /// - Returns: `true` if the table would not reject it; `false` for an unknown name.
    public func callAsFunction(named name: String) -> Bool {
        machine.definition.eventIndex(named: name).map(accepts) ?? false
    }

    @inlinable
    func accepts(_ event: Int) -> Bool { machine.core.accepts(event, of: machine) }
}

extension MachineCore {
    /// Whether the table would not reject a fire of an event on this thread.
    @usableFromInline
    func accepts(_ event: Int, of machine: AnyObject) -> Bool {
        definition.verdict(on: event, from: expectedState(of: machine)) != .notAllowed
    }
}
