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
        guard !isActive, !core.turn.isOwned(by: thread), core.waitForTurn(of: self, as: thread) == nil else { return }
        var run = Run()
        withUnsafeMutablePointer(to: &run) { run in
            core.open(run, by: thread)
            core.completeActivation(of: self, userInfo: userInfo, in: run)
            core.close(run, of: self)
        }
    }
}

extension MachineCore {
    /// Carries out the activation that is due, and everything its callbacks fire.
    func completeActivation(of machine: any TurnHolder, userInfo: UserInfo, in run: UnsafeMutablePointer<Run>) {
        // The record refers to it without counting; the machine is the caller's.
        defer { withExtendedLifetime(userInfo) {} }
        let standing = now
        guard !standing.isActive, let thread = run.pointee.thread else { return }
        let hooks = definition.state(standing.index).pointee.hooks
        let record = thread.record(
            TransitionRecord.Content(
                userInfo: userInfo.storage.map { Unmanaged.passUnretained($0) },
                destination: state.load(ordering: .relaxed),
                destinationState: definition.state(standing.index),
                machine: Unmanaged.passUnretained(machine)
            )
        )
        record._withUnsafeGuaranteedRef { record in
            let transition = StateTransition(record)
            if standing.activation == .entry {
                run.pointee.phase = .preparing
                hooks.willEnter(transition)
                callOwn(.willEnter, transition)
            }
            lock.withLock { _ in self.standing.store(Standing(standing.index, .done).bits, ordering: .relaxed) }
            run.pointee.phase = .announcing
            if standing.activation == .entry {
                hooks.didEnter(transition)
                callOwn(.didEnter, transition)
            } else {
                hooks.didRestore(transition)
            }
        }
        thread.finish(record, in: run)
        carryOutBacklog(in: run)
    }
}
