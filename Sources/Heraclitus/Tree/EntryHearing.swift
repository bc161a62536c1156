// Who hears of the states that the machines of a tree enter, and what if nobody does?

/// What the root of a tree knows of the effects of the states that its machines enter.
struct EffectNote: Sendable {
    /// Whether a unit of work collects them.
    var isCollected = false

    /// The name of the first state whose effects were not collected; `nil` if there is none.
    var uncollectedState: String?
}

extension MachineCore {
    /// Notes that a state is about to be entered whose effects no unit of work collects.
    ///
    /// So no store drops them without a word.
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

    /// What is to be done outside because the machine enters a state.
    fileprivate func effects(entering state: AnyObject) -> DeclaredEffects {
        let effects = (state as? any Effecting)?.effects ?? context?.effects.compactMap { $0.make(state) } ?? []
        let name = effects.isEmpty ? nil : definition.stateIndex(of: state).map { definition.states[$0].name }
        return DeclaredEffects(effects: effects, state: name ?? "")
    }
}

/// The effects that a state declares, with its name.
package struct DeclaredEffects: Sendable {
    package let effects: [any Effect]
    package let state: String
}

extension StateMachine {
    /// The name of a state whose effects were not collected, of the machine or of one in its state.
    package var uncollectedState: String? {
        TreeMoment(of: [self]).machines.lazy.compactMap { machine in
            machine.withCore { $0.place?.effectNote.withLock { $0.uncollectedState } }
        }.first
    }

    /// Declines every fire from now on, of the machine and of machines in its state.
    /// - Parameter error: Why, for those who fire.
    package func declineFires(because error: any Error & Sendable) {
        for machine in TreeMoment(of: [self]).machines {
            machine.withCore { _ = $0.addCallbacks([.guard { _ in throw error }]) }
        }
    }

    /// Calls a closure with what each state declares that is about to be entered: by this machine, and by machines in its state at any depth.
    /// - Parameter body: Gets the effects, on the firing thread, before a machine shows the state.
    /// - Returns: The end of it is in the caller's hands.
    package func hearEntries(_ body: @escaping @Sendable (DeclaredEffects) -> Void) -> EntryHearing {
        EntryHearing(of: self, body)
    }
}

/// Calls a closure with the effects of each state that the machines of a tree are about to enter, until it is stopped.
package final class EntryHearing: Sendable {
    /// The machines that it listens to, with the numbers of its closures; `nil` when it has stopped.
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
                // Also of an update, which may bring other machines along.
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

    /// Stops it; a state that is entered from now on is entered outside of a unit of work.
    package func stop() {
        guard let machines = machines.withLock({ $0.take() }) else { return }
        for (machine, number) in machines.values { machine.withCore { $0.cancelCallbacks(number) } }
        root.withCore { $0.place?.effectNote.withLock { $0.isCollected = false } }
    }

    /// Notes that the effects of a state were collected and not saved.
    package func noteUncollected(_ state: String) {
        root.withCore { $0.madePlace.effectNote.withLock { $0.uncollectedState = $0.uncollectedState ?? state } }
    }
}
