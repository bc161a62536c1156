import Synchronization

extension MachineCore {
    /// Takes the turn, which is another thread's or was just now.
    /// - Throws: `.deadlock` if it could never come.
    func takeTurn(
        of machine: any TurnHolder,
        as thread: FiringThread,
        for trigger: Trigger,
        userInfo: UserInfo
    ) throws(InvalidTransition) {
        guard let circle = waitForTurn(of: machine, as: thread) else { return }
        let refusal = refusal(.deadlock, trigger, from: now.index, userInfo: userInfo, machines: circle)
        tellAtOnce(.rejected(refusal), as: thread)
        throw refusal
    }

    /// Takes the turn, waiting for it if it is another thread's.
    /// - Returns: `nil` when it is this thread's; or the circle of machines because of which it could never come.
    func waitForTurn(of machine: any TurnHolder, as thread: FiringThread) -> [String]? {
        // Most turns are shorter than a trip to the waiting room and back. But whoever looks at the turn all the time takes
        // it away from the memory of the thread that has it, and both get on more slowly: so ever more seldom.
        var pause = 64
        while pause <= 2048 {
            if turn.isFree && turn.tryTake(by: thread) { return nil }
            thread.pause(pause)
            pause *= 2
        }
        return WaitingRoom.shared.wait(for: machine, as: thread)
    }

    /// Begins the turn that a thread has just taken.
    func open(_ stack: UnsafeMutablePointer<Run>, by thread: FiringThread) {
        stack.pointee.thread = thread
        stack.pointee.expected = now.index
        run.store(stack, ordering: .relaxed)
    }

    /// Carries out what callbacks have fired, passes the turn, and lets go of what was left behind.
    func close(_ stack: UnsafeMutablePointer<Run>, of machine: any TurnHolder) {
        // Also what was fired by a deinitializer when the caller let go of its last objects.
        if stack.pointee.backlog != nil { carryOutBacklog(in: stack) }
        run.store(nil, ordering: .relaxed)
        if turn.pass() { WaitingRoom.shared.wake(for: machine) }
        // Now, because releasing a state may call user code. That may take the next turn.
        stack.pointee.leftBehind?.release()
        stack.pointee.backlog?.release()
    }
}

extension StateMachine: TurnHolder {
    @usableFromInline var turnName: String { core.definition.workflow }

    @usableFromInline var turnOwner: FiringThread? { core.turn.owner }

    @usableFromInline
    func tryTakeTurn(by thread: FiringThread, othersWait: Bool) -> Bool {
        core.turn.tryTake(by: thread, othersWait: othersWait)
    }

    @usableFromInline
    func noteWaitingForTurn() -> Bool { core.turn.noteWaiting() }
}
