// How does a turn begin that is no fire?

import HeraclitusEssentials
import Synchronization

extension MachineCore {
    /// Activates the machine, unless it is active or a callback of its own calls.
    func activate(_ call: borrowing Call) throws(NoTurn) {
        if now.isActive { return }
        finish(try acquire(call, for: .activation), call)
    }

    /// Calls a body that may fire, in turn with the transitions.
    ///
    /// The body gets the place in the queue at which observers are to hear of it. What it throws comes back; that there is no turn is a
    /// ``NoTurn``.
    func perform<Result>(
        _ call: borrowing Call,
        for purpose: CallPurpose = .fire,
        _ body: (TurnPlace) throws -> Result
    ) throws -> Result {
        let role = try acquire(call, for: purpose)
        defer { finish(role, call) }
        return try body(call.turn { $0.beginAction() })
    }

    /// Tells observers something in turn with the transitions, if anybody observes or a journal is kept.
    func announce(
        _ outcome: @autoclosure () -> Occurrence.Outcome,
        for purpose: CallPurpose = .fire,
        _ call: borrowing Call
    ) {
        guard listens(to: [.notices, .journal]) else { return }
        guard let role = try? acquire(call, for: purpose) else { return tellOutsideTurn(outcome(), call) }
        post(outcome(), call)
        finish(role, call)
    }

    /// Ends the turn of a rehearsal, which does not activate the machine.
    ///
    /// But its guards may have announced something, and observers who hear of it may fire: for them it has to be active.
    @inline(never)
    func finishRehearsal(_ role: TurnRole, _ call: borrowing Call) {
        if role != .nested, !now.isActive, call.turn({ $0.hasQueue }) {
            // A machine that cannot be activated has ended its turn.
            do { try activate(call, for: .fire, in: role) } catch { return }
        }
        finish(role, call)
    }

    /// Activates the machine for a call that has acquired it, if the call's purpose demands it.
    @inline(never)
    func activate(_ call: borrowing Call, for purpose: CallPurpose, in role: TurnRole) throws(NoTurn) {
        do throws(NoTurn) {
            if case .automatic = purpose { throw .notCurrent }
            guard isEquipped else { throw .missingContext }
            if purpose.endsWithGuards { return }
            let state = state.withOwnersView { state, _ in state }
            try claimRegions(of: state, in: now.index, for: purpose, call)
        } catch {
            finish(role, call)
            throw error
        }
        if case .activation = purpose { carryOutActivation(call) } else { carryOutActivation(Call(call.machine)) }
    }

    /// Enters the state in which a new machine begins, or tells that of a restored one: before, commit, after, and drain.
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
        call.thread.content.setDate(nil, of: call.id)
    }

    /// Notes that the machine is active.
    private func noteActivation(of plan: TransitionPlan, _ call: borrowing Call) {
        var entered = entryDate(of: plan, call)
        let putAside = place?.takePutAside()
        // The time in a state that is only entered now has not begun before.
        if let putAside, plan.kind != .entry, let activity, !definition.states[now.index].hooks.isAging {
            // Its time has stood still meanwhile.
            entered = activity.entered.addingTimeInterval(max(0, self.date(of: call).timeIntervalSince(putAside)))
        }
        let status = PackedStatus(now.index, .done)
        state.change {
            self.status.store(status.bits, ordering: .relaxed)
            if let entered { activity?.note(entered: entered) }
        }
    }

    /// Notes that what goes on in the state is to be begun again, if anything did.
    func noteSuspension() {
        state.change {
            // Asked here: the machine may be that of a holder which is gone, and be fired by another thread.
            guard now.isActive else { return }
            status.store(PackedStatus(now.index, .resumption).bits, ordering: .relaxed)
        }
    }
}
