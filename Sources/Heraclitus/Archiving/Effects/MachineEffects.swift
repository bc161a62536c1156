#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// How do the effects of a machine in a unit of work get into its archive?

/// Collects the effects of the states that a machine in a unit of work enters, and the machines in its state at any depth.
///
/// It reads them when a state is certain to be entered, before the machine shows it: in the order of all transitions of the tree.
final class EffectCollector: Sendable {
    private struct Contents: Sendable {
        /// The machines that it listens to; `nil` when it has stopped.
        var machines: [any TreeMachine]? = []
        var effects: [any Effect] = []

        /// The name of the first state that has declared some.
        var firstState: String?
    }

    private let root: any TreeMachine
    private let contents = Lock(Contents())

    /// The number of its closures, at every machine.
    private let number = CallbackEntry.newNumber()

    /// Begins to collect the effects of a machine.
    init(of root: any TreeMachine) {
        self.root = root
        root.withCore { $0.madeEnvironment.effectNote.withLock { $0.isCollected = true } }
        listen(to: root)
    }

    /// What was collected and is not saved yet, in order.
    var effects: [any Effect] { contents.withLock { $0.effects } }

    private func listen(to machine: any TreeMachine) {
        machine.withCore { core in
            guard !core.callbacks.contains(where: { $0.number == number }) else { return }
            guard contents.withLock({ $0.machines?.append(machine) }) != nil else { return }
            core.addCallbacks(
                [
                    // Also of an update, which may bring other machines along.
                    .hook(.willFire) { [self] in listen(toMachinesIn: $0.destinationObject) },
                    .hook(.willEnter) { [self] in collect($0.destinationObject) },
                ],
                number: number
            )
            listen(toMachinesIn: core.snapshot.state)
        }
    }

    private func listen(toMachinesIn state: AnyObject) {
        for case let machine as any TreeMachine in (state as? any Composite)?.regions ?? [] { listen(to: machine) }
    }

    private func collect(_ state: AnyObject) {
        guard let state = state as? any Effecting else { return }
        let effects = state.effects
        guard !effects.isEmpty else { return }
        contents.withLock { contents in
            contents.effects += effects
            contents.firstState = contents.firstState ?? type(of: state).name
        }
    }

    /// Stops collecting; what is entered from now on is entered outside of the unit of work.
    func stop() {
        let machines = contents.withLock { $0.machines.take() }
        for machine in machines ?? [] { machine.withCore { $0.cancelCallbacks(number) } }
        root.withCore { $0.environment?.effectNote.withLock { $0.isCollected = false } }
    }

    /// Notes that what was collected is saved.
    func noteSaved() {
        // Released when the lock is free.
        let saved = effects
        contents.withLock { ($0.effects, $0.firstState) = ([], nil) }
        withExtendedLifetime(saved) {}
    }

    /// Ends the collection; a machine whose effects were not saved must not be saved without them later.
    func end() {
        stop()
        guard let state = contents.withLock({ $0.firstState }) else { return }
        root.withCore { $0.environment?.effectNote.withLock { $0.uncollectedState = $0.uncollectedState ?? state } }
    }
}

extension StoredArchive {
    /// The effects, for somebody who restores the machine; `nil` if there are none.
    func outboxOfMachine() throws(ArchiveError) -> Outbox? {
        do throws(StoreError) { return try outbox() } catch {
            throw .malformed(path: EnvelopeKey.outbox.rawValue, explanation: "\(error)")
        }
    }

    /// The archive with the effects that waited in the one that it replaces, and those that were collected since.
    func with<W: Workflow>(
        _ waiting: Outbox?,
        adding effects: [any Effect],
        of workflow: W.Type,
        at date: Date
    ) throws -> StoredArchive {
        if waiting == nil, effects.isEmpty { return self }
        var outbox = waiting ?? Outbox()
        try outbox.add(effects, of: W.self, at: date)
        return try with(outbox)
    }
}
