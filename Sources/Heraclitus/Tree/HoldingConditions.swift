// Fires events whose condition holds, such as the end of all machines in the state.

extension MachineCore {
    /// Fires the first event whose condition holds, unless the state is about to be left or updated.
    func fireConditions(of machine: any TreeMachine) {
        let conditions = definition.states[now.index].conditions
        guard !conditions.isEmpty, Call(machine, [:]).turn({ $0.lastQueued == nil }) else { return }
        let state = state.withOwnersView { state, _ in state }
        for condition in conditions where holds(condition.rule.condition, state) && machine.fire(condition) { return }
    }

    private func holds(_ condition: ConditionRule.Condition, _ state: AnyObject) -> Bool {
        switch condition {
        case .holds(let holds): return holds(state)
        case .haveEnded(_, let regions):
            let regions = regions(state)
            let haveEnded = regions.allSatisfy { region in
                (region as? any TreeMachine)?.withCore { $0.isInFinalState } == true
            }
            return haveEnded && !regions.isEmpty
        }
    }

    /// Whether the current state is final.
    var hasFinalState: Bool { definition.states[now.index].isFinal }

    private var isInFinalState: Bool { now.isActive && hasFinalState }
}
