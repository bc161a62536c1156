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

    /// What the caller passed along.
    public let userInfo: UserInfo
}

/// What was said with ``StateMachine/announce(_:userInfo:)``.
public struct Announcement: Sendable {
    /// Its name.
    public let name: String

    /// The state in which the machine was.
    public let state: any WorkflowState

    /// What the caller passed along.
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

extension StateMachine {
    /// Adds a closure that is called last of all with everything that happens: transitions, refusals, actions, announcements.
    ///
    /// It is called on the thread that fired, in the machine's turn and in one order for all: of a transition after the hooks;
    /// of the rest when everyone has been called who hears of the transition under way, before the fire throws or returns. It
    /// may fire the machine. Activation and ignored events are none of these.
    ///
    /// Where waiting for the turn would never end, as for ``InvalidTransition/Reason-swift.enum/deadlock``, a refusal or an
    /// announcement is told without it, on the thread that would have waited. Of what observers themselves cause to be told
    /// while they are told something, ``chainLimit`` occurrences in one turn are.
    /// - Parameter body: Gets what happened.
    /// - Returns: What keeps the closure there; it is cancelled when that is dropped.
    public func observe(_ body: @escaping @Sendable (Occurrence) -> Void) -> Registration {
        core.hooks.add(observer: body)
    }

    /// Tells observers something of the program's own, in turn with the transitions.
    ///
    /// Inside a callback of this machine it is told when everyone has been called. The machine is activated first, as by a
    /// fire. It costs nothing where nobody observes.
    /// - Parameters:
    ///   - name: Its name.
    ///   - userInfo: What observers get.
    public func announce(_ name: String, userInfo: UserInfo = [:]) {
        activate()
        core.tell(.announced(Announcement(name: name, state: currentState, userInfo: userInfo)), of: self)
    }

    /// The current state, as any workflow's.
    var currentState: any WorkflowState {
        let moment = core.moment
        return definition.state(moment.standing.index).pointee.typed(moment.state)
    }
}
