// The way of one fire, each step in a file of its own: take the turn (TakingTurns), activate (Activation), accept
// (Accepting), carry out, and carry out what callbacks have fired (CarryingOut).

extension StateMachine {
    /// How many fires of callbacks are carried out before the outermost fire returns: 10,000.
    ///
    /// The one that exceeds it throws `.endlessChain`; those before it happen, and the outermost fire succeeds.
    @inlinable public static var chainLimit: Int { 10_000 }

    @inlinable
    func attempt(
        _ trigger: Trigger,
        userInfo: UserInfo,
        building build: (Offer<W>) throws -> W.AnyState
    ) throws(InvalidTransition) {
        let thread = FiringThread.current
        if !core.turn.tryTake(by: thread) {
            if core.turn.isMine, let run {
                try attemptAgain(trigger, userInfo: userInfo, building: build, in: run)
                return
            }
            try takeTurn(as: thread, for: trigger, userInfo: userInfo)
        }
        try withTurn(of: thread) { run throws(InvalidTransition) in
            if !core.now.isActive { completeActivation(userInfo: [:], in: run) }
            guard let passage = try accept(trigger, userInfo: userInfo, building: build, in: run) else { return }
            carryOut(passage, in: run)
        }
    }

    /// Fires from a callback: now or never is decided now, the rest comes when everyone has been called.
    @inlinable
    func attemptAgain(
        _ trigger: Trigger,
        userInfo: UserInfo,
        building build: (Offer<W>) throws -> W.AnyState,
        in run: UnsafeMutablePointer<Run>
    ) throws(InvalidTransition) {
        func refusal(_ reason: InvalidTransition.Reason) -> InvalidTransition {
            self.refusal(reason, trigger, from: run.pointee.expected, userInfo: userInfo)
        }
        guard run.pointee.phase == .announcing else { throw refusal(.transitionInProgress) }
        guard run.pointee.passagesPutOff < Self.chainLimit else { throw refusal(.endlessChain) }
        defer { run.pointee.phase = .announcing }
        guard let passage = try accept(trigger, userInfo: userInfo, building: build, in: run, isPutOff: true) else {
            return
        }
        run.pointee.putOff(passage)
    }
}
