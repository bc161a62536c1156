/// Values passed to callbacks: the event, both states, the user info and the machine of a transition.
///
/// On activation there is no event and no source: the machine enters, or is restored in, its destination.
public struct StateTransition: Sendable {
    /// What a transition is, but for its objects.
    struct Terms: Sendable {
        let eventName: Immortal<String>?
        let eventIndex: Int
        let isUpdate: Bool
        let source: (any WorkflowState.Type)?
        let destination: any WorkflowState.Type

        /// The same for a state that is left together with the source.
        func leaving(_ state: any WorkflowState.Type) -> Terms {
            Terms(
                eventName: eventName,
                eventIndex: eventIndex,
                isUpdate: false,
                source: state,
                destination: destination
            )
        }
    }

    let objects: LentObjects<Terms>

    @inline(__always)
    init(_ objects: LentObjects<Terms>) { self.objects = objects }

    /// Whether the transition is an update: the state gets new data and is not left.
    public var isUpdate: Bool { objects.terms.isUpdate }

    /// The name of the event that was fired; `nil` on activation.
    public var event: String? { objects.terms.eventName?.value }

    /// The values that the caller of `fire` passed.
    public var userInfo: UserInfo { lentUserInfo.withoutCause }

    /// The same with why the event has fired by itself, if it has.
    var lentUserInfo: UserInfo { UserInfo(storedIn: objects.userInfo) }

    /// The state that is left, or the old data of one that is updated; `nil` on activation.
    public var source: (any WorkflowState)? {
        guard let type = objects.terms.source, let source = objects.source else { return nil }
        return type.typed(source)
    }

    /// The state that is entered, or the new data of one that is updated.
    public var destination: any WorkflowState { objects.terms.destination.typed(objects.destination) }

    var sourceObject: AnyObject? { objects.source }

    var sourceName: String? { objects.terms.source?.name }

    var destinationName: String { objects.terms.destination.name }

    var destinationObject: AnyObject { objects.destination }

    /// The machine that makes it; `nil` if it is gone, for a transition that does not keep it.
    var machine: AnyObject? { objects.machine }

    /// The same for somebody who reads it later, and by then is not to have kept the machine alive.
    func forLater(keeping context: GivenContext?) -> StateTransition {
        StateTransition(objects.forLater(keeping: context?.object))
    }
}

extension StateTransition: CustomStringConvertible {
    /// The event and the names of both states: `load: IdleState → LoadingState`.
    public var description: String {
        let destination = objects.terms.destination.name
        guard let event, let source = objects.terms.source else { return "→ \(destination)" }
        return "\(event): \(source.name) → \(destination)"
    }
}

extension WorkflowState {
    /// An object that is known to be one of this class, without asking which protocols it conforms to.
    static func typed(_ object: consuming AnyObject) -> any WorkflowState {
        guard let state = object as? Self else {
            preconditionFailure("The object of a state is of the class that it was found to have.")
        }
        return state
    }
}
