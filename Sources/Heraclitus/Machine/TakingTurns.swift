public import Synchronization

extension StateMachine {
    /// Takes the turn, waiting for it if it is another thread's.
    /// - Throws: `.deadlock` if it could never come.
    @inlinable
    func takeTurn(for trigger: Trigger, userInfo: UserInfo) throws(InvalidTransition) {
        guard let circle = waitForTurn() else { return }
        let source = position.withLock { $0.standing.index }
        throw refusal(.deadlock, trigger, from: source, userInfo: userInfo, machines: circle)
    }

    /// Takes the turn, waiting for it if it is another thread's.
    /// - Returns: `nil` when it is this thread's; or the circle of machines because of which it could never come.
    @inlinable
    func waitForTurn() -> [String]? {
        let thread = ThreadID.current
        // Most turns are shorter than a trip to the waiting room and back.
        for _ in 0..<100 where turn.tryTake(by: thread) { return nil }
        return WaitingRoom.shared.wait(for: self, as: thread)
    }

    /// Does something in the turn that this thread has just taken, and passes the turn.
    @inlinable
    func withTurn<Result>(
        _ body: (UnsafeMutablePointer<Run>) throws(InvalidTransition) -> Result
    ) throws(InvalidTransition) -> Result {
        // Declared before the turn is passed and so released after it.
        var run = Run(at: position.withLock { $0.standing })
        defer {
            if turn.pass() { WaitingRoom.shared.wake(for: self) }
        }
        return try withUnsafeMutablePointer(to: &run) { pointer throws(InvalidTransition) in
            self.run = pointer
            defer {
                // Also what was fired by a deinitializer when the body let go of its last objects.
                carryOutQueue(in: pointer)
                self.run = nil
            }
            return try body(pointer)
        }
    }
}

extension StateMachine: TurnHolder {
    @usableFromInline var turnName: String { definition.workflow }

    @usableFromInline var turnOwner: ThreadID? { turn.owner }

    @usableFromInline
    func tryTakeTurn(by thread: ThreadID, othersWait: Bool) -> Bool {
        turn.tryTake(by: thread, othersWait: othersWait)
    }

    @usableFromInline
    func noteWaitingForTurn() -> Bool { turn.noteWaiting() }
}
