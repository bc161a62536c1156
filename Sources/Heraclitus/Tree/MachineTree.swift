// Machines share one turn if one of them is in the state of another.
//
// A fire of an inner machine is an action of its holder. `acquire` therefore acquires all holders first, up to the
// root. The thread then owns the root, and with it the whole tree, so circles of waits within a tree are impossible. A
// machine that ever had a holder can only be fired through one.

import HeraclitusEssentials

/// A machine of any workflow, for other machines of its tree.
///
/// It requires what depends on the workflow's type, and some methods for users. The rest are extensions, which are
/// compiled once for all workflows.
protocol TreeMachine: Region {
    /// The core of the machine.
    var core: MachineCore { get }

    /// The type of the workflow.
    static var workflowType: any Workflow.Type { get }

    /// Takes over a context of the type that the machine's states need.
    /// - Returns: Whether the machine now has its context or needs none.
    func inherit(_ context: GivenContext) -> Bool

    /// Whether the state, or a state within it, is an object of a type.
    func isIn<S>(_ type: S.Type) -> Bool

    /// Whether the state, or a state within it, has a name.
    func isIn(named name: String) -> Bool

    /// Waits until the machine is settled.
    func settled() async

    /// The next deadline of the machine and of machines in its state.
    var nextDeadline: Date? { get }

    /// The due events of the machine and of machines in its state.
    func deadlinesOfTree(by date: Date) -> [TreeDeadline]
}

extension StateMachine: Region {}

extension StateMachine: TreeMachine {
    package static var workflowType: any Workflow.Type { W.self }

    func inherit(_ context: GivenContext) -> Bool {
        guard definition.needsContext else { return true }
        guard context.value(as: W.Context.self) != nil else { return false }
        core.give(context)
        return true
    }
}

extension TreeMachine {
    /// The name of the workflow.
    var workflowName: String { core.definition.workflow }

    /// The table of the workflow within others, with the regions of the current state.
    func table(within path: [ObjectIdentifier]) -> TransitionTable {
        core.table(within: path, knowing: core.snapshot.state)
    }

    /// Begins the turn for an action of a machine in the state.
    func beginAction(around region: TreePlace, for purpose: CallPurpose) throws(NoTurn) -> TurnRole {
        try core.beginAction(around: region, for: purpose, Call(self))
    }

    /// Ends the turn, in which the machine in the state may have moved, or reached a final state.
    func endAction(_ role: TurnRole, hasMoved: Bool, hasEnded: Bool) {
        let call = Call(self)
        if hasMoved {
            core.fireConditions(of: self, includingEnds: hasEnded)
            _ = call.entry { $0.holder?.hasMovedWithin = true }
        }
        // The inner call may have been a rehearsal, which leaves this machine inactive, too.
        core.finishRehearsal(role, call)
    }

    /// Enters the state or resumes in it.
    ///
    /// Without the context that it needs, the machine tells its observers.
    func start() {
        let call = Call(self)
        do { try core.activate(call) } catch {
            // The observers are the only ones to learn that the machine stays inactive.
            guard error.reason == .missingContext else { return }
            let details = InvalidTransition.Details(machines: error.machines, attempt: "be activated")
            core.tellOutsideTurn(.rejected(core.invalidTransition(error.reason, details, call)), call)
        }
    }

    /// Whether another thread has a transition under way.
    ///
    /// The answer may be outdated at once.
    var isOwnedElsewhere: Bool {
        if core.ownership.belongsToHolder { return core.place?.holder?.isOwnedElsewhere ?? false }
        guard let owner = core.ownership.ownerNumber else { return false }
        return owner != ThreadState.ofThreads.current.content.id.number
    }

    /// Calls a body after that transition, on the transition's thread.
    /// - Returns: Whether another thread has a transition under way; otherwise the body is never called.
    func whenReleased(_ body: @escaping @Sendable () -> Void) -> Bool {
        if core.ownership.belongsToHolder { return core.place?.holder?.whenReleased(body) ?? false }
        return ParkingLot.shared.whenReleased(self, byOtherThan: ThreadState.ofThreads.current.content.id, body)
    }

    /// Calls a body with the core, which an existential value cannot return.
    @inline(__always)
    func withCore<Result, Failure: Error>(
        _ body: (borrowing MachineCore) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(core)
    }
}

/// The holder's turn around a turn of a machine in its state.
struct HolderTurn {
    let machine: any TreeMachine

    /// The revision at the beginning of the inner turn.
    let revision: Int
    let role: TurnRole

    /// Whether the inner machine missed the activation of its holder's regions, for lack of a context.
    ///
    /// Its own activation then counts as a move.
    let isLate: Bool

    /// Whether a machine in the inner machine's state has moved.
    var hasMovedWithin = false
}

/// The reason for which a call gets no turn, or for which the machines of its destination cannot be claimed.
struct NoTurn: Error {
    let reason: InvalidTransition.Reason

    /// The workflows of the machines in the error.
    let machines: [String]

    init(_ reason: InvalidTransition.Reason, machines: [String] = []) {
        (self.reason, self.machines) = (reason, machines)
    }
}

// MARK: - Turns

extension MachineCore {
    /// Acquires a machine that another thread owns, or that belongs to another machine.
    @inline(never)
    func acquireLater(_ call: borrowing Call, for purpose: CallPurpose) throws(NoTurn) -> TurnRole {
        let thread = call.thread.content.id
        while !ownership.belongsToHolder {
            if let circle = ParkingLot.shared.acquire(call.machine, by: thread) {
                throw NoTurn(.deadlock, machines: circle)
            }
            if ownership.isOwned(by: thread) {
                call.thread.content.open(call.id, in: now.index)
                return .outermost
            }
        }
        return try acquireInTree(call, for: purpose)
    }

    /// Acquires a machine by acquiring its holder first.
    private func acquireInTree(_ call: borrowing Call, for purpose: CallPurpose) throws(NoTurn) -> TurnRole {
        if call.thread.content.hasTurn(of: call.id) { return .nested }
        guard let place, let holder = place.holder, !now.needsActivation || purpose != .automatic else {
            throw NoTurn(.notCurrent)
        }
        let role = try holder.beginAction(around: place, for: purpose)
        // A rehearsal leaves the holder inactive, which would give the context at its activation.
        if purpose.endsWithGuards { holder.withCore { $0.giveContext(to: call.machine) } }
        call.thread.content.open(call.id, in: now.index)
        let isLate = now.needsActivation && holder.withCore { $0.place?.isStartingRegions == false }
        call.entry {
            $0.holder = HolderTurn(machine: holder, revision: currentRevision, role: role, isLate: isLate)
        }
        return .inner
    }

    /// Begins the turn for an action of a machine in the state.
    func beginAction(
        around region: TreePlace,
        for purpose: CallPurpose,
        _ call: borrowing Call
    ) throws(NoTurn) -> TurnRole {
        let role = try acquire(call, for: purpose.ofHolder)
        var problem: InvalidTransition.Reason?
        if call.turn({ $0.isDeciding }) {
            problem = .transitionInProgress
        } else if !region.isCurrent(in: call.id) || !staysInState(region, call) {
            problem = .notCurrent
        }
        if let problem {
            finish(role, call)
            throw NoTurn(problem)
        }
        _ = call.turn { $0.beginAction() }
        return role
    }

    /// Whether all queued transitions keep a machine in the state.
    private func staysInState(_ region: TreePlace, _ call: borrowing Call) -> Bool {
        if call.turn({ !$0.hasQueue }) { return true }
        return call.turn { $0.waiting.map(\.transition) }.allSatisfy { next in
            next.plan.kind == .update
                && definition.regions(of: next.destinationObject, in: next.plan.destination).contains {
                    $0.withCore { $0.place === region }
                }
        }
    }

    /// Ends the turn of an inner machine, and then its holder's turn.
    @inline(never)
    func finishInTree(_ call: borrowing Call) {
        drain(call)
        guard let holder = call.entry({ $0.holder.take() }) else {
            preconditionFailure("An inner turn has no outer turn.")
        }
        let retired = call.thread.content.close(call.id)
        // A rehearsal leaves the machine inactive.
        let hasMoved = currentRevision != holder.revision || holder.isLate && !now.needsActivation
        let (machine, role, hasMovedWithin) = (holder.machine, holder.role, holder.hasMovedWithin)
        machine.endAction(role, hasMoved: hasMoved || hasMovedWithin, hasEnded: hasMoved && hasFinalState)
        withExtendedLifetime(retired) {}
    }
}
