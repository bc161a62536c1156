// Which effects has nobody collected?

/// What the root of a tree knows of the effects of the states that its machines enter.
struct EffectNote: Sendable {
    /// Whether a unit of work collects them.
    var isCollected = false

    /// The name of the first state whose effects nobody has collected; `nil` if there is none.
    var uncollectedState: String?
}

extension MachineCore {
    /// Notes that a state is about to be entered whose effects nobody collects, so that no store drops them without a word.
    func noteEffects(of state: AnyObject, named name: String) {
        if let holder = place?.holder { return holder.withCore { $0.noteEffects(of: state, named: name) } }
        if environment?.effectNote.withLock({ $0.isCollected }) == true { return }
        guard let state = state as? any Effecting, !state.effects.isEmpty else { return }
        madeEnvironment.effectNote.withLock { $0.uncollectedState = $0.uncollectedState ?? name }
    }
}

extension TreeMachine {
    /// The name of a state whose effects nobody has collected, of the machine or of one in its state.
    var uncollectedState: String? {
        if let name = withCore({ $0.environment?.effectNote.withLock { $0.uncollectedState } }) { return name }
        let regions = withCore { core in
            core.atOneMoment(self) { core.definition.regions(of: $0.state, in: $0.status.index) }
        }
        return regions.lazy.compactMap(\.uncollectedState).first
    }
}
