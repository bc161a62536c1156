// Turns a fire into a transition.
//
// This file shows the steps: acquire, select, validate, build, validate the destination, ask the guards, enqueue or
// carry out, commit, drain, release. The last section has the first and the last step. One thread owns the machine from
// `acquire` to `finish`; user code runs outside locks.
//
// A rehearsal is a fire that ends after the guards. A machine in a state shares the turn of its holder:
// Tree/MachineTree.swift. Turn.swift has the decisions of a turn, Phases.swift the calls of hooks and closures, and
// Activation.swift the first turn of a machine.

import HeraclitusEssentials
import Synchronization

extension MachineCore {
    /// Fires or rehearses an event.
    /// - Parameters:
    ///   - purpose: Whether the call fires or rehearses.
    ///   - selector: The event to fire.
    ///   - call: The machine of this core, and the caller's values.
    ///   - build: Builds the destination.
    /// - Throws: The reason of a rejection. The machine is then unchanged.
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
        do throws(InvalidTransition) { try fire(for: purpose, selector, as: role, call, building: build) } catch {
            let error = completed(error, call)
            if !purpose.endsWithGuards { post(.rejected(error), call) }
            rejected = error
        }
        if purpose.endsWithGuards { finishRehearsal(role, call) } else { finish(role, call) }
        if let rejected { throw rejected }
    }

    /// The part of a fire within the turn.
    @inline(__always)
    private func fire(
        for purpose: CallPurpose,
        _ selector: EventSelector,
        as role: TurnRole,
        _ call: borrowing Call,
        building build: (CandidateTransition) throws -> OwnedObject
    ) throws(InvalidTransition) {
        let (source, reason) = call.turn { ($0.expected, $0.beginFire()) }
        if let reason { throw rejection(reason, of: selector, from: source) }
        // A nested fire has a date of its own; that of the transition under way is put aside until `endNestedFire`.
        if role == .nested { call.entry { ($0.dateUnderWay, $0.date) = ($0.date, nil) } }
        defer { if role == .nested { endNestedFire(call) } }
        let number = if case .event(let number) = selector { number } else { try search(selector, in: source, call) }
        let event = definition.events.element(number)
        guard try validate(event, from: source) else {
            if !purpose.endsWithGuards { post(ignored(event, in: source, call), call) }
            return
        }
        let queued = role == .nested ? queuedObject(call) : nil
        let candidate = CandidateTransition(event: event, source: source, queuedSource: queued)
        let state = try object(of: candidate, building: build)
        let plan = try validate(candidate, leadingTo: state, call)
        guard role == .nested || hasListeners(in: plan.kind.phases, of: plan) else {
            if purpose.endsWithGuards { return call.retire(state) }
            _ = call.turn { $0.accept(leadingTo: plan.destination) }
            return carryOutUnheard(plan, to: state, call)
        }
        let transition = makeTransition(plan, from: candidate, to: state, call)
        if hasListeners(in: .guards, of: plan) { try askEachGuard(of: transition, purpose, call) }
        if plan.hookPhases.contains(.regions) { try claimRegions(of: transition, purpose, call) }
        if purpose.endsWithGuards { return call.retire(state) }
        let waits = call.turn { $0.accept(leadingTo: plan.destination) }
        if waits {
            // Read at the acceptance, because a transition that is accepted later could have an earlier date.
            let date = date(of: call)
            call.turn { $0.enqueue(QueuedTransition(transition: transition, date: date)) }
        } else {
            carryOut(transition, to: state, call)
        }
    }

    /// Ends a nested fire: the transition under way goes on, with its date.
    private func endNestedFire(_ call: borrowing Call) {
        call.entry {
            $0.turn.endFire()
            $0.date = $0.dateUnderWay
        }
    }
}

// MARK: - Before the decision

extension MachineCore {
    /// Checks whether the table lets an event leave a state.
    /// - Returns: `false` for an ignored event.
    @inline(__always)
    private func validate(_ event: Immortal<CompiledEvent>, from source: Int) throws(InvalidTransition) -> Bool {
        switch event.value.reach.verdict(from: source, to: nil) {
        case .allowed: return true
        case .ignored: return false
        case .notAllowed: throw InvalidTransition(.notAllowed, in: definition, event: event.value.index, from: source)
        }
    }

    /// Builds the destination.
    @inline(__always)
    private func object(
        of candidate: CandidateTransition,
        building build: (CandidateTransition) throws -> OwnedObject
    ) throws(InvalidTransition) -> OwnedObject {
        do { return try build(candidate) } catch { throw rejection(of: candidate, because: error) }
    }

    /// Checks whether the event leads to the built object.
    @inline(__always)
    private func validate(
        _ candidate: CandidateTransition,
        leadingTo state: borrowing OwnedObject,
        _ call: borrowing Call
    ) throws(InvalidTransition) -> TransitionPlan {
        let destination = state.withObject { definition.destination(of: candidate.event, from: candidate.source, $0) }
        if let destination { return TransitionPlan(candidate, to: destination, in: definition) }
        call.retire(OwnedObject(state.object))
        throw rejection(of: state.object, event: candidate.event.value.index, from: candidate.source)
    }

    /// The transition for callbacks, which only keeps its values.
    private func makeTransition(
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

    /// Asks the guards.
    @inline(never)
    private func askEachGuard(
        of transition: StateTransition,
        _ purpose: CallPurpose,
        _ call: borrowing Call
    ) throws(InvalidTransition) {
        let unmet = unmetGuards(of: transition, askingAll: purpose == .rehearsal(asksAll: true))
        if unmet.isEmpty { return }
        call.retire(OwnedObject(transition.destinationObject))
        let details = InvalidTransition.Details(underlyingError: unmet.first, unmetGuards: unmet)
        throw rejection(of: transition.plan, .declined, details)
    }

    /// Claims the machines of the destination, the last step that can reject the transition.
    @inline(never)
    private func claimRegions(
        of transition: StateTransition,
        _ purpose: CallPurpose,
        _ call: borrowing Call
    ) throws(InvalidTransition) {
        do throws(NoTurn) {
            try claimRegions(of: transition.destinationObject, in: transition.plan.destination, for: purpose, call)
        } catch {
            call.retire(OwnedObject(transition.destinationObject))
            throw rejection(of: transition.plan, error.reason, InvalidTransition.Details(machines: error.machines))
        }
    }
}

// MARK: - After the decision

extension MachineCore {
    /// Makes a transition: before, commit, after.
    /// - Parameters:
    ///   - transition: The transition for callbacks.
    ///   - state: The destination, which the machine takes over.
    ///   - call: The call of the transition.
    private func carryOut(_ transition: StateTransition, to state: consuming OwnedObject, _ call: borrowing Call) {
        // `nil` without a journal. The values are the transition's, because `call` is the outermost fire's.
        let line = journalLine(of: transition.plan, to: transition.destinationObject, transition.fullUserInfo)
        notify(.before, of: transition)
        commit(transition.plan, to: state, line, call)
        notify(.after, of: transition)
        end(line, call)
    }

    /// Makes a transition that had no listeners when it was accepted.
    private func carryOutUnheard(_ plan: TransitionPlan, to state: consuming OwnedObject, _ call: borrowing Call) {
        let line = journalLine(of: plan, to: state.object, call.fullUserInfo)
        commit(plan, to: state, line, call)
        // Another thread may have added a closure since. It sees the new state, or its closure is called here, because
        // adding and committing take the lock of `cell`.
        if hasListeners(in: .after, of: plan) { notify(.after, of: currentTransition(plan, call)) }
        end(line, call)
    }

    @inline(__always)
    private func end(_ line: JournalLine?, _ call: borrowing Call) {
        guard let line else { return }
        line.end()
        // Released after the turn, because the line keeps the dropped one, whose objects have deinitializers of users.
        call.retire(OwnedObject(line))
    }

    /// The transition that was just committed, or the activation under way.
    func currentTransition(_ plan: TransitionPlan, _ call: borrowing Call) -> StateTransition {
        cell.withOwnersView { state, previous in
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

    /// Shows the destination to all readers at once, and allows fires from callbacks.
    @inline(__always)
    private func commit(
        _ plan: TransitionPlan,
        to state: consuming OwnedObject,
        _ line: JournalLine?,
        _ call: borrowing Call
    ) {
        // The date is read before the lock, because the scheduler may be a user's.
        let entered = entryDate(of: plan, call)
        let date = line == nil ? nil : date(of: call)
        let status = PackedStatus(plan.destination)
        let old = cell.replace(by: state, definition.knownLayout(of: plan.destination)) {
            let revision = revision.load(ordering: .relaxed)
            if revision < Self.largestRevision { self.revision.store(revision + 1, ordering: .relaxed) }
            self.status.store(status.bits, ordering: .relaxed)
            if let entered { activity?.note(entered: entered) }
            if let date { line?.write(at: date, revision: currentRevision) }
        }
        call.turn { $0.commit() }
        if let old { call.retire(old) }
    }

    /// Carries out queued transitions and notices, in order.
    @inline(__always)
    func drain(_ call: borrowing Call) {
        // Most turns have an empty queue.
        while !call.turn({ $0.endIfNothingWaits() }) { carryOutNext(call) }
    }

    @inline(never)
    private func carryOutNext(_ call: borrowing Call) {
        call.entry { $0.date = nil }
        switch call.turn({ $0.next() }) {
        case .transition(let next):
            call.entry { $0.date = next.date }
            carryOut(next.transition, to: OwnedObject(next.transition.destinationObject), call)
        case .notice(let occurrence): tellObservers(occurrence)
        case nil: break
        }
    }

    /// The date of the transition under way, read once.
    func date(of call: borrowing Call) -> Date {
        if let date = call.entry({ $0.date }) { return date }
        // Outside `entry`, because a user's scheduler may call this method again.
        let date = scheduler.date
        call.entry { $0.date = date }
        return date
    }

    /// The date of a transition into its destination, if the state uses the date.
    @inline(__always)
    func entryDate(of plan: TransitionPlan, _ call: borrowing Call) -> Date? {
        guard plan.hookPhases.contains(.activityStart), plan.kind == .external || plan.kind == .activation(.entry),
            definition.states[plan.destination].keepsEntry
        else { return nil }
        return date(of: call)
    }
}

// MARK: - Turns

/// The role of a call in the turn of its machine.
enum TurnRole {
    /// Begins and ends the turn.
    case outermost

    /// Begins and ends a turn within an action of the machine's holder.
    case inner

    /// Is part of the turn under way on its thread, from one of the turn's callbacks.
    case nested
}

extension MachineCore {
    /// Acquires the machine for a call, waiting for another thread's turn, and activates the machine if necessary.
    ///
    /// A machine without its context stays inactive and gets no turn. Only an explicit activation gets the user info of
    /// its call; an activation before a fire gets none. Fires from the hooks of an activation are carried out before
    /// this returns.
    @inline(__always)
    func acquire(_ call: borrowing Call, for purpose: @autoclosure () -> CallPurpose = .fire) throws(NoTurn) -> TurnRole
    {
        let thread = call.thread.content.id
        var role = TurnRole.outermost
        if ownership.tryAcquire(by: thread) {
            call.thread.content.open(call.id, in: now.index)
        } else {
            if ownership.isOwned(by: thread) { return .nested }
            role = try acquireLater(call, for: purpose())
            if role == .nested { return role }
        }
        if now.needsActivation { try activate(call, for: purpose(), in: role) }
        return role
    }

    /// Ends a turn: drains the queue, releases the machine, and then releases retired objects.
    @inline(__always)
    func finish(_ role: TurnRole, _ call: borrowing Call) {
        switch role {
        case .nested: return
        case .inner: return finishInTree(call)
        case .outermost: drain(call)
        }
        let retired = call.thread.content.close(call.id)
        let othersWait = ownership.release()
        if othersWait { ParkingLot.shared.wake(for: call.machine) }
        // Released last, because a deinitializer is user code, which may take the next turn.
        withExtendedLifetime(retired) {}
    }
}
