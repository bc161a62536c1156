extension StateMachine: Region {}

extension StateMachine: TreeMachine {
    static var workflowType: any Workflow.Type { W.self }

    func table(within path: [ObjectIdentifier]) -> TransitionTable {
        definition.content.value.objects.makeTable(path, core.snapshot.state)
    }

    func beginAction(around region: TreePlace, for purpose: CallPurpose) throws(NoTurn) -> TurnRole {
        try core.beginAction(around: region, for: purpose, Call(self))
    }

    func endAction(_ role: TurnRole, hasMoved: Bool, hasEnded: Bool) {
        let call = Call(self)
        if hasMoved {
            core.fireConditions(of: self, includingEnds: hasEnded)
            call.thread.content.noteMove(within: call.id)
        }
        // The inner call may have been a rehearsal, which leaves this machine inactive, too.
        core.finishRehearsal(role, call)
    }

    func beginReading() -> ReadingTurn { core.beginReading(Call(self)) }

    func endRehearsal(_ role: TurnRole) { core.finishRehearsal(role, Call(self)) }

    func start() {
        let call = Call(self)
        do { try core.activate(call) } catch {
            // The observers are the only ones to learn that the machine stays inactive.
            guard case .missingContext = error else { return }
            let details = Rejection.Details(machines: error.machines, attempt: "be activated")
            core.tellOutsideTurn(.rejected(core.invalidTransition(error.reason, details, call)), call)
        }
    }

    func inherit(_ context: GivenContext) -> Bool {
        guard definition.needsContext else { return true }
        guard context.value(as: W.Context.self) != nil else { return false }
        core.give(context)
        return true
    }
}
