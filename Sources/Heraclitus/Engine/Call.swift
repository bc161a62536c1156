// The context of one call of a machine.
import HeraclitusEssentials

/// A call of a machine: the machine, the thread, and the caller's values.
struct Call: ~Copyable {
    private let callers: CallersMachine

    /// The identity of the machine, for the state of its thread.
    let id: ObjectIdentifier

    // The storage, not the `UserInfo`: copying that here looks up its metadata, in 70 instructions of a transition.
    private let userInfoStorage: UserInfo.Storage?

    let thread: CurrentThread<ThreadState>

    @inline(__always)
    init(_ machine: any TreeMachine, _ userInfo: UserInfo = UserInfo()) {
        callers = CallersMachine(machine)
        id = ObjectIdentifier(machine)
        userInfoStorage = userInfo.storage
        thread = ThreadState.ofThreads.current
    }

    var machine: any TreeMachine {
        @inline(__always) get { callers.machine }
    }

    /// The caller's values, with the cause of an automatic event.
    var fullUserInfo: UserInfo {
        @inline(__always) get { UserInfo(storage: userInfoStorage) }
    }

    /// Uses the machine's entry of the thread.
    @inline(__always)
    func entry<Result>(_ body: (inout ThreadState.Entry) -> Result) -> Result {
        thread.content.withEntry(of: id, body)
    }

    /// Uses the turn of the machine.
    @inline(__always)
    func turn<Result>(_ body: (inout MachineTurn) -> Result) -> Result { thread.content.withTurn(of: id, body) }

    /// Retains an object until the machine has been released.
    @inline(__always)
    func retire(_ object: consuming OwnedObject) { thread.content.retire(object, of: id) }
}

/// The purpose of a call.
enum CallPurpose: Equatable {
    /// A transition, an action or an announcement.
    case fire

    /// An automatic transition of an active machine.
    ///
    /// It never activates the machine.
    case automatic

    /// The holder's part of an automatic transition in its state.
    ///
    /// A new or restored holder is activated. A suspended one is not, and the transition is rejected.
    case automaticWithin

    /// Checks whether a fire would be a transition: asks the guards until one declines, or all of them.
    case rehearsal(asksAll: Bool)

    /// Activates the machine.
    case activation

    /// Whether the call changes nothing.
    @inline(__always)
    var endsWithGuards: Bool { if case .rehearsal = self { true } else { false } }

    /// The purpose of a fire by an event selector, which a deadline or work may have chosen.
    func firing(_ selector: EventSelector) -> CallPurpose {
        switch (self, selector) {
        case (.fire, .due), (.fire, .ofWork): .automatic
        default: self
        }
    }

    /// The purpose of the holder's action around a call of a machine in its state.
    var ofHolder: CallPurpose {
        switch self {
        case .rehearsal: self
        case .automatic, .automaticWithin: .automaticWithin
        case .fire, .activation: .fire
        }
    }
}
