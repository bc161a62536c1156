// Which effects does a machine of a store have?

/// The effects of a machine that comes from a store and goes back there.
struct EffectNotes: Sendable {
    /// Tells the date.
    let scheduler: Scheduler

    /// Those that its archive had, as they stood there.
    var carried: JSONValue?

    /// Those of the states that were entered since, in order.
    var entered: [any Effect] = []
}

extension MachineCore {
    /// Notes the effects of a state that was entered, if the root of the tree is the machine of a store.
    func noteEffects(of transition: StateTransition) {
        guard let environment else { return }
        if let holder = environment.place.holder { return holder.withCore { $0.noteEffects(of: transition) } }
        guard environment.hasEffectNotes, let state = transition.destination as? any Effecting else { return }
        environment.note(state.effects)
    }
}
