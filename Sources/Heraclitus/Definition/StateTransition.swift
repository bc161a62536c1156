/// One step of a machine from a state to a state, as callbacks get it.
///
/// On activation there is no event and no source: the machine enters, or is restored in, its destination.
public struct StateTransition: Sendable {
    /// The name of the event that was fired; `nil` on activation.
    public let event: String?

    /// Whether the state is not left but gets new data.
    public let isUpdate: Bool

    /// What the caller of `fire` passed along.
    public let userInfo: UserInfo

    // Objects and no existentials, because every transition makes one of these and hardly any callback asks for both.
    // Unsafe is only the compiler's view: these two are state objects and the third is a machine, all Sendable.
    nonisolated(unsafe) let sourceObject: AnyObject?
    nonisolated(unsafe) let destinationObject: AnyObject
    nonisolated(unsafe) let machine: AnyObject

    @usableFromInline
    init(
        event: String?,
        isUpdate: Bool,
        userInfo: UserInfo,
        sourceObject: AnyObject?,
        destinationObject: AnyObject,
        machine: AnyObject
    ) {
        self.event = event
        self.isUpdate = isUpdate
        self.userInfo = userInfo
        self.sourceObject = sourceObject
        self.destinationObject = destinationObject
        self.machine = machine
    }

    /// The state that is left, or the old data of one that is updated; `nil` on activation.
    public var source: (any WorkflowState)? { sourceObject.map(Self.state) }

    /// The state that is entered, or the new data of one that is updated.
    public var destination: any WorkflowState { Self.state(destinationObject) }

    private static func state(_ object: AnyObject) -> any WorkflowState {
        guard let state = object as? any WorkflowState else {
            preconditionFailure("Only state objects are ever put into a transition.")
        }
        return state
    }
}

extension StateTransition: CustomStringConvertible {
    /// The event and the names of both states: `load: IdleState → LoadingState`.
    public var description: String {
        let destination = type(of: destination).name
        guard let event, let source else { return "→ \(destination)" }
        return "\(event): \(type(of: source).name) → \(destination)"
    }
}
