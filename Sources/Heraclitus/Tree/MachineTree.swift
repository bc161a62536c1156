// How do machines share one turn of which one is in the state of another?
//
// A fire of a machine that belongs to another one is an action of that one. So `acquire` acquires the holder first, and thereby all
// up to the root, which the thread owns then, and the tree with it: no circle can close within a tree. A machine that was held once never
// stands alone again.
import HeraclitusEssentials

/// A machine as the machines around it in its tree see it.
protocol TreeMachine: Region, Parkable, AutomaticMachine {
    /// What it consists of.
    var core: MachineCore { get }

    /// Begins the turn in which a machine in its state does something.
    func beginAction(around region: TreePlace, for purpose: CallPurpose) throws(NoTurn) -> TurnRole

    /// Ends that turn, in which the machine in its state may have come to its end.
    func endAction(_ role: TurnRole, hasEnded: Bool)

    /// Begins a turn without waiting, in which fires of this thread are queued.
    func beginReading() -> ReadingTurn

    /// Ends a turn that has changed nothing by itself.
    func endRehearsal(_ role: TurnRole)

    /// Enters its state, or resumes there; tells observers if it has no context for that.
    func start()

    /// The type of its workflow.
    static var workflowType: any Workflow.Type { get }

    /// Takes over a context, if it is of the type that its own states need.
    /// - Returns: Whether it needs none other.
    func inherit(_ context: GivenContext) -> Bool

    /// Fires an event whose condition holds.
    /// - Returns: Whether it has become a transition, or is going to.
    func fire(_ condition: CompiledCondition) -> Bool

    /// Whether its state, or one in that, is an object of a type.
    func isIn<S>(_ type: S.Type) -> Bool

    /// Whether its state, or one in that, has a name.
    func isIn(named name: String) -> Bool

    /// Whether nothing goes on by itself in the machine and those in its state.
    var isSettled: Bool { get }

    /// Waits until nothing goes on by itself.
    func settled() async

    /// The next deadline of the machine and those in its state.
    var nextDeadline: Date? { get }

    /// What is due in the machine and those in its state.
    func deadlinesOfTree(by date: Date) -> [TreeDeadline]
}

extension TreeMachine {
    /// Uses what it consists of, which a value of `any TreeMachine` cannot hand out.
    @inline(__always)
    func withCore<Result, Failure: Error>(
        _ body: (borrowing MachineCore) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(core)
    }
}

/// A deadline of a machine in a tree.
struct TreeDeadline {
    /// What tells it apart from all others, as long as its machine makes no transition.
    struct ID: Hashable {
        let machine: ObjectIdentifier
        let revision: Int
        let number: Int
    }

    let id: ID
    let date: Date

    /// Fires the event, and returns whether it has become a transition.
    let fire: () -> Bool

    /// Rejects the event because too many have followed one another, and tells observers.
    let reject: () -> InvalidTransition
}

/// The turn of a holder that goes on around that of a machine in its state.
struct HolderTurn {
    let machine: any TreeMachine

    /// The revision at which the inner turn began.
    let revision: Int
    let role: TurnRole

    /// Whether the inner machine was not active then, although the holder has activated those in its state: it had no context.
    let isLate: Bool
}

/// Why a call gets no turn.
enum NoTurn: Error {
    /// The owners of these wait for one another in a circle.
    case deadlock(machines: [String])

    /// The machine was not given yet what its states need.
    case missingContext

    /// The state is not current, or not any more, that holds the machine.
    case notCurrent

    /// The machine whose state holds it is deciding.
    case holderIsDeciding

    /// A machine belongs to another one already: both.
    case regionInUse(machines: [String])
}

// MARK: - Turns

extension MachineCore {
    /// Acquires a machine that a look at one word does not acquire: another thread owns it, or it belongs to another machine.
    @inline(never)
    func acquireLater(_ call: borrowing Call, for purpose: CallPurpose) throws(NoTurn) -> TurnRole {
        let thread = call.thread.id
        while !ownership.isHeld {
            if let circle = ParkingLot.shared.acquire(call.machine, by: thread) { throw .deadlock(machines: circle) }
            if ownership.isOwned(by: thread) {
                call.thread.content.open(call.id, in: now.index)
                return .outermost
            }
        }
        return try acquireInTree(call, for: purpose)
    }

    /// Acquires a machine that belongs to another one: that one first.
    private func acquireInTree(_ call: borrowing Call, for purpose: CallPurpose) throws(NoTurn) -> TurnRole {
        if call.thread.content.hasTurn(of: call.id) { return .nested }
        guard let place, let holder = place.holder else { throw .notCurrent }
        let role = try holder.beginAction(around: place, for: purpose)
        call.thread.content.open(call.id, in: now.index)
        let isLate = !now.isActive && holder.withCore { $0.place?.isStartingRegions == false }
        call.thread.content.setHolder(
            HolderTurn(machine: holder, revision: currentRevision, role: role, isLate: isLate),
            of: call.id
        )
        return .inner
    }

    /// Begins the turn in which a machine in the state does something: an action of this one.
    func beginAction(
        around region: TreePlace,
        for purpose: CallPurpose,
        _ call: borrowing Call
    ) throws(NoTurn) -> TurnRole {
        let role = try acquire(call, for: purpose.ofHolder)
        var problem: NoTurn?
        if call.turn({ $0.isDeciding }) {
            problem = .holderIsDeciding
        } else if !region.isCurrent(in: call.id) || !staysInState(region, call) {
            problem = .notCurrent
        }
        if let problem {
            finish(role, call)
            throw problem
        }
        _ = call.turn { $0.beginAction() }
        return role
    }

    /// Whether nothing that was accepted so far leaves a machine that the current state holds.
    private func staysInState(_ region: TreePlace, _ call: borrowing Call) -> Bool {
        if call.turn({ !$0.hasQueue }) { return true }
        return call.turn { $0.waiting }.allSatisfy { next in
            next.plan.kind == .update
                && definition.regions(of: next.destinationObject, in: next.plan.destination).contains {
                    $0.withCore { $0.place === region }
                }
        }
    }

    /// Ends the turn of a machine that belongs to another one, and then that one's.
    @inline(never)
    func finishInTree(_ call: borrowing Call) {
        drain(call)
        guard let holder = call.thread.content.takeHolder(of: call.id) else {
            preconditionFailure("An inner turn has one around it.")
        }
        let retired = call.thread.content.close(call.id)
        let hasMoved = currentRevision != holder.revision || holder.isLate
        // While those in the state are being activated, the holder asks when all are.
        let hasEnded = hasMoved && hasFinalState && holder.machine.withCore { $0.place?.isStartingRegions != true }
        let (machine, role) = (holder.machine, holder.role)
        machine.endAction(role, hasEnded: hasEnded)
        withExtendedLifetime(retired) {}
    }
}
