// How is a machine in a state fired again and again without a turn of all the machines around it?
//
// A tree belongs to the owner of its root. To fire a machine within it through every machine around costs more than the fire itself. So one
// that was fired several times becomes the deputy of its root: from then on the tree belongs to the owner of the deputy. A fire of the deputy
// acquires one word, as that of a machine that stands alone does. A call of a machine in the deputy's state goes through the deputy. A call of
// any other machine takes the tree back.
//
// While nobody owns a tree with a deputy, four things hold. All machines around the deputy are active. Each of them is in the state that holds
// the next one. Nothing is queued in them. The deputy is in no final state. The first three change only in a turn of the root, which takes the
// tree back. So a turn of the deputy asks none of it. The machines around it get their turns when a callback calls one of them, or afterwards
// if the deputy has ended.
//
// If the root is gone, the deputy resigns. If it is busy then, its thread does that at the end of its turn.

extension MachineCore {
    /// How many turns of one machine a thread ends, with none of another one in a state, before that becomes the deputy.
    ///
    /// The count begins anew with each appointment. To appoint and to take the tree back costs something, and so happens at few fires in a
    /// tree whose machines are fired by turns.
    private static var turnsBeforeDeputy: Int { 8 }

    /// The outermost machine around this one, if there is any.
    var root: (any TreeMachine)? {
        guard let holder = place?.holder else { return nil }
        return holder.withCore { $0.root } ?? holder
    }

    /// Lets the machine be the deputy of its tree if it was fired often enough; after its turn.
    @inline(never)
    func becomeDeputyIfFiredOften(_ call: borrowing Call) {
        guard call.thread.content.countInnerTurn(of: call.lentMachine.id) >= Self.turnsBeforeDeputy else { return }
        call.thread.content.forgetInnerTurns()
        guard let root, let machine = call.machine as? any TreeMachine else { return }
        root.appoint(machine, on: call.thread)
    }

    /// Makes a machine the deputy of this one, if nobody owns the tree and nothing has to be asked of the machines around it.
    func appoint(_ deputy: any TreeMachine, _ call: borrowing Call) {
        guard tryAcquireTree(by: call.thread.id) else { return }
        if deputy.withCore({ $0.mayBeDeputy(of: call.lentMachine.id) }) {
            place?.setDeputy(deputy)
            // It is owned until the root has handed over the tree, or another thread could have a turn of it before.
            deputy.withCore { core in
                core.place?.setRoot(call.machine as? any TreeMachine)
                core.ownership.becomeDeputy(ownedBy: call.thread.id)
            }
            let othersWait = ownership.deputise()
            deputy.withCore { $0.releaseAsDeputy(deputy) }
            if othersWait { ParkingLot.shared.wakeAll(for: call.parkable) }
        } else if ownership.release() {
            ParkingLot.shared.wake(for: call.parkable)
        }
    }

    /// Whether all holds that a turn of a deputy takes for granted; for the owner of the root.
    private func mayBeDeputy(of root: ObjectIdentifier) -> Bool {
        !hasFinalState && isActiveAndCurrent(below: root)
    }

    private func isActiveAndCurrent(below root: ObjectIdentifier) -> Bool {
        guard now.isActive, let place, let holder = place.holder else { return false }
        let id = ObjectIdentifier(holder)
        guard place.isCurrent(in: id) else { return false }
        return holder.withCore { id == root ? $0.now.isActive : $0.isActiveAndCurrent(below: root) }
    }
}

// MARK: - The root

extension MachineCore {
    /// Acquires a root whose tree has a deputy, waiting for another thread's turn.
    /// - Returns: What the call does; `nil` if there is no deputy any more.
    func acquireFromDeputy(_ call: borrowing Call) throws(NoTurn) -> TurnRole? {
        switch try takeTree(by: call.thread.id) {
        case .ownTurn(let deputy):
            beginTurns(around: deputy, call)
            return .nested
        case .taken:
            call.thread.content.open(call.lentMachine.id, in: now.index)
            return .outermost
        case .changed: return nil
        }
    }

    /// Acquires a root if nobody owns the tree.
    /// - Returns: Whether the thread owns the root now; then the tree has no deputy.
    func tryAcquireTree(by thread: ThreadID) -> Bool {
        if ownership.tryAcquire(by: thread) { return true }
        guard ownership.isDeputised, let deputy = place?.deputy,
            deputy.withCore({ $0.ownership.tryAcquireAsDeputy(by: thread) })
        else { return false }
        return takeTree(from: deputy, by: thread)
    }

    /// How a thread fares that takes a tree back from its deputy.
    enum TreeTaking {
        /// It owns the root now, and there is no deputy.
        case taken

        /// The turn of the deputy is its own.
        case ownTurn(any TreeMachine)

        /// The tree has another deputy by now, or none.
        case changed
    }

    /// Takes the tree back from its deputy, waiting for another thread's turn.
    func takeTree(by thread: ThreadID) throws(NoTurn) -> TreeTaking {
        guard let deputy = place?.deputy else { return .changed }
        let isOwnTurn = deputy.withCore { $0.ownership.isOwned(by: thread) }
        if isOwnTurn { return .ownTurn(deputy) }
        if !deputy.withCore({ $0.ownership.tryAcquireAsDeputy(by: thread) }) {
            if let circle = ParkingLot.shared.acquire(deputy, by: thread) { throw .deadlock(machines: circle) }
            guard deputy.withCore({ $0.ownership.isOwned(by: thread) }) else { return .changed }
        }
        return takeTree(from: deputy, by: thread) ? .taken : .changed
    }

    /// Takes the tree back from a deputy that the thread owns.
    /// - Returns: Whether the thread owns the root now; if not, that one was the deputy of another tree, and was released.
    private func takeTree(from deputy: any TreeMachine, by thread: ThreadID) -> Bool {
        guard ownership.isDeputised, let place, place.deputy === deputy else {
            deputy.withCore { $0.releaseAsDeputy(deputy) }
            return false
        }
        place.setDeputy(nil)
        deputy.withCore { $0.place?.setRoot(nil) }
        ownership.takeBack(by: thread)
        if deputy.withCore({ $0.ownership.hold() }) { ParkingLot.shared.wakeAll(for: deputy) }
        return true
    }

    /// Begins the turns around that of the deputy, unless they were begun: this one and all in between.
    func beginTurns(around deputy: any TreeMachine, _ call: borrowing Call) {
        if call.thread.content.hasTurn(of: call.lentMachine.id) { return }
        call.thread.content.open(call.lentMachine.id, in: now.index)
        _ = call.turn { $0.beginAction() }
        deputy.withCore { core in
            guard let place = core.place, let holder = place.holder,
                let role = try? holder.beginAction(around: place, for: .fire, on: call.thread)
            else { preconditionFailure("The machines around a deputy are active, and decide nothing.") }
            let turn = HolderTurn(machine: holder, revision: core.currentRevision, role: role, isLate: false)
            call.thread.content.setHolder(turn, of: ObjectIdentifier(deputy))
        }
    }

    /// Ends the turns around that of the deputy, whose own is closed.
    /// - Parameters:
    ///   - deputy: The deputy, which the thread owns.
    ///   - holder: The turn around its own.
    ///   - hasEnded: Whether the deputy has come to its end.
    ///   - call: A call of the root.
    func endTurns(around deputy: any TreeMachine, _ holder: HolderTurn, hasEnded: Bool, _ call: borrowing Call) {
        // First, because callbacks of the machines around may fire the deputy again.
        guard takeTree(from: deputy, by: call.thread.id) else {
            preconditionFailure("A thread that owns the deputy owns the tree.")
        }
        holder.machine.endAction(holder.role, hasEnded: hasEnded, on: call.thread)
        finish(.outermost, call)
    }
}

// MARK: - The deputy

extension MachineCore {
    /// Ends the turn of a deputy.
    @inline(never)
    func finishAsDeputy(_ call: borrowing Call) {
        drain(call)
        // It was in no final state before: those are no deputies.
        let hasEnded = hasFinalState
        if hasEnded { beginTurnsAround(call) }
        let holder = call.thread.content.takeHolder(of: call.lentMachine.id)
        let retired = call.thread.content.close(call.lentMachine.id)
        if let holder {
            endTurnsAround(holder, hasEnded: hasEnded, call)
        } else if ownership.releaseAsDeputy() {
            didReleaseContended(call.parkable)
        }
        withExtendedLifetime(retired) {}
    }

    @inline(never)
    private func beginTurnsAround(_ call: borrowing Call) {
        // If the root is gone, this is the outermost machine that is left, and has no deputy.
        guard let root, let machine = call.machine as? any TreeMachine,
            root.withCore({ $0.ownership.isDeputised && $0.place?.deputy === machine })
        else { return }
        root.beginTurns(around: machine, on: call.thread)
    }

    @inline(never)
    private func endTurnsAround(_ holder: HolderTurn, hasEnded: Bool, _ call: borrowing Call) {
        guard let root, let machine = call.machine as? any TreeMachine else {
            preconditionFailure("The turns around keep their machines alive.")
        }
        root.endTurns(around: machine, holder, hasEnded: hasEnded, on: call.thread)
    }

    /// Releases a deputy, `machine`, that the thread owns.
    func releaseAsDeputy(_ machine: any Parkable) {
        if ownership.releaseAsDeputy() { didReleaseContended(machine) }
    }

    @inline(never)
    private func didReleaseContended(_ machine: any Parkable) {
        ParkingLot.shared.wake(for: machine)
        // Perhaps it was `resignWithoutRoot` that noted something, and nobody waits: then this thread suspends what the root has left.
        guard resignWithoutRoot() == .done else { return }
        for activity in suspendOrphanedTop() { activity.end() }
    }

    /// What has become of a deputy that was to resign.
    enum Resignation {
        /// It is none, or none any more.
        case done

        /// A turn is under way, whose thread does it afterwards.
        case busy

        /// Its root is there.
        case hasRoot
    }

    /// Lets the machine be no deputy any more if its root is gone.
    func resignWithoutRoot() -> Resignation {
        place?.unlessItHasRoot {
            while ownership.isDeputy {
                if ownership.resign() { return .done }
                // As if somebody waited: so the release finds it, and calls `didReleaseContended`.
                if ownership.noteWaiting() { return .busy }
            }
            return .done
        } ?? .hasRoot
    }

    /// The deputy among the machines in the state, and in theirs, if it is one of them.
    var deputyInside: (any TreeMachine)? {
        for region in place?.regions ?? [] {
            if region.withCore({ $0.ownership.isDeputy }) { return region }
            if let inner = region.withCore({ $0.deputyInside }) { return inner }
        }
        return nil
    }

    /// Suspends the outermost machine that is left around this one.
    /// - Returns: What is to be ended outside of locks.
    private func suspendOrphanedTop() -> [MachineEnvironment.TakenActivity] {
        guard let place else { return [] }
        guard let top = root else { return place.suspendIfOrphaned(self) }
        return top.withCore { $0.place?.suspendIfOrphaned($0) ?? [] }
    }
}
