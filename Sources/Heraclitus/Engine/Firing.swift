// How does a fire become a transition?
//
// This file tells it from top to bottom: acquire, select, validate, build, validate the destination, ask the guards, enqueue or carry
// out, commit, drain, release. One thread owns the machine from `acquire` to `finish`; no lock is held while user code runs.
//
// A rehearsal is the same fire, which ends after the guards. Activations, actions and announcements are the same turn with another
// beginning: OtherBeginnings.swift. A machine in a state of another one shares the turn of that one: Tree/MachineTree.swift. The
// decisions of a turn are in Turn.swift, and the calls of hooks and closures in Callbacks.swift.

import HeraclitusEssentials
import Synchronization

extension MachineCore {
    /// Fires an event, or rehearses that.
    /// - Parameters:
    ///   - purpose: Whether it fires or rehearses.
    ///   - selector: Which event.
    ///   - call: The machine that this is the core of, and what the caller passes along.
    ///   - build: Builds the destination.
    /// - Throws: Why there is no transition. Then nothing has changed.
    func fire(
        for purpose: CallPurpose = .fire,
        _ selector: EventSelector,
        _ call: borrowing Call,
        building build: (CandidateTransition) throws -> OwnedObject
    ) throws(InvalidTransition) {
        let role: TurnRole
        do { role = try acquire(call, for: purpose.firing(selector)) } catch {
            throw rejectWithoutTurn(selector, error, purpose, call)
        }
        var rejected: InvalidTransition?
        do throws(Rejection) { try fire(for: purpose, selector, as: role, call, building: build) } catch {
            let error = invalidTransition(error, call)
            if !purpose.endsWithGuards { post(.rejected(error), call) }
            rejected = error
        }
        finish(role, purpose, call)
        if let rejected { throw rejected }
    }

    /// The part of a fire that is in the turn.
    @inline(__always)
    private func fire(
        for purpose: CallPurpose,
        _ selector: EventSelector,
        as role: TurnRole,
        _ call: borrowing Call,
        building build: (CandidateTransition) throws -> OwnedObject
    ) throws(Rejection) {
        let source = try begin(selector, call)
        // Callbacks may fire again. An outermost call ends its turn, and so its phase, in `finish`.
        defer { if role == .nested { call.turn { $0.endFire() } } }
        let event = definition.events.element(try select(selector, in: source, call))
        guard try validate(event, from: source) else {
            if !purpose.endsWithGuards { post(ignored(event, in: source, call), call) }
            return
        }
        let queued = role == .nested ? call.turn { $0.lastQueued?.destinationObject } : nil
        let candidate = CandidateTransition(event: event, source: source, queuedSource: queued)
        let state = try object(of: candidate, building: build)
        let plan = try validate(candidate, leadingTo: state, call)
        guard role == .nested || hasListeners(in: plan.kind.phases, of: plan) else {
            if purpose.endsWithGuards { return call.retire(state) }
            _ = call.turn { $0.accept(leadingTo: plan.destination) }
            return carryOutUnheard(plan, to: state, call)
        }
        let transition = transition(plan, from: candidate, to: state, call)
        try askGuards(of: transition, purpose, call)
        if purpose.endsWithGuards { return call.retire(state) }
        switch call.turn({ $0.accept(leadingTo: plan.destination) }) {
        case .enqueue: call.turn { $0.enqueue(transition) }
        case .carryOut: carryOut(transition, to: state, call)
        }
    }
}

// MARK: - Until it is certain

extension MachineCore {
    /// Begins a fire in the turn of its call.
    /// - Returns: The state that it leaves.
    @inline(__always)
    private func begin(_ selector: EventSelector, _ call: borrowing Call) throws(Rejection) -> Int {
        let (source, beginning) = call.turn { ($0.expected, $0.beginFire()) }
        switch beginning {
        case .decide: return source
        case .rejectInProgress: throw rejection(.transitionInProgress, of: selector, from: source)
        case .rejectEndlessChain: throw rejection(.endlessChain, of: selector, from: source)
        }
    }

    /// Finds the event that is to fire.
    @inline(__always)
    private func select(_ selector: EventSelector, in source: Int, _ call: borrowing Call) throws(Rejection) -> Int {
        if case .event(let index) = selector { return index }
        return try search(selector, in: source, call)
    }

    /// Asks the table whether an event leaves a state.
    /// - Returns: `false` if it is ignored there.
    @inline(__always)
    private func validate(_ event: Immortal<CompiledEvent>, from source: Int) throws(Rejection) -> Bool {
        switch event.value.reach.verdict(from: source, to: nil) {
        case .allowed: return true
        case .ignored: return false
        case .notAllowed: throw Rejection(.notAllowed, event: event.value.index, from: source)
        }
    }

    /// Builds the destination.
    @inline(__always)
    private func object(
        of candidate: CandidateTransition,
        building build: (CandidateTransition) throws -> OwnedObject
    ) throws(Rejection) -> OwnedObject {
        do { return try build(candidate) } catch { throw rejection(of: candidate, because: error) }
    }

    /// Asks the table whether the event leads to the object that was built.
    @inline(__always)
    private func validate(
        _ candidate: CandidateTransition,
        leadingTo state: borrowing OwnedObject,
        _ call: borrowing Call
    ) throws(Rejection) -> TransitionPlan {
        let destination = state.withObject { definition.destination(of: candidate.event, from: candidate.source, $0) }
        if let destination { return TransitionPlan(candidate, to: destination, in: definition) }
        call.retire(OwnedObject(state.object))
        throw rejection(of: candidate, to: state.object)
    }

    /// The transition as callbacks get it.
    private func transition(
        _ plan: TransitionPlan,
        from candidate: CandidateTransition,
        to state: borrowing OwnedObject,
        _ call: borrowing Call
    ) -> StateTransition {
        StateTransition(
            plan,
            in: definition,
            from: source(of: candidate),
            to: state.object,
            by: call.machine,
            call.fullUserInfo
        )
    }

    /// Asks the guards, and claims the machines that the destination holds: the last steps that may refuse the transition.
    @inline(__always)
    private func askGuards(
        of transition: StateTransition,
        _ purpose: CallPurpose,
        _ call: borrowing Call
    ) throws(Rejection) {
        if hasListeners(in: .guards, of: transition.plan) { try askEachGuard(of: transition, purpose, call) }
        if transition.plan.hooks.contains(.regions) { try claimRegions(of: transition, purpose, call) }
    }

    @inline(never)
    private func askEachGuard(
        of transition: StateTransition,
        _ purpose: CallPurpose,
        _ call: borrowing Call
    ) throws(Rejection) {
        let unmet = unmetGuards(of: transition, askingAll: purpose == .survey)
        if unmet.isEmpty { return }
        call.retire(OwnedObject(transition.destinationObject))
        throw rejection(of: transition.plan, because: unmet)
    }

    @inline(never)
    private func claimRegions(
        of transition: StateTransition,
        _ purpose: CallPurpose,
        _ call: borrowing Call
    ) throws(Rejection) {
        do throws(NoTurn) {
            try claimRegions(of: transition.destinationObject, in: transition.plan.destination, for: purpose, call)
        } catch {
            call.retire(OwnedObject(transition.destinationObject))
            throw rejection(of: transition.plan, because: error)
        }
    }
}

// MARK: - When it is certain

extension MachineCore {
    /// Makes a transition: before, commit, after.
    /// - Parameters:
    ///   - transition: The transition as callbacks get it.
    ///   - state: The destination, which the machine takes over.
    ///   - call: The call that it happens for.
    private func carryOut(_ transition: StateTransition, to state: consuming OwnedObject, _ call: borrowing Call) {
        // The values of a queued transition are its own.
        let line = journalLine(of: transition.plan, to: transition.destinationObject, transition.fullUserInfo)
        notify(.before, of: transition)
        commit(transition.plan, to: state, line, call)
        notify(.after, of: transition)
        end(line, call)
    }

    /// Makes a transition of which nobody was to hear when it was accepted.
    private func carryOutUnheard(_ plan: TransitionPlan, to state: consuming OwnedObject, _ call: borrowing Call) {
        let line = journalLine(of: plan, to: state.object, call.fullUserInfo)
        commit(plan, to: state, line, call)
        // A closure may have been added meanwhile. Adding one and committing take the machine's lock: so a thread that adds one and then
        // reads the state sees the new one, or its closure is called here.
        if hasListeners(in: .after, of: plan) { notify(.after, of: currentTransition(plan, call)) }
        end(line, call)
    }

    @inline(__always)
    private func end(_ line: JournalLine?, _ call: borrowing Call) {
        guard let line else { return }
        line.end()
        // It holds the line that it has displaced, with users' objects.
        call.retire(OwnedObject(line))
    }

    /// The transition that was just committed, or the activation that is under way.
    func currentTransition(_ plan: TransitionPlan, _ call: borrowing Call) -> StateTransition {
        state.withOwnersView { state, previous in
            StateTransition(
                plan,
                in: definition,
                from: plan.hasNoEvent ? nil : previous,
                to: state,
                by: call.machine,
                call.fullUserInfo
            )
        }
    }

    /// Shows the destination to all readers at once, and lets the machine be fired from callbacks.
    @inline(__always)
    private func commit(
        _ plan: TransitionPlan,
        to state: consuming OwnedObject,
        _ line: JournalLine?,
        _ call: borrowing Call
    ) {
        // Before the lock: a scheduler, which may be a user's, tells the date.
        let entered = entryDate(of: plan, call)
        line?.date(date(of: call), revision: currentRevision)
        let status = PackedStatus(plan.destination, .done)
        let old = self.state.replace(by: state, definition.knownLayout(of: plan.destination)) {
            let revision = revision.load(ordering: .relaxed)
            if revision < Self.largestRevision { self.revision.store(revision + 1, ordering: .relaxed) }
            self.status.store(status.bits, ordering: .relaxed)
            if let entered { activity?.note(entered: entered) }
            line?.write()
        }
        call.turn { $0.commit() }
        if let old { call.retire(old) }
    }

    /// Carries out what callbacks have fired, and tells what is to be told, in order.
    @inline(__always)
    func drain(_ call: borrowing Call) {
        // Most turns queue nothing.
        while !call.turn({ $0.isDone() }) { carryOutNext(call) }
    }

    @inline(never)
    private func carryOutNext(_ call: borrowing Call) {
        call.thread.content.setDate(nil, of: call.id)
        switch call.turn({ $0.next() }) {
        case .carryOut(let next): carryOut(next, to: OwnedObject(next.destinationObject), call)
        case .tell(let occurrence): tellObservers(occurrence)
        case nil: break
        }
    }

    /// The date of the transition under way: asked for once.
    func date(of call: borrowing Call) -> Date {
        if let date = call.thread.content.date(of: call.id) { return date }
        // In two steps, because the scheduler may be a user's, which may come here again.
        let date = scheduler.date
        call.thread.content.setDate(date, of: call.id)
        return date
    }
}

// MARK: - Turns

/// The part of a call in the turn of its machine.
enum TurnRole {
    /// It begins a turn, and ends it.
    case outermost

    /// It begins and ends a turn within an action of the machine that this one belongs to.
    case inner

    /// It belongs to the turn under way on its thread, from a callback of which it comes.
    case nested
}

extension MachineCore {
    /// Acquires the machine for a call, waiting for another thread's turn, and activates it if that is due.
    ///
    /// A machine that was not given its context is not activated, and gets no turn. An activation gets the user info of a call whose
    /// purpose it is; one that comes before a fire gets none. It may be a whole run to completion of its own.
    @inline(__always)
    func acquire(_ call: borrowing Call, for purpose: @autoclosure () -> CallPurpose = .fire) throws(NoTurn) -> TurnRole
    {
        let thread = call.thread.id
        var role = TurnRole.outermost
        if ownership.tryAcquire(by: thread) {
            call.thread.content.open(call.id, in: now.index)
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
        case .inner: return finishInTree(call)
        case .outermost: drain(call)
        }
        let retired = call.thread.content.close(call.id)
        if ownership.release() { ParkingLot.shared.wake(for: call.machine) }
        // Not before, because a deinitializer is user code, which may take the next turn.
        withExtendedLifetime(retired) {}
    }

    @inline(__always)
    private func finish(_ role: TurnRole, _ purpose: CallPurpose, _ call: borrowing Call) {
        if purpose.endsWithGuards { finishRehearsal(role, call) } else { finish(role, call) }
    }
}
