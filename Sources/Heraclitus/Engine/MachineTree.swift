// How do machines share one turn of which one is in the state of another?
//
// A fire of a machine that belongs to another one is an action of that one. So `acquire` acquires the holder first, and thereby all
// up to the root, which alone is owned by a thread: no circle can close within a tree. A machine that was held once is held for good.

import Synchronization

/// A machine as the machines around it in its tree see it.
protocol TreeMachine: Region, Parkable, AutomaticMachine {
    /// Uses what it consists of.
    func withCore<Result, Failure: Error>(
        _ body: (borrowing MachineCore) throws(Failure) -> Result
    ) throws(Failure) -> Result

    /// Begins the turn in which a machine in its state does something.
    func beginAction(
        around region: TreePlace,
        for purpose: CallPurpose,
        on thread: CurrentThread<ThreadState>
    ) throws(Obstacle) -> TurnRole

    /// Ends it.
    func endAction(_ role: TurnRole, on thread: CurrentThread<ThreadState>)

    /// Enters its state, or resumes there.
    func activate(userInfo: UserInfo)
}

/// The turn of a holder that goes on around that of a machine in its state.
struct HolderTurn {
    let machine: any TreeMachine
    let role: TurnRole
}

/// Why a call cannot have its machine.
enum Obstacle: Error {
    /// The owners of these wait for one another in a circle.
    case circle([String])

    /// The state is not current, or not any more, that holds the machine.
    case notCurrent

    /// The machine whose state holds it is deciding.
    case holderIsDeciding

    /// A machine belongs to another one already: both.
    case regionInUse([String])
}

// MARK: - Turns

extension MachineCore {
    var place: TreePlace? { environment?.place }

    /// Acquires the machine when that takes more than a moment: after another thread's turn, or that of its holder's.
    @inline(never)
    func acquireLater(_ call: borrowing Call, for purpose: CallPurpose) throws(Obstacle) -> TurnRole {
        let thread = call.thread.id
        if !ownership.isHeld {
            if let circle = ParkingLot.shared.acquire(call.parkable, by: thread) { throw .circle(circle) }
            if ownership.isOwned(by: thread) {
                call.thread.content.open(call.lentMachine.id, in: now.index)
                return .outermost
            }
        }
        return try acquireInTree(call, for: purpose)
    }

    /// Acquires a machine that belongs to another one: that one first.
    private func acquireInTree(_ call: borrowing Call, for purpose: CallPurpose) throws(Obstacle) -> TurnRole {
        if call.thread.content.hasTurn(of: call.lentMachine.id) { return .nested }
        guard let place, let holder = place.holder else { throw .notCurrent }
        let role = try holder.beginAction(around: place, for: purpose, on: call.thread)
        call.thread.content.open(call.lentMachine.id, in: now.index)
        call.thread.content.setHolder(HolderTurn(machine: holder, role: role))
        return .inner
    }

    /// Begins the turn in which a machine in the state does something: an action of this one.
    func beginAction(
        around region: TreePlace,
        of machine: any TreeMachine,
        for purpose: CallPurpose,
        _ call: borrowing Call
    ) throws(Obstacle) -> TurnRole {
        let role = try acquire(call, for: purpose.ofHolder)
        var obstacle: Obstacle?
        if call.turn({ $0.isDeciding }) {
            obstacle = .holderIsDeciding
        } else if !region.isCurrent(in: machine) || !staysInState(region, call) {
            obstacle = .notCurrent
        }
        if let obstacle {
            finish(role, call)
            throw obstacle
        }
        _ = call.turn { $0.beginAction() }
        return role
    }

    /// Whether the state in which everything accepted so far will leave this machine holds a machine that the current one does.
    private func staysInState(_ region: TreePlace, _ call: borrowing Call) -> Bool {
        guard let expected = call.turn({ $0.lastQueued }) else { return true }
        guard expected.plan.kind == .update else { return false }
        return regions(of: expected.state, in: expected.plan.destination).contains {
            $0.withCore { $0.place === region }
        }
    }

    /// Ends the turn of a machine that belongs to another one, and then that one's.
    @inline(never)
    func finishInTree(_ call: borrowing Call) {
        drain(call)
        let holder = call.thread.content.takeHolder(of: call.lentMachine.id)
        let retired = call.thread.content.close(call.lentMachine.id)
        if let holder { holder.machine.endAction(holder.role, on: call.thread) }
        withExtendedLifetime(retired) {}
    }
}

extension CallPurpose {
    /// What a call of a machine is for its holder.
    fileprivate var ofHolder: CallPurpose { if case .rehearsal = self { .rehearsal(nil) } else { .fire } }
}

// MARK: - Belonging

extension MachineCore {
    /// The machines that an object holds.
    func regions(of state: AnyObject, in index: Int) -> [any TreeMachine] {
        definition.states[index].hooks.regions(of: state).compactMap { $0 as? any TreeMachine }
    }

    /// How a machine came to belong to another one, for who has to undo it.
    private enum Claim {
        /// It did before.
        case none

        /// It was a machine of its own, which the thread owns now.
        case acquired

        /// It was left by the one to which it belonged before.
        case given
    }

    /// Lets the machines that an object holds belong to this one, all or none, when it is certain that it becomes the state.
    func claimRegions(
        of state: AnyObject,
        in index: Int,
        for purpose: CallPurpose,
        _ call: borrowing Call
    ) throws(Obstacle) {
        guard let machine = call.machine as? any TreeMachine else { return }
        var claims: [(region: any TreeMachine, claim: Claim)] = []
        func undo() {
            for (region, claim) in claims.reversed() { region.withCore { $0.undo(claim, of: region) } }
        }
        for region in regions(of: state, in: index) {
            do throws(Obstacle) {
                let claim = try region.withCore { core throws(Obstacle) in
                    try core.claim(for: machine, call.thread.id, region)
                }
                claims.append((region, claim))
            } catch {
                undo()
                throw error
            }
        }
        if purpose.endsWithGuards { return undo() }
        for (region, claim) in claims { region.withCore { $0.settle(claim, of: region, for: machine) } }
    }

    /// Claims this machine, which `region` is the core of, for another one.
    private func claim(
        for holder: any TreeMachine,
        _ thread: ThreadID,
        _ region: any TreeMachine
    ) throws(Obstacle) -> Claim {
        let names = [region.parkingName]
        while !ownership.isHeld {
            if ownership.isOwned(by: thread) { throw .regionInUse(names) }
            if ownership.tryAcquire(by: thread) { return .acquired }
            if let circle = ParkingLot.shared.acquire(region, by: thread) { throw .circle(circle) }
            if ownership.isOwned(by: thread) { return .acquired }
        }
        switch place?.give(to: holder) {
        case nil: return .given
        case let other? where other === holder: return .none
        case let other?: throw .regionInUse(names + [other.parkingName])
        }
    }

    private func undo(_ claim: Claim, of region: any TreeMachine) {
        switch claim {
        case .none: break
        case .acquired: if ownership.release() { ParkingLot.shared.wake(for: region) }
        case .given: place?.leaveHolder()
        }
    }

    private func settle(_ claim: Claim, of region: any TreeMachine, for holder: any TreeMachine) {
        guard case .acquired = claim else { return }
        _ = madeEnvironment.place.give(to: holder)
        if ownership.hold() { ParkingLot.shared.wakeAll(for: region) }
    }

    /// Lets the machines that the first state holds belong to a machine that was just made.
    ///
    /// One whose own turn is under way on another thread belongs to it when it is activated.
    func takeFirstRegions(of machine: any TreeMachine) {
        let regions = regions(of: snapshot.state, in: now.index)
        guard !regions.isEmpty else { return }
        let thread = ThreadState.ofThreads.current.id
        for region in regions {
            region.withCore { core in
                guard core.ownership.isHeld || core.ownership.tryAcquire(by: thread) else { return }
                if core.ownership.isHeld {
                    core.expectNoOther(core.place?.give(to: machine), than: machine, region)
                } else {
                    core.settle(.acquired, of: region, for: machine)
                }
                core.place?.setCurrent(true)
            }
        }
        _ = place?.replaceRegions(by: regions)
    }

    private func expectNoOther(_ other: (any TreeMachine)?, than machine: any TreeMachine, _ region: any TreeMachine) {
        guard let other, other !== machine else { return }
        fatalError(
            "A machine of \(region.parkingName) in a state of \(machine.parkingName) belongs to a machine of "
                + "\(other.parkingName) already: give each state a machine of its own, such as a copy."
        )
    }
}

// MARK: - Entering and leaving

extension MachineCore {
    /// Leaves the machines that the state before held, and takes on those that the state holds that the machine shows now.
    func changeRegions(of plan: TransitionPlan, _ transition: StateTransition) {
        guard let place, let machine = transition.machine as? any TreeMachine else { return }
        let new = regions(of: transition.destinationObject, in: plan.destination)
        let old = place.replaceRegions(by: new)
        func stays(_ region: any TreeMachine) -> Bool { new.contains { $0 === region } }
        let left = plan.kind == .external ? old : old.filter { !stays($0) }
        for region in left { region.withCore { $0.place?.setCurrent(false) } }
        for region in left.reversed() {
            region.withCore { core in
                if plan.kind != .external { core.tellState(.willExit, transition) }
                core.leave(transition)
                if !stays(region) { core.place?.leaveHolder() }
            }
        }
        for region in new {
            region.withCore { core in
                core.expectNoOther(core.madeEnvironment.place.give(to: machine), than: machine, region)
                core.place?.setCurrent(true)
            }
        }
    }

    /// Tells the states of the machines in the state that is left, the innermost first.
    func tellRegions(_ phase: CallbackPhase, _ transition: StateTransition) {
        for region in (place?.regions ?? []).reversed() { region.withCore { $0.tellState(phase, transition) } }
    }

    /// Activates the machines in the state that was entered, restored or updated.
    func startRegions() {
        for region in place?.regions ?? [] { region.activate(userInfo: [:]) }
    }

    /// Ends what goes on in the machine and in those in its state.
    func endActivityOfTree() {
        for region in (place?.regions ?? []).reversed() { region.withCore { $0.endActivityOfTree() } }
        endActivity()
    }

    /// Leaves the state of a machine whose holder has left the state that holds it; it is resumed there later.
    private func leave(_ transition: StateTransition) {
        guard now.isActive else { return }
        for region in (place?.regions ?? []).reversed() { region.withCore { $0.leave(transition) } }
        endActivity()
        tellState(.didExit, transition)
        let status = PackedStatus(now.index, .restoring)
        state.change { self.status.store(status.bits, ordering: .relaxed) }
    }

    /// Tells the state, and the closures of this machine, of a transition of the holder's: as one that leaves this state.
    private func tellState(_ phase: CallbackPhase, _ transition: StateTransition) {
        let plan = TransitionPlan(leaving: now.index, in: definition)
        let phases = CallbackPhases(phase)
        guard now.isActive, hasListeners(in: phases, of: plan), let machine = transition.machine else { return }
        let userInfo = transition.userInfo
        let call = Call(machine, userInfo)
        let terms = transition.objects.terms.leaving(definition.states[now.index].type)
        var loan = call.takeLoan(terms)
        loan.withObjects { objects in
            objects.lend(terms, to: transition.destinationObject, by: call.lentMachine, call.lentUserInfo)
            state.withOwnersView { state, _ in objects.lend(source: state) }
            notify(phases, of: plan, StateTransition(objects))
        }
        call.takeBack(&loan)
        withExtendedLifetime((machine, userInfo)) {}
    }
}
