// Reports the states that the machines of a tree enter, so that a unit of work can collect their effects.

/// The effects of entered states in a tree, as its root records them.
struct EffectNote: Sendable {
    /// Whether a unit of work collects the effects.
    var isCollected = false

    /// The first state whose effects were lost; `nil` if there is none.
    var uncollectedState: String?
}

extension MachineCore {
    /// Records a state with effects that is entered outside a unit of work.
    ///
    /// A save of the machine then reports the lost effects.
    func noteEffects(of state: AnyObject) {
        note { effects(entering: state) }
    }

    private func note(_ declared: () -> DeclaredEffects) {
        if let holder = place?.holder { return holder.withCore { $0.note(declared) } }
        if place?.effectNote.withLock({ $0.isCollected }) == true { return }
        let declared = declared()
        if declared.effects.isEmpty { return }
        madePlace.effectNote.withLock { $0.uncollectedState = $0.uncollectedState ?? declared.state }
    }

    /// The effects of entering a state, with the state's name.
    fileprivate func effects(entering state: AnyObject) -> DeclaredEffects {
        let effects = (state as? any Effecting)?.effects ?? context?.effects.compactMap { $0.make(state) } ?? []
        let name = effects.isEmpty ? nil : definition.stateIndex(of: state).map { definition.states[$0].name }
        return DeclaredEffects(effects: effects, state: name ?? "")
    }
}

/// The effects of a state, with the state's name.
package struct DeclaredEffects: Sendable {
    package let effects: [any Effect]
    package let state: String
}

extension StateMachine {
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
            machine.withCore { _ = $0.addCallbacks([.guard { _ in throw error }]) }
        }
    }

    /// Calls a closure with the effects of each state that is about to be entered.
    ///
    /// Machines in the machine's state are included, at any depth.
    /// - Parameter body: Gets the effects, on the firing thread, before the state becomes current.
    /// - Returns: An object to stop the calls.
    package func hearEntries(_ body: @escaping @Sendable (DeclaredEffects) -> Void) -> EntryHearing {
        EntryHearing(of: self, body)
    }
}

/// Calls a closure with the effects of each state that a tree's machines are about to enter, until it is stopped.
package final class EntryHearing: Sendable {
    /// The machines with the numbers of the closures added to them; `nil` after `stop`.
    private let machines = Lock<[ObjectIdentifier: (machine: any TreeMachine, number: Int)]?>([:])
    private let root: any TreeMachine
    private let body: @Sendable (DeclaredEffects) -> Void

    fileprivate init(of root: any TreeMachine, _ body: @escaping @Sendable (DeclaredEffects) -> Void) {
        self.root = root
        self.body = body
        root.withCore { $0.madePlace.effectNote.withLock { $0.isCollected = true } }
        listen(to: root)
    }

    private func listen(to machine: any TreeMachine) {
        let id = ObjectIdentifier(machine)
        let isNew = machines.withLock { machines in
            guard machines != nil, machines?[id] == nil else { return false }
            machines?[id] = (machine, 0)
            return true
        }
        guard isNew else { return }
        machine.withCore { core in
            let number = core.addCallbacks([
                // An update may bring other machines into the state.
                .hook(.willFire) { [self] in listen(toMachinesIn: $0.destination) },
                .hook(.willEnter) { [self] transition in
                    listen(toMachinesIn: transition.destination)
                    body(machine.withCore { $0.effects(entering: transition.destination) })
                },
            ])
            machines.withLock { $0?[id] = (machine, number) }
            for region in core.definition.regions(of: core.snapshot.state, in: core.now.index) { listen(to: region) }
        }
    }

    private func listen(toMachinesIn state: any WorkflowState) {
        for case let machine as any TreeMachine in (state as? any Composite)?.regions ?? [] { listen(to: machine) }
    }

    /// Stops the calls.
    ///
    /// States entered later are outside the unit of work.
    package func stop() {
        guard let machines = machines.withLock({ $0.take() }) else { return }
        for (machine, number) in machines.values { machine.withCore { $0.cancelCallbacks(number) } }
        root.withCore { $0.place?.effectNote.withLock { $0.isCollected = false } }
    }

    /// Records that the effects of a state were collected but left unsaved.
    package func noteUncollected(_ state: String) {
        root.withCore { $0.madePlace.effectNote.withLock { $0.uncollectedState = $0.uncollectedState ?? state } }
    }
}
