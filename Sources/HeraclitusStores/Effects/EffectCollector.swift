import Heraclitus
import HeraclitusEssentials

/// Collects the effects of entered states: of a machine in a unit of work, and of machines in its state at any depth.
///
/// The collector gets a state's effects when the transition is certain, before the machine shows the state. Effects
/// are in the order of all transitions of the tree.
final class EffectCollector<W: Workflow>: Sendable {
    private let machine: StateMachine<W>

    /// The effects, and the name of the first state that declared some.
    private let collected: Box<Lock<(effects: [any Effect], firstState: String?)>>

    /// Begins to collect the effects of a machine.
    init(of machine: StateMachine<W>) {
        self.machine = machine
        collected = Box(Lock(([], nil)))
        machine.collectEffects { [collected] declared in
            collected.value.withLock { contents in
                contents.effects += declared.effects
                contents.firstState = contents.firstState ?? declared.state
            }
        }
    }

    /// The unsaved effects, in order.
    var effects: [any Effect] { collected.value.withLock { $0.effects } }

    /// Stops collecting.
    ///
    /// States entered later are outside the unit of work.
    func stop() { machine.collectEffects(nil) }

    /// Notes that the effects are saved.
    func noteSaved() {
        // Effects are released outside the lock.
        let saved = effects
        collected.value.withLock { $0 = ([], nil) }
        withExtendedLifetime(saved) {}
    }

    /// Ends the collection.
    ///
    /// A machine with unsaved effects is marked, so that a later save cannot lose them.
    func end() {
        stop()
        if let state = collected.value.withLock({ $0.firstState }) { machine.noteUncollected(state) }
    }
}
