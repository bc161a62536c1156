// Begins turns for activations, actions, announcements and rehearsals.

import HeraclitusEssentials
import Synchronization

extension MachineCore {
    /// Activates the machine, unless it is active or in the middle of its activation.
    func activate(_ call: borrowing Call) throws(NoTurn) {
        if now.isActive { return }
        finish(try acquire(call, for: .activation), call)
    }

    /// Calls a body that may fire, in turn with the transitions.
    ///
    /// The body gets the place in the queue for its notice to observers. Errors of the body are rethrown; a missing
    /// turn is a ``NoTurn``.
    func perform<Result>(
        _ call: borrowing Call,
        for purpose: CallPurpose = .fire,
        _ body: (TurnPlace) throws -> Result
    ) throws -> Result {
        let role = try acquire(call, for: purpose)
        defer { finish(role, call) }
        return try body(call.turn { $0.beginAction() })
    }

    /// Tells observers of an occurrence in turn with the transitions, if there are observers or a journal.
    func announce(
        _ outcome: @autoclosure () -> Occurrence.Outcome,
        for purpose: CallPurpose = .fire,
        _ call: borrowing Call
    ) {
        guard hasObserversOfNotices else { return }
        guard let role = try? acquire(call, for: purpose) else { return tellOutsideTurn(outcome(), call) }
        post(outcome(), call)
        finish(role, call)
    }

    /// Ends the turn of a rehearsal, which leaves the machine inactive.
    ///
    /// If guards have announced something, observers may fire, so the machine is activated first.
    @inline(never)
    func finishRehearsal(_ role: TurnRole, _ call: borrowing Call) {
        if role != .nested, !now.isActive, call.turn({ $0.hasQueue }) {
            // A machine that cannot be activated has already ended its turn.
            do { try activate(call, for: .fire, in: role) } catch { return }
        }
        finish(role, call)
    }

    /// Activates the machine for a call that has acquired it, if the purpose of the call needs that.
    @inline(never)
    func activate(_ call: borrowing Call, for purpose: CallPurpose, in role: TurnRole) throws(NoTurn) {
        do throws(NoTurn) {
            let isSuspended = now.activation == .resumption
            if purpose == .automatic || purpose == .automaticWithin && isSuspended { throw NoTurn(.notCurrent) }
            guard isEquipped else { throw NoTurn(.missingContext) }
            if purpose.endsWithGuards { return }
            let state = state.withOwnersView { state, _ in state }
            try claimRegions(of: state, in: now.index, for: purpose, call)
        } catch {
            finish(role, call)
            throw error
        }
        if case .activation = purpose { carryOutActivation(call) } else { carryOutActivation(Call(call.machine)) }
    }

    /// Enters the state of a new machine, or tells the state of a restored one: before, commit, after, and drain.
    @inline(never)
    private func carryOutActivation(_ call: borrowing Call) {
        let plan = TransitionPlan(now.activation, in: now.index, in: definition)
        _ = call.turn { $0.beginFire() }
        let transition = currentTransition(plan, call)
        notify(.before, of: transition)
        noteActivation(of: plan, call)
        call.turn { $0.commit() }
        notify(.after, of: transition)
        drain(call)
        call.entry { $0.date = nil }
    }

    /// Records that the machine is active.
    private func noteActivation(of plan: TransitionPlan, _ call: borrowing Call) {
        // A holder that was made with the machine in its state resumes its time at the activation.
        if place?.putAside != nil { resumeTime(at: date(of: call)) }
        let entered = entryDate(of: plan, call)
        let status = PackedStatus(now.index, .done)
        state.change {
            self.status.store(status.bits, ordering: .relaxed)
            if let entered { activity?.note(entered: entered) }
        }
    }

    /// Records that deadlines and work of the state begin again at the next activation.
    func noteSuspension() {
        state.change {
            // Checked under the lock: the machine of a released holder may be fired by another thread.
            guard now.isActive else { return }
            status.store(PackedStatus(now.index, .resumption).bits, ordering: .relaxed)
        }
    }
}
