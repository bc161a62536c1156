/// Something that a machine tells those who observe it: one of the four ways in which what was asked of it may end, or what
/// somebody announces.
public enum Occurrence: Sendable {
    /// A transition was made.
    case transitioned(StateTransition)

    /// A fire was refused; its caller gets this error.
    case rejected(InvalidTransition)

    /// An action was carried out in a state that allows it.
    case performed(PerformedAction)

    /// An action was not carried out, or failed; its caller gets this error, or the one that it failed with.
    case refused(InvalidAction)

    /// Something that the program says of itself through the machine.
    case announced(Announcement)
}

/// An action that was carried out with ``StateMachine/perform(action:in:userInfo:_:)``.
public struct PerformedAction: Sendable {
    /// The name of the action.
    public let name: String

    /// The state in which it was carried out.
    public let state: any WorkflowState

    /// The values that the caller passed.
    public let userInfo: UserInfo
}

/// What was said with ``StateMachine/announce(_:userInfo:)``.
public struct Announcement: Sendable {
    /// Its name.
    public let name: String

    /// The state in which the machine was.
    public let state: any WorkflowState

    /// The values that the caller passed.
    public let userInfo: UserInfo
}

extension Occurrence: CustomStringConvertible {
    /// One line that says what happened.
    public var description: String {
        switch self {
        case .transitioned(let transition): "\(transition)"
        case .rejected(let error): "\(error)"
        case .performed(let action): "\"\(action.name)\" performed in \(type(of: action.state).name)"
        case .refused(let error): "\(error)"
        case .announced(let announcement):
            "\"\(announcement.name)\" announced in \(type(of: announcement.state).name)"
        }
    }
}
