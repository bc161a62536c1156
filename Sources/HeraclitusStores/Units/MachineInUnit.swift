import Heraclitus
import HeraclitusEssentials

/// A machine in a unit of work, of any workflow.
protocol UnitMember: AnyObject, Sendable {
    var id: String { get }

    /// The loaded row; `nil` for a new machine.
    var stored: StoredArchive? { get }

    var anyMachine: any AnyObject & Sendable { get }
    var transitions: [StateTransition] { get }

    /// The row to save, and whether the machine has changed.
    func row() throws -> (row: StoredArchive, isChange: Bool)

    /// The change of waiting effects; `nil` to keep them.
    func effectsChange(from old: WaitingEffects?) throws -> (old: WaitingEffects?, new: WaitingEffects?)?

    /// Records that the machine is saved with its effects.
    func noteSaved()

    /// Declines every fire from now on, and stops collecting transitions and effects.
    func close()

    /// Marks the machine if it has unsaved effects, so that a later save cannot lose them.
    func noteUnsaved()
}

final class MachineInUnit<W: Workflow>: UnitMember {
    let machine: StateMachine<W>
    let id: String
    let stored: StoredArchive?

    private let workflow: StoredWorkflow<W>

    private let handled: Data?

    /// The results of the machine in the unit.
    private struct Made {
        var transitions: [StateTransition] = []

        /// The unsaved effects of entered states, of the machine and of machines in its state at any depth.
        ///
        /// They are in the order of all transitions of the tree.
        var effects: [any Effect] = []

        /// The first state that declared unsaved effects.
        var firstState: String?
    }

    private let made = Box(Lock(Made()))
    private let registration: Registration

    init(
        _ id: String,
        _ stored: StoredArchive?,
        of workflow: StoredWorkflow<W>,
        handled: Data?,
        creating create: (() throws -> StateMachine<W>)?
    ) throws {
        self.id = id
        self.stored = stored
        self.workflow = workflow
        self.handled = handled
        if let stored {
            machine = try workflow.machine(of: stored)
        } else {
            let made = try create?() ?? .initial(workflow.context, scheduler: workflow.scheduler)
            guard let made else { throw StoreError.notStored(id: id) }
            machine = made
            // The caller's closure may have left out the context, and an activation would do nothing.
            machine.equip(with: workflow.context)
            if let state = machine.uncollectedState { throw StoreError.uncollectedEffects(id: id, state: state) }
            machine.becomePassive()
        }
        registration = machine.onTransition { [made] new in made.value.withLock { $0.transitions.append(new) } }
        // A state's effects come when the transition is certain, before the machine shows the state.
        machine.collectEffects { [made] declared in
            made.value.withLock { made in
                made.effects += declared.effects
                made.firstState = made.firstState ?? declared.state
            }
        }
    }

    var anyMachine: any AnyObject & Sendable { machine }

    var transitions: [StateTransition] { made.value.withLock { $0.transitions } }

    private var effects: [any Effect] { made.value.withLock { $0.effects } }

    func row() throws -> (row: StoredArchive, isChange: Bool) {
        let row = try workflow.row(
            of: machine,
            id,
            replacing: stored?.revision ?? 0,
            stored,
            hasEntered: transitions.contains { !$0.isUpdate },
            handled: handled
        )
        return (row, try !transitions.isEmpty || !effects.isEmpty || isOther(row))
    }

    /// Whether a row differs from the stored row.
    ///
    /// A machine in the state may have changed without a transition of the outer machine.
    private func isOther(_ row: StoredArchive) throws -> Bool {
        guard let stored, row.due == stored.due, row.values == stored.values else { return true }
        // The bytes may differ without a change: an archive of an older version is written differently.
        let machine = try workflow.machine(of: stored)
        let before = try workflow.row(of: machine, id, replacing: stored.revision, stored, hasEntered: false)
        return !row.isSameMachine(as: before)
    }

    func effectsChange(from old: WaitingEffects?) throws -> (old: WaitingEffects?, new: WaitingEffects?)? {
        let added = effects
        guard old != nil || !added.isEmpty else { return nil }
        // Reading the waiting effects is only necessary after a change of the state or with new effects.
        guard !added.isEmpty || transitions.contains(where: { !$0.isUpdate }) else { return nil }
        var outbox = try Outbox(old, of: id)
        let known = workflow.knownEffects
        let isChanged = outbox.removeUnwanted(in: machine.currentState, of: known)
        try outbox.add(added, of: known, wantedIn: machine.currentState, at: workflow.scheduler.date)
        guard isChanged || !added.isEmpty else { return nil }
        return (old, try outbox.waiting())
    }

    func close() {
        machine.declineFires(because: StoreError.unitEnded(id: id))
        registration.cancel()
        machine.collectEffects(nil)
    }

    func noteSaved() {
        // Effects are released outside the lock.
        let saved = effects
        made.value.withLock { ($0.effects, $0.firstState) = ([], nil) }
        withExtendedLifetime(saved) {}
    }

    func noteUnsaved() {
        if let state = made.value.withLock({ $0.firstState }) { machine.noteUncollected(state) }
    }
}
