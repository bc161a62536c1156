public import Synchronization

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
        // A callback of this machine can only be running in an active one, or in one that is about to be.
        guard !isActive, !turn.isMine, waitForTurn() == nil else { return }
        // The only error there is, that of a fire, has nowhere to come from.
        try? withTurn { run throws(InvalidTransition) in completeActivation(userInfo: userInfo, in: run) }
    }

    /// Carries out the activation that is due, and everything its callbacks fire.
    @inlinable
    func completeActivation(userInfo: UserInfo, in run: UnsafeMutablePointer<Run>) {
        let activation = position.withLock { $0.activation }
        guard activation != .done else { return }
        let standing = run.pointee.standing
        let state = definition.states[standing.index]
        let transition = StateTransition(
            event: nil,
            isUpdate: false,
            userInfo: userInfo,
            sourceObject: nil,
            destinationObject: object(of: standing.state),
            machine: self
        )
        if activation == .entry {
            run.pointee.phase = .preparing
            state.willEnter?(transition)
            hooksInUse?.call(.willEnter, transition)
        }
        position.withLock { $0.activation = .done }
        run.pointee.phase = .announcing
        if activation == .entry {
            state.didEnter?(transition)
            hooksInUse?.call(.didEnter, transition)
        } else {
            state.didRestore?(transition)
        }
        carryOutQueue(in: run)
    }
}
