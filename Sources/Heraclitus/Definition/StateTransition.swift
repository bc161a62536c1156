/// One step of a machine from a state to a state, as callbacks get it.
///
/// On activation there is no event and no source: the machine enters, or is restored in, its destination.
public struct StateTransition: Sendable {
    @usableFromInline let record: TransitionRecord

    init(_ record: TransitionRecord) { self.record = record }

    /// The name of the event that was fired; `nil` on activation.
    public var event: String? { record.content.event?.pointee.name }

    /// Whether the state is not left but gets new data.
    public var isUpdate: Bool { record.content.isUpdate }

    /// What the caller of `fire` passed along.
    public var userInfo: UserInfo { UserInfo(record.content.userInfo?.takeUnretainedValue()) }

    /// The state that is left, or the old data of one that is updated; `nil` on activation.
    public var source: (any WorkflowState)? {
        guard let source = record.content.source, let state = record.content.sourceState else { return nil }
        return state.pointee.typed(source.takeUnretainedValue())
    }

    /// The state that is entered, or the new data of one that is updated.
    public var destination: any WorkflowState {
        record.content.destinationState.pointee.typed(destinationObject)
    }

    var sourceObject: AnyObject? { record.content.source?.takeUnretainedValue() }

    var destinationObject: AnyObject { record.content.destination.takeUnretainedValue() }

    var machine: AnyObject? { record.machine }

    /// The same for somebody who reads it later, and by then is not to have kept the machine alive.
    var forLater: StateTransition { StateTransition(TransitionRecord(reading: record)) }
}

extension StateTransition: CustomStringConvertible {
    /// The event and the names of both states: `load: IdleState → LoadingState`.
    public var description: String {
        let destination = record.content.destinationState.pointee.name
        guard let event, let source = record.content.sourceState?.pointee.name else { return "→ \(destination)" }
        return "\(event): \(source) → \(destination)"
    }
}
