import Heraclitus
import HeraclitusEssentials

// Collects the effects of a machine in a unit of work.

/// Collects the effects of entered states: of a machine in a unit of work, and of machines in its state at any depth.
///
/// The collector reads a state's effects when the transition is certain, before the machine shows the state. Effects
/// are in the order of all transitions of the tree.
final class EffectCollector: Sendable {
    private let collected: CollectedEffects
    private let hearing: EntryHearing

    /// Begins to collect the effects of a machine.
    init(of machine: StateMachine<some Workflow>) {
        let contents = CollectedEffects()
        collected = contents
        hearing = machine.hearEntries { contents.add($0) }
    }

    /// The unsaved effects, in order.
    var effects: [any Effect] { collected.effects }

    /// Stops collecting.
    ///
    /// States entered later are outside the unit of work.
    func stop() { hearing.stop() }

    /// Notes that the effects are saved.
    func noteSaved() { collected.removeAll() }

    /// Ends the collection.
    ///
    /// A machine with unsaved effects is marked, so that a later save cannot lose them.
    func end() {
        stop()
        if let state = collected.firstState { hearing.noteUncollected(state) }
    }
}

/// The collected effects, in order.
private final class CollectedEffects: Sendable {
    private let contents = Lock<(effects: [any Effect], firstState: String?)>(([], nil))

    var effects: [any Effect] { contents.withLock { $0.effects } }

    /// The name of the first state that declared effects.
    var firstState: String? { contents.withLock { $0.firstState } }

    func add(_ declared: DeclaredEffects) {
        if declared.effects.isEmpty { return }
        contents.withLock { contents in
            contents.effects += declared.effects
            contents.firstState = contents.firstState ?? declared.state
        }
    }

    func removeAll() {
        // Effects are released outside the lock.
        let saved = effects
        contents.withLock { $0 = ([], nil) }
        withExtendedLifetime(saved) {}
    }
}
