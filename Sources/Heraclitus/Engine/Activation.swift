// Activates machines: enters or restores their state before the first call.

import Synchronization

extension MachineCore {
    /// Activates the machine, unless it is active or in the middle of its activation.
    func activate(_ call: borrowing Call) throws(NoTurn) {
        if !now.needsActivation { return }
        finish(try acquire(call, for: .activation), call)
    }

    /// Ends the turn of a rehearsal, which leaves the machine inactive.
    ///
    /// If guards have announced something, observers may fire, so the machine is activated first.
    @inline(never)
    func finishRehearsal(_ role: TurnRole, _ call: borrowing Call) {
        if role != .nested, now.needsActivation, call.turn({ $0.hasQueue }) {
            // `activate` has ended the turn before it throws.
            do { try activate(call, for: .fire, in: role) } catch { return }
        }
        finish(role, call)
    }

    /// Activates the machine for a call that has acquired it, if the purpose of the call needs that.
    @inline(never)
    func activate(_ call: borrowing Call, for purpose: CallPurpose, in role: TurnRole) throws(NoTurn) {
        do throws(NoTurn) {
            let isSuspended = now.pending == .resumption
            if purpose == .automatic || purpose == .automaticWithin && isSuspended { throw NoTurn(.notCurrent) }
            guard isEquipped else { throw NoTurn(.missingContext) }
            if purpose.endsWithGuards { return }
            if definition.states[now.index].hooks.isComposite {
                try claimRegions(of: currentObject, in: now.index, for: purpose, call)
            }
        } catch {
            finish(role, call)
            throw error
        }
        if case .activation = purpose { carryOutActivation(call) } else { carryOutActivation(Call(call.machine)) }
    }

    /// Enters the state of a new machine, or tells the state of a restored one: before, commit, after, and drain.
    @inline(never)
    private func carryOutActivation(_ call: borrowing Call) {
        guard let activation = now.pending else { preconditionFailure("The machine is active already.") }
        let plan = TransitionPlan(activation, in: now.index, in: definition)
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
        // The time of a machine that was put aside goes on here if its holder was made with it.
        if place?.putAside != nil { resumeTime(at: date(of: call)) }
        let entered = entryDate(of: plan, call)
        let status = PackedStatus(now.index)
        cell.change {
            self.status.store(status.bits, ordering: .relaxed)
            if let entered { activity?.note(entered: entered) }
        }
    }

    /// Records that deadlines and work of the state begin again at the next activation.
    func noteSuspension() {
        cell.change {
            // Checked under the lock: the machine of a released holder may be fired by another thread.
            guard !now.needsActivation else { return }
            status.store(PackedStatus(now.index, pending: .resumption).bits, ordering: .relaxed)
        }
    }
}
