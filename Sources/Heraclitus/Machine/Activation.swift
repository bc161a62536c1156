import Synchronization

extension StateMachine {
    /// Enters the initial state of a new machine, or tells a restored state that it is back, once.
    ///
    /// A new machine's initial state hears ``EntryPreparing/willEnter(_:)`` and ``Entering/didEnter(_:)``; guards are not
    /// asked. A restored machine's state, and that of one made with ``init(in:)``, hears ``Restoring/didRestore(_:)``. What
    /// these fire is carried out before `activate` returns. An active machine stays as it is. The first fire activates,
    /// too.
    ///
    /// Waits for another thread's transition under way, unless that thread waits for this one: then the activation is left
    /// to it, and `activate` returns before it is done.
    /// - Parameter userInfo: What the callbacks get.
    public func activate(userInfo: UserInfo = [:]) {
        let thread = FiringThread.current
        // A callback of this machine can only be running in an active one, or in one that is about to be.
        guard !isActive, !core.turn.isMine, waitForTurn(as: thread) == nil else { return }
        // The only error there is, that of a fire, has nowhere to come from.
        try? withTurn(of: thread) { run throws(InvalidTransition) in completeActivation(userInfo: userInfo, in: run) }
    }

    /// Carries out the activation that is due, and everything its callbacks fire.
    @usableFromInline
    func completeActivation(userInfo: UserInfo, in run: UnsafeMutablePointer<Run>) {
        let standing = core.now
        guard !standing.isActive else { return }
        let state = definition.state(standing.index)
        let transition = run.pointee.thread.transition(
            TransitionRecord.Content(
                userInfo: userInfo,
                destination: object(of: shown),
                destinationState: state,
                machine: Unmanaged.passUnretained(self)
            )
        )
        if standing.activation == .entry {
            run.pointee.phase = .preparing
            state.pointee.hooks.willEnter(transition)
            core.callOwn(.willEnter, transition)
        }
        core.lock.withLock { _ in core.standing.store(Standing(standing.index, .done).bits, ordering: .relaxed) }
        run.pointee.phase = .announcing
        if standing.activation == .entry {
            state.pointee.hooks.didEnter(transition)
            core.callOwn(.didEnter, transition)
        } else {
            state.pointee.hooks.didRestore(transition)
        }
        run.pointee.thread.finish(transition)
        carryOutBacklog(in: run)
    }
}
