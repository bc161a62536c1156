// What does everything that happens in a turn need to know of the call that it happens for?

/// One call of a machine: which machine, on which thread, and what the caller passed along.
///
/// The caller keeps the machine and the user info alive until the call returns; so this refers to them without counting, and cannot
/// be copied to anywhere that lives longer.
struct Call: ~Copyable {
    let lentMachine: LentReference
    let lentUserInfo: LentReference?
    let thread: CurrentThread<ThreadState>

    @inline(__always)
    init(_ machine: AnyObject, _ userInfo: UserInfo) {
        lentMachine = LentReference(machine)
        lentUserInfo = userInfo.storage.map { LentReference($0) }
        thread = ThreadState.ofThreads.current
    }

    /// The same call without a user info.
    init(withoutUserInfo call: borrowing Call) {
        lentMachine = call.lentMachine
        lentUserInfo = nil
        thread = call.thread
    }

    /// A call without a user info on the calling thread.
    @inline(__always)
    init(_ machine: AnyObject, on thread: CurrentThread<ThreadState>) {
        lentMachine = LentReference(machine)
        lentUserInfo = nil
        self.thread = thread
    }

    var machine: AnyObject { lentMachine.object }

    /// What the caller passed along, for users, who may pass it on.
    var userInfo: UserInfo { UserInfo(storedIn: lentUserInfo?.object).withoutCause }

    /// Whether it is of an event that fires by itself because a time has come.
    var isDue: Bool { UserInfo(storedIn: lentUserInfo?.object).due != nil }

    /// The machine, for threads that wait for it.
    var parkable: any Parkable {
        guard let machine = lentMachine.object as? any Parkable else {
            preconditionFailure("Machines can be waited for.")
        }
        return machine
    }

    /// Asks the turn what is to be done.
    @inline(__always)
    func turn<Result>(_ body: (inout MachineTurn) -> Result) -> Result {
        thread.content.withTurn(of: lentMachine.id, body)
    }

    /// Keeps an object until the machine has been released.
    @inline(__always)
    func retire(_ object: consuming OwnedObject) { thread.content.retire(object, of: lentMachine.id) }

    /// Something to lend the objects of a transition with.
    @inline(__always)
    func takeLoan(_ terms: StateTransition.Terms) -> TransitionLoan {
        thread.content.lendingDesk.give(terms)
    }

    /// Takes back what was lent, when everyone has returned who was to be called.
    @inline(__always)
    func takeBack(_ loan: inout TransitionLoan) {
        if let kept = thread.content.lendingDesk.takeBack(&loan) { retire(OwnedObject(kept)) }
    }

    /// Takes back what was lent for a transition that waits in the queue, and so outlives the state and the call that it refers to.
    func takeBackKept(_ loan: inout TransitionLoan) -> LentObjects<StateTransition.Terms>? {
        thread.content.lendingDesk.takeBackKept(&loan)
    }
}

extension StateTransition {
    /// Asks the turn in which its callbacks are called; from one of them.
    func turn<Result>(_ body: (inout MachineTurn) -> Result) -> Result {
        guard let machine = objects.machineID else { preconditionFailure("What is lent has a machine.") }
        // In two steps, or the thread sanitizer takes it for a change of the global.
        let thread = ThreadState.ofThreads.current
        return thread.content.withTurn(of: machine, body)
    }
}
