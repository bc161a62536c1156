// The effects of the states that the machines of a tree enter.

/// A place for the effects of entered states in a tree, at its root.
struct EffectNote: Sendable {
    /// Gets the effects, in a unit of work.
    var collect: (@Sendable (DeclaredEffects) -> Void)?

    /// The first state whose effects were lost; `nil` if there is none.
    var uncollectedState: String?
}

/// The effects of a state, with the state's name.
package struct DeclaredEffects: Sendable {
    package let effects: [any Effect]
    package let state: String
}

extension MachineCore {
    /// Passes the effects of a state that is about to be entered to the tree's unit of work.
    ///
    /// Outside a unit of work, a save of the machine reports the lost effects.
    func noteEffects(of state: AnyObject) {
        guard let effects = (state as? any Effecting)?.effects, !effects.isEmpty else { return }
        note(DeclaredEffects(effects: effects, state: definition.name(of: state)))
    }

    fileprivate func note(_ declared: DeclaredEffects) {
        if let holder = place?.holder { return holder.withCore { $0.note(declared) } }
        if let collect = place?.effectNote.withLock({ $0.collect }) { return collect(declared) }
        noteUncollected(declared.state)
    }

    fileprivate func noteUncollected(_ state: String) {
        madePlace.effectNote.withLock { $0.uncollectedState = $0.uncollectedState ?? state }
    }
}

extension StateTransition {
    /// Declares an effect of the destination, in a hook before the state is entered.
    package func declare(_ effect: any Effect) {
        treeMachine.withCore { $0.note(DeclaredEffects(effects: [effect], state: destinationName)) }
    }
}

extension StateMachine {
    /// Passes the effects of each state that is about to be entered to a closure; `nil` to stop that.
    ///
    /// Machines in the machine's state are included, at any depth.
    /// - Parameter collect: Gets the effects, on the firing thread, before the state becomes current.
    package func collectEffects(_ collect: (@Sendable (DeclaredEffects) -> Void)?) {
        core.madePlace.effectNote.withLock { $0.collect = collect }
    }

    /// Records that the effects of a state were collected but left unsaved.
    package func noteUncollected(_ state: String) { core.noteUncollected(state) }

    /// The name of a state whose effects were lost, in the machine or within its state.
    package var uncollectedState: String? {
        TreeMoment(of: [self]).machines.lazy.compactMap { machine in
            machine.withCore { $0.place?.effectNote.withLock { $0.uncollectedState } }
        }.first
    }

    /// Declines every later fire of the machine and of machines in its state.
    /// - Parameter error: The reason, for callers of `fire`.
    package func declineFires(because error: any Error & Sendable) {
        for machine in TreeMoment(of: [self]).machines {
            machine.withCore { _ = $0.addClosures([.guard { _ in throw error }]) }
        }
    }
}
