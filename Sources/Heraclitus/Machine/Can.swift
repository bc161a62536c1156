/// The type of `machine.can`: whether the table allows an event now.
///
/// An allowed event leads from the current state, or is ignored there. Firing an ignored event is no error, so its
/// button stays enabled. Use ``StateMachine/rehearse`` to ask guards as well.
///
/// ```swift
/// machine.can.cancel
/// machine.can[named: "cancel"]
/// ```
@frozen @dynamicMemberLookup
public struct Can<W: Workflow>: Sendable {
    @usableFromInline let machine: StateMachine<W>

    @inlinable
    init(machine: StateMachine<W>) { self.machine = machine }

    /// Whether the table allows an event now, without asking guards.
    /// - Parameter event: The event's property.
    @inlinable @inline(__always)  // inlined where the key path is written, which then is only a number
    public subscript<S, D>(dynamicMember event: KeyPath<W, W.Event<S, D>>) -> Bool {
        machine.core.definition.index(of: event).map { machine.core.accepts($0, of: machine) } ?? false
    }

    /// Unavailable: without it, the compiler reports a misspelt event as a fault of its own.
    /// - Parameter name: A name that is no event's property.
    @available(*, unavailable, message: "the workflow has no property of this name with an event")
    public subscript(dynamicMember name: String) -> Bool { self[named: name] }

    /// Whether the table allows an event now, without asking guards.
    /// - Parameter name: The event's name.
    /// - Returns: `true` if the table allows or ignores it; `false` for an unknown name.
    public subscript(named name: String) -> Bool {
        machine.definition.eventIndex(named: name).map { machine.core.accepts($0, of: machine) } ?? false
    }
}

extension MachineCore {
    /// Whether the table accepts a fire of an event on this thread.
    @usableFromInline
    func accepts(_ event: Int, of machine: AnyObject) -> Bool {
        definition.verdict(on: event, from: expectedState(of: machine)) != .notAllowed
    }
}
