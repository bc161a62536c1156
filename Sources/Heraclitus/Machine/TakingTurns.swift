public import Synchronization

extension StateMachine {
    /// The turn under way, for the thread that has it.
    @inlinable var run: UnsafeMutablePointer<Run>? {
        core.run.load(ordering: .relaxed)?.assumingMemoryBound(to: Run.self)
    }

    /// Takes the turn, waiting for it as it is another thread's.
    /// - Throws: `.deadlock` if it could never come.
    @usableFromInline
    func takeTurn(as thread: FiringThread, for trigger: Trigger, userInfo: UserInfo) throws(InvalidTransition) {
        guard let circle = waitForTurn(as: thread) else { return }
        throw refusal(.deadlock, trigger, from: core.now.index, userInfo: userInfo, machines: circle)
    }

    /// Takes the turn, waiting for it if it is another thread's.
    /// - Returns: `nil` when it is this thread's; or the circle of machines because of which it could never come.
    func waitForTurn(as thread: FiringThread) -> [String]? {
        // Most turns are shorter than a trip to the waiting room and back.
        for _ in 0..<100 where core.turn.tryTake(by: thread) { return nil }
        return WaitingRoom.shared.wait(for: self, as: thread)
    }

    /// Does something in the turn that this thread has just taken, and passes the turn.
    @inlinable
    func withTurn(
        of thread: FiringThread,
        _ body: (UnsafeMutablePointer<Run>) throws(InvalidTransition) -> Void
    ) throws(InvalidTransition) {
        var run = Run(on: thread, at: core.now.index)
        defer {
            if core.turn.pass() { WaitingRoom.shared.wake(for: self) }
            run.leftBehind?.release()
        }
        try withUnsafeMutablePointer(to: &run) { pointer throws(InvalidTransition) in
            core.run.store(UnsafeMutableRawPointer(pointer), ordering: .relaxed)
            defer {
                // Also what was fired by a deinitializer when the body let go of its last objects.
                if pointer.pointee.backlog != nil { carryOutBacklog(in: pointer) }
                core.run.store(nil, ordering: .relaxed)
            }
            try body(pointer)
        }
    }
}

extension StateMachine: TurnHolder {
    @usableFromInline var turnName: String { definition.workflow }

    @usableFromInline var turnOwner: FiringThread? { core.turn.owner }

    @usableFromInline
    func tryTakeTurn(by thread: FiringThread, othersWait: Bool) -> Bool {
        core.turn.tryTake(by: thread, othersWait: othersWait)
    }

    @usableFromInline
    func noteWaitingForTurn() -> Bool { core.turn.noteWaiting() }
}
