extension StateMachine: Region {}

extension StateMachine: TreeMachine {
    package static var workflowType: any Workflow.Type { W.self }

    func table(within path: [ObjectIdentifier]) -> TransitionTable {
        definition.content.value.objects.makeTable(path, core.snapshot.state)
    }

    func inherit(_ context: GivenContext) -> Bool {
        guard definition.needsContext else { return true }
        guard context.value(as: W.Context.self) != nil else { return false }
        core.give(context)
        return true
    }
}
