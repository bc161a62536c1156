extension StateMachine: Region {}

extension StateMachine: DescribedRegion {
    static var workflowName: String { W.name }

    static var canEnd: Bool { CompiledWorkflow<W>.canEnd }

    static func table(within path: [ObjectIdentifier]) -> TransitionTable { W.table(within: path) }

    func table(within path: [ObjectIdentifier]) -> TransitionTable {
        W.table(within: path, knowing: core.snapshot.state)
    }
}

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
    ) throws(NoTurn) -> TurnRole {
        try core.beginAction(around: region, for: purpose, Call(self, on: thread))
    }

    func endAction(_ role: TurnRole, hasEnded: Bool, on thread: CurrentThread<ThreadState>) {
        if hasEnded { core.fireCompletion(of: self) }
        // The inner call may have been a rehearsal, which has not activated this machine either.
        core.finishRehearsal(role, Call(self, on: thread))
    }

    func appoint(_ deputy: any TreeMachine, on thread: CurrentThread<ThreadState>) {
        core.appoint(deputy, Call(self, on: thread))
    }

    func beginTurns(around deputy: any TreeMachine, on thread: CurrentThread<ThreadState>) {
        core.beginTurns(around: deputy, Call(self, on: thread))
    }

    func endTurns(
        around deputy: any TreeMachine,
        _ holder: HolderTurn,
        hasEnded: Bool,
        on thread: CurrentThread<ThreadState>
    ) {
        core.endTurns(around: deputy, holder, hasEnded: hasEnded, Call(self, on: thread))
    }

    func inherit(_ context: GivenContext) {
        if definition.needsContext, context.value(as: W.Context.self) != nil { core.environment?.give(context) }
    }
}
