public import Heraclitus
import HeraclitusEssentials

/// The machines of one workflow in a store, with what they need: their context and their scheduler.
///
/// Make it once, and use it wherever machines of the workflow are loaded, changed, found or worked on:
///
/// ```swift
/// let orders = store.workflow(Order.self, context: services)
/// try await orders.update("42") { order in try order.fire.pay(PaidState(by: "ada")) }
/// ```
public struct StoredWorkflow<W: Workflow>: Sendable {
    /// The store.
    public let store: any ArchiveStore

    /// What the states need and archives do not keep.
    public let context: W.Context

    /// Tells the date.
    public let scheduler: Scheduler

    /// Makes the machines of a workflow in a store.
    /// - Parameters:
    ///   - store: The store.
    ///   - context: What the states need and archives do not keep.
    ///   - scheduler: Tells the date.
    public init(_ store: any ArchiveStore, context: W.Context, scheduler: Scheduler = .system) {
        self.store = store
        self.context = context
        self.scheduler = scheduler
    }

    // The context may define the workflow, as a `DataWorkflow` does.

    /// The names under which machines may be stored.
    var workflowNames: [String] { W.storedNames(in: context) }

    /// The effects that are saved and carried out.
    var knownEffects: KnownEffects { W.knownEffects(in: context) }

    /// The version of what is saved.
    var workflowVersion: Int { W.version(in: context) }
}

extension ArchiveStore {
    /// The machines of a workflow in the store.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - context: What the states need and archives do not keep.
    ///   - scheduler: Tells the date.
    /// - Returns: The machines.
    public func workflow<W: Workflow>(
        _ workflow: W.Type,
        context: W.Context,
        scheduler: Scheduler = .system
    ) -> StoredWorkflow<W> {
        StoredWorkflow(self, context: context, scheduler: scheduler)
    }

    /// The machines of a workflow without a context in the store.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - scheduler: Tells the date.
    /// - Returns: The machines.
    public func workflow<W: Workflow>(
        _ workflow: W.Type,
        scheduler: Scheduler = .system
    ) -> StoredWorkflow<W> where W.Context == Void {
        StoredWorkflow(self, context: (), scheduler: scheduler)
    }
}

extension StoredWorkflow {
    /// Changes a machine as one unit of work: loads or makes it, changes it, saves it.
    ///
    /// It is ``ArchiveStore/unit(attempts:_:saved:)`` with one machine. The closure, and the hooks of states, may run several times, when others save
    /// the machine meanwhile. Put into `saved` what must happen only once, when the change is certain.
    ///
    /// The closures may belong to the caller's actor, such as the main actor. Otherwise they run where the store's ``ArchiveStore/executor`` says.
    /// - Parameters:
    ///   - id: The id.
    ///   - attempts: The number of attempts, at least one.
    ///   - create: Makes the machine if nothing is stored; by default one in its initial state. Fire its events in `body`, where their effects are
    ///     collected.
    ///   - body: Changes the machine.
    ///   - saved: Gets the transitions in order, after they were saved; none if nothing had to be saved. If it throws, the machine is saved
    ///     nevertheless.
    /// - Returns: The value of `body`.
    /// - Throws: Errors of `body`, of `saved` and of the store's medium; ``StoreError/tooManyConflicts(id:attempts:)``; `ArchiveError`.
    public nonisolated(nonsending) func update<Result>(
        _ id: String,
        attempts: Int = unitAttempts,
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

    /// Changes a machine as one unit of work because of a message, and does nothing when the same message comes again.
    ///
    /// ```swift
    /// try await orders.update("42", once: notice.id) { order in try order.fire.pay(…) }
    /// ```
    ///
    /// The machine remembers the message together with the change, also when `body` changes nothing else. So the message is handled once by all
    /// processes, as long as the machine remembers it.
    /// - Parameters:
    ///   - id: The id of the machine.
    ///   - message: What identifies the message.
    ///   - memory: How many messages the machine remembers, or for how long.
    ///   - attempts: The number of attempts, at least one.
    ///   - create: Makes the machine if nothing is stored; by default one in its initial state.
    ///   - body: Changes the machine. If it throws, the message counts as not handled.
    ///   - saved: Gets the transitions in order, after they were saved.
    /// - Returns: The value of `body`; `nil` if the message was handled before.
    /// - Throws: As ``update(_:attempts:creating:_:saved:)``.
    public nonisolated(nonsending) func update<Result>(
        _ id: String,
        once message: String,
        remembering memory: MessageMemory = .last(100),
        attempts: Int = unitAttempts,
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

    /// Restores the machine that is stored for an id, to look at it.
    ///
    /// The machine is passive: it arms no deadlines and begins no work. Use a unit of work to change it. For a machine that lives in this process,
    /// restore the ``StoredArchive/archive`` that ``ArchiveStore/load(_:)-(String)`` returns.
    /// - Parameter id: The id.
    /// - Returns: The machine, and the revision that a ``save(_:as:expecting:)`` of it replaces; `nil` if nothing is stored.
    /// - Throws: `ArchiveError`, or errors of the store's medium.
    public func machine(_ id: String) async throws -> (machine: StateMachine<W>, revision: Int)? {
        guard let stored = try await store.load(id) else { return nil }
        return (try machine(of: stored), stored.revision)
    }

    /// Restores a passive machine.
    func machine(of stored: StoredArchive) throws(ArchiveError) -> StateMachine<W> {
        let machine = try StateMachine<W>(
            archive: stored.archive,
            context: context,
            limit: .max,
            scheduler: scheduler
        )
        machine.becomePassive()
        return machine
    }

    /// Saves a machine that was changed outside of a unit of work.
    ///
    /// Effects that wait in the store stay there. A unit of work collects the effects of states that a machine enters. So a machine that has entered
    /// states with effects outside of one is refused.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - id: The id.
    ///   - revision: The stored revision that the machine replaces; 0 for none.
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
    ///   - revision: The revision that it replaces.
    ///   - stored: The row that it replaces.
    ///   - hasEntered: Whether it may have entered another state since.
    ///   - handled: The messages that it has handled.
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
        // The same state object may have been entered anew; a machine outside of a unit of work does not tell.
        let stays = !hasEntered || columns.archive == stored?.archive
        return StoredArchive(
            id: id,
            revision: revision,
            workflow: machine.workflowName,
            version: machine.workflowVersion,
            state: columns.state,
            entered: stays && stored != nil ? stored?.entered : scheduler.date,
            due: columns.due,
            values: ((machine.currentState as? any Findable)?.foundBy ?? [:]).mapValues(\.storedValue),
            archive: columns.archive,
            handled: handled ?? stored?.handled
        )
    }
}
