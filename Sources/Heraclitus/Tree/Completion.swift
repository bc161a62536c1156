// Have the machines in a state ended?

extension MachineCore {
    /// Fires the event whose time has come because machines in the state have ended, unless the state is about to be left or updated.
    func fireCompletion(of machine: any TreeMachine) {
        let completions = definition.states[now.index].completions
        guard !completions.isEmpty, Call(machine, [:]).turn({ $0.lastQueued == nil }) else { return }
        let state = state.withOwnersView { state, _ in state }
        for completion in completions {
            let regions = completion.rule.regions(state)
            let haveEnded = regions.allSatisfy { region in
                (region as? any TreeMachine)?.withCore { $0.isInFinalState } == true
            }
            if haveEnded, !regions.isEmpty, machine.fire(completion, leaving: state) { return }
        }
    }

    /// Whether nothing leaves the current state.
    var hasFinalState: Bool { definition.states[now.index].isFinal }

    private var isInFinalState: Bool { now.isActive && hasFinalState }
}
