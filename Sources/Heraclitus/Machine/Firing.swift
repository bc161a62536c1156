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
        building build: (Offer<W>) throws -> Made<W>
    ) throws(InvalidTransition) {
        if turn.isMine, let run {
            try attemptAgain(trigger, userInfo: userInfo, building: build, in: run)
            return
        }
        try takeTurn(for: trigger, userInfo: userInfo)
        try withTurn { run throws(InvalidTransition) in
            completeActivation(userInfo: [:], in: run)
            guard let step = try accept(trigger, userInfo: userInfo, building: build, in: run) else { return }
            carryOut(step, in: run)
        }
    }

    /// Fires from a callback: now or never is decided now, the rest comes when everyone has been called.
    @inlinable
    func attemptAgain(
        _ trigger: Trigger,
        userInfo: UserInfo,
        building build: (Offer<W>) throws -> Made<W>,
        in run: UnsafeMutablePointer<Run>
    ) throws(InvalidTransition) {
        func refusal(_ reason: InvalidTransition.Reason) -> InvalidTransition {
            self.refusal(reason, trigger, from: run.pointee.standing.index, userInfo: userInfo)
        }
        guard run.pointee.phase == .announcing else { throw refusal(.transitionInProgress) }
        guard run.pointee.queue.count < Self.chainLimit else { throw refusal(.endlessChain) }
        defer { run.pointee.phase = .announcing }
        guard let step = try accept(trigger, userInfo: userInfo, building: build, in: run) else { return }
        run.pointee.queue.append(step)
    }
}
