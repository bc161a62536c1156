public import HeraclitusEssentials

/// A call of a machine, as closures of the definition see it: the second argument of builders and actions.
///
/// A builder of `enters` runs for a fire or an automatic event, and a ``WorkflowAction`` for a `perform`.
public struct MachineCall<W: Workflow>: Sendable {
    /// The machine.
    ///
    /// Fires of an action are carried out after the action has returned. In a builder, a fire throws
    /// ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
    public let machine: StateMachine<W>

    private let fullUserInfo: UserInfo

    /// The date of a builder's transition; `nil` for an action.
    private let date: Date?

    /// The call of an action.
    init(_ machine: StateMachine<W>, _ userInfo: UserInfo) {
        self.machine = machine
        fullUserInfo = userInfo
        date = nil
    }

    /// The call of a builder.
    init(_ call: borrowing Call) {
        guard let machine = call.machine as? StateMachine<W> else {
            preconditionFailure("A builder was called by a machine of another workflow.")
        }
        self.machine = machine
        fullUserInfo = call.fullUserInfo
        date = machine.core.date(of: call)
    }

    /// The machine's context: ``Workflow/Context``.
    public var context: W.Context {
        guard let context = machine.context else {
            preconditionFailure("A machine without its context got a turn.")
        }
        return context
    }

    /// The date by the machine's scheduler.
    ///
    /// In a builder, it is the date that hooks and observers of the transition get, too.
    public var now: Date { date ?? machine.now }

    /// The values of the caller of `fire`, or the arguments of the action.
    public var userInfo: UserInfo { fullUserInfo.withoutCause }

    /// The error of failed work, in a builder for the automatic event after it; otherwise `nil`.
    public var failure: (any Error)? { fullUserInfo.failure }
}
