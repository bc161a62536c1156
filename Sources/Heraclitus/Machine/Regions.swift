extension StateMachine: Region {}

extension StateMachine: TreeMachine {
    func withCore<Result, Failure: Error>(
        _ body: (borrowing MachineCore) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(core)
    }

    func beginAction(
        around region: TreePlace,
        for purpose: CallPurpose,
        on thread: CurrentThread<ThreadState>
    ) throws(Obstacle) -> TurnRole {
        try core.beginAction(around: region, of: self, for: purpose, Call(self, on: thread))
    }

    func endAction(_ role: TurnRole, on thread: CurrentThread<ThreadState>) {
        core.finishRehearsal(role, Call(self, on: thread))
    }
}
