public import Heraclitus
public import HeraclitusEssentials

// How is a stored machine changed, safely among any number of processes?

extension ArchiveStore {
    /// Changes a machine as one unit of work: loads or makes it, changes it, saves it.
    ///
    /// If somebody else has saved or deleted the machine meanwhile, it is loaded and changed again, after a delay that grows with
    /// each conflict up to 50 ms. So the closure, and the hooks of states, may run several times. What must happen only once,
    /// when the change is certain, belongs in `saved`.
    ///
    /// The effects of the states that the machine enters in the closure, or a machine in its state, are saved with it: `Effecting`. Other callers
    /// fire the machine before the closure returns.
    ///
    /// Nothing is saved when the closure throws, or changes nothing in a stored machine whose deadline is the stored one. An archive of an
    /// older version of the workflow is replaced only by a change.
    ///
    /// The closures may belong to the caller's actor, such as the main actor. Else they run where the store's ``executor`` says.
    ///
    /// The machine is passive: it arms no deadlines and begins no work. Events with `whenFinal` fire as always.
    /// ``fireDue(_:by:scheduler:failed:saved:)`` fires what is due in a store.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow.
    ///   - attempts: The number of attempts, at least one.
    ///   - scheduler: Tells the date.
    ///   - create: Makes the machine if nothing is stored; by default one in its initial state. Events that it fires come
    ///     before the unit of work: `saved` does not get them, and if a state that they enter has effects,
    ///     ``StoreError/uncollectedEffects(id:state:)`` is thrown. Fire those in `body`.
    ///   - body: Changes the machine.
    ///   - saved: Gets the transitions in order, after they were saved; none if nothing had to be saved. If it throws, the machine is saved
    ///     nevertheless.
    /// - Returns: The value of `body`.
    /// - Throws: Errors of `body`, of `saved` and of the store's medium; ``StoreError/tooManyConflicts(id:attempts:)``;
    ///   `ArchiveError`.
    public nonisolated(nonsending) func update<W: Workflow, Result>(
        _ id: String,
        of workflow: W.Type,
        attempts: Int = 20,
        scheduler: Scheduler = .system,
        creating create: (() throws -> StateMachine<W>)? = nil,
        _ body: (StateMachine<W>) async throws -> Result,
        saved: ([StateTransition]) async throws -> Void = { _ in }
    ) async throws -> Result where W.Context == Void {
        try await update(
            id,
            of: workflow,
            context: (),
            attempts: attempts,
            scheduler: scheduler,
            creating: create,
            body,
            saved: saved
        )
    }

    /// Changes a machine that is given what its states need, as one unit of work.
    ///
    /// It is the same as ``update(_:of:attempts:scheduler:creating:_:saved:)`` for workflows with a `Workflow.Context`.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow.
    ///   - context: What the states need and archives do not keep.
    ///   - attempts: The number of attempts, at least one.
    ///   - scheduler: Tells the date.
    ///   - create: Makes the machine if nothing is stored; by default one in its initial state. Events that it fires come
    ///     before the unit of work: `saved` does not get them, and if a state that they enter has effects,
    ///     ``StoreError/uncollectedEffects(id:state:)`` is thrown. Fire those in `body`.
    ///   - body: Changes the machine.
    ///   - saved: Gets the transitions in order, after they were saved; none if nothing had to be saved. If it throws, the machine is saved
    ///     nevertheless.
    /// - Returns: The value of `body`.
    /// - Throws: Errors of `body`, of `saved` and of the store's medium; ``StoreError/tooManyConflicts(id:attempts:)``;
    ///   `ArchiveError`.
    public nonisolated(nonsending) func update<W: Workflow, Result>(
        _ id: String,
        of workflow: W.Type,
        context: W.Context,
        attempts: Int = 20,
        scheduler: Scheduler = .system,
        creating create: (() throws -> StateMachine<W>)? = nil,
        _ body: (StateMachine<W>) async throws -> Result,
        saved: ([StateTransition]) async throws -> Void = { _ in }
    ) async throws -> Result {
        try await update(
            together: [id],
            of: workflow,
            context: context,
            attempts: attempts,
            scheduler: scheduler,
            creating: create.map { create in { _ in try create() } },
            { try await body($0[0]) },
            saved: { try await saved($0[0]) }
        )
    }
}

// MARK: - Deadlines

private struct Deleted: Error {}

extension ArchiveStore {
    /// Finds the machines of a workflow with a deadline that has passed.
    /// - Parameters:
    ///   - date: By when it is due.
    ///   - workflow: The name of the workflow; `nil` for any.
    /// - Returns: The ids, those first in which something is due first.
    /// - Throws: What the store's medium throws.
    public func ids(dueBy date: Date, of workflow: String?) async throws -> [String] {
        var found: [(due: Date, id: String)] = []
        for id in try await ids(of: workflow, in: nil) {
            do {
                if let due = try await load(id)?.due, due <= date { found.append((due, id)) }
            } catch StoreError.damaged, ArchiveError.tooLarge {
                // Whoever loads it is told; here it would hide all others.
                continue
            }
        }
        return found.sorted { ($0.due, $0.id) < ($1.due, $1.id) }.map(\.id)
    }

    /// Fires what is due in the machines of a workflow, as a unit of work for each: the events that fire by themselves.
    ///
    /// Any number of processes may do so at once: each event becomes one saved transition. What follows from one event and is due by the
    /// same date fires as well. After `StateMachine.chainLimit` events of one machine the next is rejected as
    /// `InvalidTransition.Reason.endlessChain`: those before are saved, and `failed` gets the error.
    ///
    /// An event that is rejected, by a guard for example, is tried again at the next call. That is no failure: the machine stays as it is. Its
    /// `Journal` gets the rejection once, as long as it still has that line.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - date: By when it is due; now by default.
    ///   - scheduler: Supplies the date.
    ///   - failed: Gets the id and the error of a machine that could not be changed, and may throw to leave out the rest. By
    ///     default it throws the error.
    ///   - saved: Gets the id of a machine that has made transitions itself, and these in order, after they were saved. If it throws, the
    ///     machine is saved nevertheless, and `failed` gets the error.
    /// - Returns: The ids of the machines that were changed, or tried.
    /// - Throws: What `failed` throws; what the store's medium throws; `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func fireDue<W: Workflow>(
        _ workflow: W.Type,
        by date: Date? = nil,
        scheduler: Scheduler = .system,
        failed: (_ id: String, _ error: any Error) throws -> Void = { throw $1 },
        saved: (_ id: String, _ transitions: [StateTransition]) async throws -> Void = { _, _ in }
    ) async throws -> [String] where W.Context == Void {
        try await fireDue(workflow, context: (), by: date, scheduler: scheduler, failed: failed, saved: saved)
    }

    /// Fires what is due in the machines of a workflow, each of which is given what its states need.
    ///
    /// It is the same as ``fireDue(_:by:scheduler:failed:saved:)`` for workflows with a `Workflow.Context`.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - context: What the states need and archives do not keep.
    ///   - date: By when it is due; now by default.
    ///   - scheduler: Supplies the date.
    ///   - failed: Gets the id and the error of a machine that could not be changed, and may throw to leave out the rest. By
    ///     default it throws the error.
    ///   - saved: Gets the id of a machine that has made transitions itself, and these in order, after they were saved. If it throws, the
    ///     machine is saved nevertheless, and `failed` gets the error.
    /// - Returns: The ids of the machines that were changed, or tried.
    /// - Throws: What `failed` throws; what the store's medium throws; `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func fireDue<W: Workflow>(
        _ workflow: W.Type,
        context: W.Context,
        by date: Date? = nil,
        scheduler: Scheduler = .system,
        failed: (_ id: String, _ error: any Error) throws -> Void = { throw $1 },
        saved: (_ id: String, _ transitions: [StateTransition]) async throws -> Void = { _, _ in }
    ) async throws -> [String] {
        let date = date ?? scheduler.date
        var ids: [String] = []
        for name in W.storedNames(in: context) { ids += try await self.ids(dueBy: date, of: name) }
        for id in ids {
            do {
                // What somebody has deleted meanwhile is not to come back.
                func create() throws -> StateMachine<W> { throw Deleted() }
                let endless = try await update(
                    id,
                    of: W.self,
                    context: context,
                    scheduler: scheduler,
                    creating: create
                ) {
                    $0.fireDue(by: date)
                } saved: {
                    // There are none if everything that is due was rejected, or was due in machines within the state.
                    if !$0.isEmpty { try await saved(id, $0) }
                }
                if let endless { throw endless }
            } catch is Deleted {
                continue
            } catch let error as CancellationError where Task.isCancelled {
                // That is no fault of this machine, and the others are left out.
                throw error
            } catch {
                try failed(id, error)
            }
        }
        return ids
    }
}
