// How does a turn begin that is no fire?

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
        if case .activation = purpose {
            carryOutActivation(call)
        } else {
            carryOutActivation(Call(withoutUserInfo: call))
        }
    }

    /// Enters the state in which a new machine begins, or tells that of a restored one: before, commit, after, and drain.
    @inline(never)
    func carryOutActivation(_ call: borrowing Call) {
        let plan = TransitionPlan(now.activation, in: now.index, in: definition)
        _ = call.turn { $0.beginFire() }
        var loan = lendCurrent(plan, call)
        notify(.before, of: plan, loan)
        noteActivation(entry(of: plan))
        call.turn { $0.commit() }
        notify(.after, of: plan, loan)
        call.takeBack(&loan)
        drain(call)
    }
}
