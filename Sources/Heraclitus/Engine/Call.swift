// For which call does something happen?
import HeraclitusEssentials

/// One call of a machine: which machine, on which thread, and the values that the caller passed.
struct Call: ~Copyable {
    private let callers: CallersMachine

    /// The machine, for the state of its thread.
    let id: ObjectIdentifier

    /// The values that the caller passed, with the cause of an event that fires by itself.
    let fullUserInfo: UserInfo
    let thread: CurrentThread<ThreadState>

    @inline(__always)
    init(_ machine: any TreeMachine, _ userInfo: UserInfo = UserInfo()) {
        callers = CallersMachine(machine)
        id = ObjectIdentifier(machine)
        fullUserInfo = userInfo
        thread = ThreadState.ofThreads.current
    }

    var machine: any TreeMachine {
        @inline(__always) get { callers.machine }
    }

    /// The values that the caller passed, for users, who may pass them on.
    var userInfo: UserInfo { fullUserInfo.withoutCause }

    /// Asks the turn of the machine.
    @inline(__always)
    func turn<Result>(_ body: (inout MachineTurn) -> Result) -> Result { thread.content.withTurn(of: id, body) }

    /// Keeps an object until the machine has been released.
    @inline(__always)
    func retire(_ object: consuming OwnedObject) { thread.content.retire(object, of: id) }
}

/// What a call wants of a machine.
enum CallPurpose {
    /// A transition, an action or an announcement.
    case fire

    /// A transition that an active machine makes by itself; it activates none.
    case automatic

    /// To know whether a fire would be a transition.
    case rehearsal

    /// To know whether a fire would be a transition, and all guards that decline.
    case survey

    /// To activate it.
    case activation

    /// Whether it changes nothing.
    @inline(__always)
    var endsWithGuards: Bool { self == .rehearsal || self == .survey }

    /// The purpose of a fire whose event was chosen in some way.
    func firing(_ selector: EventSelector) -> CallPurpose {
        self == .fire && selector.isAutomatic ? .automatic : self
    }

    /// The purpose of the action of the holder around a call of a machine in its state.
    var ofHolder: CallPurpose {
        switch self {
        case .rehearsal, .survey: .rehearsal
        case .automatic: .automatic
        case .fire, .activation: .fire
        }
    }
}

extension StateTransition {
    /// Asks the turn in which its callbacks are called; from one of them.
    func turn<Result>(_ body: (inout MachineTurn) -> Result) -> Result {
        // In two steps, or the thread sanitizer takes it for a change of the global.
        let thread = ThreadState.ofThreads.current
        return thread.content.withTurn(of: ObjectIdentifier(treeMachine), body)
    }
}
