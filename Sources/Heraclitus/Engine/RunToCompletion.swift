// How does a fire become a transition?
//
// This file tells it from top to bottom; every call in it is to a room that the reader may skip. A rehearsal is the same fire with
// another end, told in Rehearsal.swift. An activation, an action and an announcement are the same turn with another beginning, told in
// OtherBeginnings.swift. One thread owns the machine from `acquire` to `finish`; no lock is held while user code runs. For a machine in a
// state of another one it owns the tree that it is in: MachineTree.swift.
//
// `acquire` activates the machine first if that is due. That may be a whole run to completion of its own, with callbacks and what
// they fire, before the call begins. In which phase the turn is, and what changes that, is said in Turn.swift.

extension MachineCore {
    /// Fires an event.
    /// - Parameters:
    ///   - selector: Which event.
    ///   - machine: The machine that this is the core of.
    ///   - userInfo: What the caller passes along.
    ///   - build: Builds the destination.
    /// - Throws: Why there is no transition. Then nothing has changed.
    @usableFromInline
    func fire(
        _ selector: EventSelector,
        of machine: AnyObject,
        userInfo: UserInfo,
        building build: (CandidateTransition) throws -> OwnedObject
    ) throws(InvalidTransition) {
        try rejectAtRest(selector, userInfo)
        try run(.fire, selector, Call(machine, userInfo), building: build)
    }

    /// Fires an event, or rehearses that.
    // Inlined into each of the two, so that a fire does not ask at every step whether it is one.
    @inline(__always)
    func run(
        _ purpose: CallPurpose,
        _ selector: EventSelector,
        _ call: borrowing Call,
        building build: (CandidateTransition) throws -> OwnedObject
    ) throws(InvalidTransition) {
        let role: TurnRole
        do { role = try acquire(call, for: purpose.firing(selector)) } catch {
            throw rejectWithoutTurn(selector, error, purpose, call)
        }
        defer { if purpose.endsWithGuards { finishRehearsal(role, call) } else { finish(role, call) } }
        do throws(Rejection) {
            let source = try begin(selector, call)
            // Callbacks may fire again. An outermost call ends its turn, and so its phase, in `finish`.
            defer { if role == .nested { endNested(call) } }
            let event = definition.events.element(try select(selector, in: source, call))
            guard try validate(event, from: source) else {
                if purpose.isToldToObservers { post(ignored(event, in: source, call), call) }
                return
            }
            let candidate = CandidateTransition(
                event: event,
                source: source,
                queuedSource: role == .nested ? call.turn { $0.lastQueued?.state } : nil
            )
            let state = try object(of: candidate, building: build)
            let plan = try validate(candidate, leadingTo: state, call)
            var loan = try askGuards(of: plan, from: candidate, to: state, role, purpose, call)
            if purpose.endsWithGuards { return drop(state, &loan, call) }
            // A queued transition keeps what was lent; one that is carried out gives it back after the last callback.
            switch call.turn({ $0.accept(leadingTo: plan.destination) }) {
            case .enqueue: enqueue(plan, to: state, &loan, call)
            case .carryOut: carryOut(plan, to: state, loan, call)
            }
        } catch {
            let error = invalidTransition(error, call)
            if purpose.isToldToObservers { post(.rejected(error), call) }
            throw error
        }
    }

    /// Makes a transition that is certain: before, commit, after.
    /// - Parameters:
    ///   - plan: What happens.
    ///   - state: The destination, which the machine takes over.
    ///   - loan: What callbacks get; empty if nobody listened when the transition was accepted.
    ///   - call: The call that it happens for.
    @inline(__always)
    private func carryOut(
        _ plan: TransitionPlan,
        to state: consuming OwnedObject,
        _ loan: consuming TransitionLoan,
        _ call: borrowing Call
    ) {
        let line = journalLine(of: plan, loan, call)
        notify(.before, of: plan, loan)
        commit(plan, to: state, line, call)
        // To add a closure and to commit take the machine's lock. So who adds one and then reads the state sees the new one, or is
        // called here.
        if loan.isEmpty, hasListeners(in: .after, of: plan) { loan = lendCurrent(plan, call) }
        notify(.after, of: plan, loan)
        if let line {
            line.end()
            // It holds the line that it has displaced, with users' objects.
            call.retire(OwnedObject(line))
        }
        call.takeBack(&loan)
    }

    /// Shows the destination, and lets the machine be fired from callbacks.
    @inline(__always)
    private func commit(
        _ plan: TransitionPlan,
        to state: consuming OwnedObject,
        _ line: JournalLine?,
        _ call: borrowing Call
    ) {
        line?.date(revision: currentRevision)
        let old = show(state, of: plan.destination, entry(of: plan), line)
        call.turn { $0.commit() }
        if let old { call.retire(old) }
    }

    /// Carries out what callbacks have fired, and tells what is to be told, in order.
    @inline(__always)
    func drain(_ call: borrowing Call) {
        // Most turns queue nothing: so they are asked before there is room for what they have queued.
        while !call.turn({ $0.isDone() }) { carryOutNext(call) }
    }

    @inline(never)
    private func carryOutNext(_ call: borrowing Call) {
        switch call.turn({ $0.next() }) {
        case .carryOut(let accepted):
            carryOut(accepted.plan, to: OwnedObject(accepted.state), TransitionLoan(accepted.objects), call)
        case .tell(let occurrence): tellObservers(occurrence)
        case nil: break
        }
    }
}

// MARK: - Turns

/// What a call does that has acquired a machine.
enum TurnRole {
    /// It begins a turn, and ends it.
    case outermost

    /// The same within an action of the machine that this one belongs to.
    case inner

    /// The same as `inner`, but begun for a machine in its state.
    case between

    /// It begins a turn of the deputy of a tree, and ends it.
    case deputy

    /// It belongs to the turn under way on its thread, from a callback of which it comes.
    case nested
}

extension MachineCore {
    /// Acquires the machine for a call, waiting for another thread's turn, and activates it if that is due.
    ///
    /// A machine that was not given its context is not activated, and gets no turn.
    ///
    /// An activation gets the user info of a call whose purpose it is; one that comes before a fire gets none.
    @inline(__always)
    func acquire(_ call: borrowing Call, for purpose: @autoclosure () -> CallPurpose = .fire) throws(NoTurn) -> TurnRole
    {
        let thread = call.thread.id
        var role = TurnRole.outermost
        if ownership.tryAcquire(by: thread) {
            call.thread.content.open(call.lentMachine.id, in: now.index)
        } else {
            if ownership.isOwned(by: thread) { return .nested }
            role = try acquireLater(call, for: purpose())
            if role == .nested { return role }
        }
        if !now.isActive { try activate(call, for: purpose(), in: role) }
        return role
    }

    /// Ends the turn of a call that has begun it: drains the queue, releases the machine, and lets go of what it kept.
    @inline(__always)
    func finish(_ role: TurnRole, _ call: borrowing Call) {
        switch role {
        case .nested: return
        case .inner:
            finishInTree(call)
            return becomeDeputyIfFiredOften(call)
        case .between: return finishInTree(call)
        case .deputy: return finishAsDeputy(call)
        case .outermost: drain(call)
        }
        let retired = call.thread.content.close(call.lentMachine.id)
        if ownership.release() { ParkingLot.shared.wake(for: call.parkable) }
        // Not before, because a deinitializer is user code, which may take the next turn.
        withExtendedLifetime(retired) {}
    }
}
