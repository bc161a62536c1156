import Heraclitus
import HeraclitusEssentials

// How do the effects of a machine in a unit of work get into its archive?

/// Collects the effects of the states that a machine in a unit of work enters, and the machines in its state at any depth.
///
/// It reads them when a state is certain to be entered, before the machine shows it: in the order of all transitions of the tree.
final class EffectCollector: Sendable {
    private let collected: CollectedEffects
    private let hearing: EntryHearing

    /// Begins to collect the effects of a machine.
    init(of machine: StateMachine<some Workflow>) {
        let contents = CollectedEffects()
        collected = contents
        hearing = machine.hearEntries { contents.add($0) }
    }

    /// The effects that are not saved yet, in order.
    var effects: [any Effect] { collected.effects }

    /// Stops collecting; a state that is entered from now on is entered outside of the unit of work.
    func stop() { hearing.stop() }

    /// Notes that the effects are saved.
    func noteSaved() { collected.removeAll() }

    /// Ends the collection; a machine whose effects were not saved must not be saved without them later.
    func end() {
        stop()
        if let state = collected.firstState { hearing.noteUncollected(state) }
    }
}

/// The effects that were collected, in order.
private final class CollectedEffects: Sendable {
    private let contents = Lock<(effects: [any Effect], firstState: String?)>(([], nil))

    var effects: [any Effect] { contents.withLock { $0.effects } }

    /// The name of the first state that has declared some.
    var firstState: String? { contents.withLock { $0.firstState } }

    func add(_ declared: DeclaredEffects) {
        if declared.effects.isEmpty { return }
        contents.withLock { contents in
            contents.effects += declared.effects
            contents.firstState = contents.firstState ?? declared.state
        }
    }

    func removeAll() {
        // Released when the lock is free.
        let saved = effects
        contents.withLock { $0 = ([], nil) }
        withExtendedLifetime(saved) {}
    }
}
