// Fires events whose condition holds, such as the end of all machines in the state.

extension MachineCore {
    /// Fires the first event whose condition holds, unless the state is about to be left or updated.
    /// - Parameters:
    ///   - machine: The machine of this core.
    ///   - includesEnds: Whether to ask for the ends of machines in the state.
    func fireConditions(of machine: any TreeMachine, includingEnds includesEnds: Bool = true) {
        let conditions = definition.states[now.index].conditions.lazy.filter {
            includesEnds || $0.trigger.name == .condition
        }
        // While the machines in the state are being activated, the check follows afterwards.
        guard !conditions.isEmpty, place?.isStartingRegions != true,
            Call(machine).turn({ $0.lastQueued == nil })
        else { return }
        let state = currentObject
        for next in conditions where holds(next.trigger, state) && machine.fireCondition(of: next) { return }
    }

    private func holds(_ trigger: Trigger, _ state: AnyObject) -> Bool {
        switch trigger.kind {
        case .condition(let holds): return holds(state)
        case .completion(_, let regions):
            let regions = regions(state)
            let haveEnded = regions.allSatisfy { region in
                (region as? any TreeMachine)?.withCore { $0.now.isActive && $0.hasFinalState } == true
            }
            return haveEnded && !regions.isEmpty
        case .due, .failure, .done: return false
        }
    }

    /// Whether the current state is final.
    var hasFinalState: Bool { definition.states[now.index].isFinal }
}
