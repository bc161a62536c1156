public import Heraclitus
import HeraclitusEssentials

/// The machines of one workflow in a store, with their context and scheduler.
///
/// Make it once, and use it everywhere to load, change, find and run machines of the workflow:
///
/// ```swift
/// let orders = store.workflow(Order.self, context: services)
/// try await orders.update("42") { order in try order.fire.pay(PaidState(by: "ada")) }
/// ```
public struct StoredWorkflow<W: Workflow>: Sendable {
    package let store: any ArchiveStore

    /// The context of the machines; `nil` in a workflow without one, and if none was passed.
    let context: GivenContext?
    package let scheduler: Scheduler

    /// The definition in the context, as for a `DataWorkflow`; `nil` if the context has none.
    private var given: Definition? { context?.definition }

    /// The names under which stores may have the machines.
    var workflowNames: [String] { given.map { [$0.workflow] } ?? W.storedNames }

    /// The effects that units of work save and workers deliver.
    package var knownEffects: KnownEffects { W.knownEffects(in: context) }

    /// The version of saved machines.
    var workflowVersion: Int { given?.version ?? W.version }
}

extension ArchiveStore {
    /// The machines of a workflow in the store.
    ///
    /// Pass the context of a workflow that has one. Without it, a fire of a machine throws
    /// `InvalidTransition.Reason.missingContext`, and a `DataWorkflow` stops the program here.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - context: The runtime dependencies of the states; `nil` for a workflow without a `Workflow.Context`. A
    ///     machine that `creating` makes without its context gets this one.
    ///   - scheduler: The source of the current date.
    /// - Returns: The machines.
    public func workflow<W: Workflow>(
        _ workflow: W.Type,
        context: W.Context? = nil,
        scheduler: Scheduler = .system
    ) -> StoredWorkflow<W> {
        StoredWorkflow(store: self, context: W.given(context), scheduler: scheduler)
    }
}

extension StoredWorkflow {
    /// Changes a machine as one unit of work: loads or makes it, changes it and saves it.
    ///
    /// See ``ArchiveStore/unit(attempts:_:saved:)`` for several machines. A conflict runs the closure and the hooks of
    /// states again. Put actions that must run once into `saved`.
    ///
    /// A closure of an actor, such as the main actor, runs on the actor. Other closures run on the store's
    /// ``ArchiveStore/executor``.
    /// - Parameters:
    ///   - id: The id.
    ///   - attempts: The number of attempts, at least one; by default 100.
    ///   - create: Makes a machine for an unknown id; by default in its initial state. Fire its events in `body`, which
    ///     collects their effects.
    ///   - body: Changes the machine.
    ///   - saved: Gets the saved transitions in order, or an empty array if nothing had to be saved. If it throws, the
    ///     machine stays saved.
    /// - Returns: The value of `body`.
    /// - Throws: Errors of `body`, of `saved` and of the store's medium; ``StoreError/tooManyConflicts(id:attempts:)``;
    ///   `ArchiveError`.
    public nonisolated(nonsending) func update<Result>(
        _ id: String,
        attempts: Int = 100,
        creating create: (() throws -> StateMachine<W>)? = nil,
        _ body: (StateMachine<W>) async throws -> Result,
        saved: ([StateTransition]) async throws -> Void = { _ in }
    ) async throws -> Result {
        try await store.unit(attempts: attempts) { unit in
            try await body(try await unit.machine(id, of: self, creating: create))
        } saved: { unit in
            try await saved(unit.transitions(of: id))
        }
    }

    /// Handles a message once: changes a machine as one unit of work, and ignores the same message afterwards.
    ///
    /// ```swift
    /// try await orders.update("42", once: notice.id) { order in try order.fire.pay(…) }
    /// ```
    ///
    /// The machine remembers the message together with the change, even if `body` changes nothing else. All processes
    /// therefore handle the message once, as long as the machine remembers it.
    /// - Parameters:
    ///   - id: The id of the machine.
    ///   - message: The id of the message.
    ///   - memory: The number or the period of messages to remember.
    ///   - attempts: The number of attempts, at least one; by default 100.
    ///   - create: Makes a machine for an unknown id; by default in its initial state.
    ///   - body: Changes the machine. If it throws, the message counts as unhandled.
    ///   - saved: Gets the saved transitions in order.
    /// - Returns: The value of `body`; `nil` if the message was handled before.
    /// - Throws: The errors of ``update(_:attempts:creating:_:saved:)``; ``StoreError/damaged(id:explanation:)`` for
    ///   unreadable messages.
    public nonisolated(nonsending) func update<Result>(
        _ id: String,
        once message: String,
        remembering memory: MessageMemory = .last(100),
        attempts: Int = 100,
        creating create: (() throws -> StateMachine<W>)? = nil,
        _ body: (StateMachine<W>) async throws -> Result,
        saved: ([StateTransition]) async throws -> Void = { _ in }
    ) async throws -> Result? {
        try await store.unit(attempts: attempts) { unit -> Result? in
            let machine = try await unit.machine(id, of: self, once: message, remembering: memory, creating: create)
            guard let machine else { return nil }
            return try await body(machine)
        } saved: { unit in
            try await saved(unit.transitions(of: id))
        }
    }

    /// Restores a stored machine to look at it.
    ///
    /// The machine is passive: its deadlines and its work stay off. Use a unit of work to change it. For a machine that
    /// lives in this process, restore the ``StoredArchive/archive`` of ``ArchiveStore/load(_:)-(String)``.
    /// - Parameter id: The id.
    /// - Returns: The machine, and the revision for ``save(_:as:expecting:)``; `nil` if the id is unknown.
    /// - Throws: `ArchiveError`, or errors of the store's medium.
    public func machine(_ id: String) async throws -> (machine: StateMachine<W>, revision: Int)? {
        guard let stored = try await store.load(id) else { return nil }
        return (try machine(of: stored), stored.revision)
    }

    /// Restores a passive machine.
    func machine(of stored: StoredArchive) throws(ArchiveError) -> StateMachine<W> {
        let machine = try StateMachine<W>(stored.archive, limit: .max, scheduler, context)
        machine.becomePassive()
        return machine
    }

    /// Saves a machine that was changed outside a unit of work.
    ///
    /// Waiting effects in the store stay. Only a unit of work collects the effects of entered states, so a machine that
    /// has entered states with effects outside a unit is rejected.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - id: The id.
    ///   - revision: The stored revision that the machine replaces; 0 for a new machine.
    /// - Returns: The new revision.
    /// - Throws: ``StoreError/conflict(id:expected:found:)``, ``StoreError/uncollectedEffects(id:state:)``, `ArchiveError`, or errors of the store's
    ///   medium.
    @discardableResult
    public func save(_ machine: StateMachine<W>, as id: String, expecting revision: Int) async throws -> Int {
        let stored = revision > 0 ? try await store.load(id) : nil
        return try await store.save(row(of: machine, id, replacing: revision, stored, hasEntered: true))
    }

    /// The row of a machine, without effects.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - id: The id.
    ///   - revision: The replaced revision.
    ///   - stored: The replaced row.
    ///   - hasEntered: Whether the machine may have entered another state since.
    ///   - handled: The handled messages.
    /// - Returns: The row.
    /// - Throws: ``StoreError/uncollectedEffects(id:state:)``; `ArchiveError`.
    func row(
        of machine: StateMachine<W>,
        _ id: String,
        replacing revision: Int,
        _ stored: StoredArchive?,
        hasEntered: Bool,
        handled: Data? = nil
    ) throws -> StoredArchive {
        let columns = try machine.archiveWithColumns()
        if let state = columns.uncollectedState { throw StoreError.uncollectedEffects(id: id, state: state) }
        // Outside a unit of work, only the archive shows whether the machine has entered its state again.
        let stays = !hasEntered || columns.archive == stored?.archive
        return StoredArchive(
            id: id,
            revision: revision,
            workflow: machine.definition.workflow,
            version: machine.definition.version,
            state: machine.definition.name(of: columns.state),
            entered: stays && stored != nil ? stored?.entered : scheduler.date,
            due: columns.due,
            // A NaN value differs even from itself, and no condition finds it.
            values: ((columns.state as? any Findable)?.foundBy ?? [:]).mapValues(\.clamped)
                .filter { $0.value == $0.value },
            archive: columns.archive,
            handled: handled ?? stored?.handled
        )
    }
}
