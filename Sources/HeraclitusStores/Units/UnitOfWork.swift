public import Heraclitus
import HeraclitusEssentials

/// A unit of work: machines that are changed together and saved all or none.
///
/// ``ArchiveStore/unit(attempts:_:saved:)`` makes it. Use it within the closure only.
public final class UnitOfWork: Sendable {
    private let store: any ArchiveStore
    let contents = UnitContents()

    /// A machine that was loaded before the unit began.
    private let loaded: StoredArchive?

    fileprivate init(_ store: any ArchiveStore, _ loaded: StoredArchive?) {
        (self.store, self.loaded) = (store, loaded)
    }

    /// Loads or makes a machine.
    ///
    /// A second call returns the same machine.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow in this store, with the machine's context and scheduler.
    ///   - create: Makes a machine for an unknown id; by default in its initial state.
    /// - Returns: The machine. It is passive: its deadlines and its work stay off.
    /// - Throws: `ArchiveError`; ``StoreError/repeatedID(_:)`` if the unit has the id with another workflow; errors of the store's medium.
    public nonisolated(nonsending) func machine<W: Workflow>(
        _ id: String,
        of workflow: StoredWorkflow<W>,
        creating create: (() throws -> StateMachine<W>)? = nil
    ) async throws -> StateMachine<W> {
        if let known = try contents.machine(id, of: W.self) { return known }
        let stored = try await load(id)
        // Without a message, `add` always returns a machine.
        return try contents.add(id, stored, of: workflow, once: nil, .last(1), creating: create)!
    }

    /// Loads or makes a machine to handle a message once.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow in this store, with the machine's context and scheduler.
    ///   - message: The id of the message. Saving the unit records it in the machine.
    ///   - memory: The number or the period of messages to remember.
    ///   - create: Makes a machine for an unknown id; by default in its initial state.
    /// - Returns: The machine; `nil` if it has handled the message before.
    /// - Throws: The errors of loading without a message; ``StoreError/repeatedID(_:)`` if the unit has the machine
    ///   already.
    public nonisolated(nonsending) func machine<W: Workflow>(
        _ id: String,
        of workflow: StoredWorkflow<W>,
        once message: String,
        remembering memory: MessageMemory = .last(100),
        creating create: (() throws -> StateMachine<W>)? = nil
    ) async throws -> StateMachine<W>? {
        if try contents.machine(id, of: W.self) != nil { throw StoreError.repeatedID(id) }
        return try contents.add(id, try await load(id), of: workflow, once: message, memory, creating: create)
    }

    /// Loads a stored machine; `nil` if the id is unknown.
    nonisolated(nonsending) func machineIfStored<W: Workflow>(
        _ id: String,
        of workflow: StoredWorkflow<W>
    ) async throws -> StateMachine<W>? {
        guard let stored = try await load(id) else { return nil }
        return try contents.add(id, stored, of: workflow, once: nil, .last(1), creating: nil)
    }

    private nonisolated(nonsending) func load(_ id: String) async throws -> StoredArchive? {
        if let loaded, ExactID(loaded.id) == ExactID(id) { return loaded }
        return try await store.load(id)
    }

    /// Deletes a machine and its effects together with the other changes of the unit.
    /// - Parameter id: The id.
    /// - Returns: Whether the machine was stored.
    /// - Throws: ``StoreError/unitEnded(id:)``; errors of the store's medium.
    @discardableResult
    public nonisolated(nonsending) func delete(_ id: String) async throws -> Bool {
        if try contents.deletes(id) { return false }
        return try await contents.delete(id, contents.member(id) == nil ? load(id) : nil)
    }

    /// The transitions of a machine in the unit, in order.
    /// - Parameter id: The id of the machine.
    /// - Returns: The transitions; empty for a machine that the unit has not loaded.
    public func transitions(of id: String) -> [StateTransition] { contents.transitions(of: id) }
}

extension ArchiveStore {
    /// Changes machines of any workflows as one unit of work: saves either all of them or none.
    ///
    /// ```swift
    /// try await store.unit { unit in
    ///     let order = try await unit.machine("42", of: orders)
    ///     let stock = try await unit.machine("tea", of: stocks)
    ///     try stock.fire.take { $0.taking(2) }
    ///     try order.fire.place(…)
    /// }
    /// ```
    ///
    /// If one of the machines is saved or deleted by another caller, the unit begins again after a random delay of up
    /// to 50 ms. The closure and the hooks of states may therefore run several times.
    ///
    /// The unit also begins again if the closure throws or changes nothing, and the machines have changed in the store:
    /// the closure may have seen states of different moments. After a change of one machine, all machines are saved.
    ///
    /// The unit saves the effects of all states entered in the closure, including those of machines within states: see
    /// `Effecting`. Fire machines before the closure returns; later fires are declined with
    /// ``StoreError/unitEnded(id:)``.
    ///
    /// If the closure throws or changes nothing, the unit saves nothing.
    ///
    /// A closure of an actor, such as the main actor, runs on the actor. Other closures run on the store's
    /// ``executor``.
    /// - Parameters:
    ///   - attempts: The number of attempts, at least one; by default 100.
    ///   - body: Loads and changes machines.
    ///   - saved: Called after the save, or if nothing had to be saved. The unit has ended: it declines
    ///     requests, and its machines decline fires. If it throws, the machines stay saved.
    /// - Returns: The value of `body`.
    /// - Throws: Errors of `body`, of `saved` and of the store's medium; ``StoreError/tooManyConflicts(id:attempts:)`` with the first id;
    ///   ``StoreError/noTransactions(ids:)`` if the store cannot save several machines together; `ArchiveError`.
    public nonisolated(nonsending) func unit<Result>(
        attempts: Int = 100,
        _ body: (UnitOfWork) async throws -> Result,
        saved: (UnitOfWork) async throws -> Void = { _ in }
    ) async throws -> Result {
        try await unit(loaded: nil, attempts: attempts, body, saved: saved)
    }

    /// Changes machines, one of which is already loaded.
    nonisolated(nonsending) func unit<Result>(
        loaded: StoredArchive?,
        attempts: Int = 100,
        _ body: (UnitOfWork) async throws -> Result,
        saved: (UnitOfWork) async throws -> Void
    ) async throws -> Result {
        let executor = executor
        // The runtime leaves an executor unretained.
        defer { withExtendedLifetime(executor) {} }
        return try await withTaskExecutorPreference(executor) {
            var id = ""
            for attempt in 0..<max(1, attempts) {
                try await Conflict.pause(before: attempt)
                let unit = UnitOfWork(self, attempt == 0 ? loaded : nil)
                if let done = try await carryOut(unit, body, saved) { return done }
                id = unit.contents.firstID
            }
            throw StoreError.tooManyConflicts(id: id, attempts: max(1, attempts))
        }
    }

    /// Runs a unit of work once.
    /// - Returns: The value of the body; `nil` to begin again.
    private nonisolated(nonsending) func carryOut<Result>(
        _ unit: UnitOfWork,
        _ body: (UnitOfWork) async throws -> Result,
        _ saved: (UnitOfWork) async throws -> Void
    ) async throws -> Result? {
        // The end has to come even after an error, because the machine's hooks keep it alive.
        defer { unit.contents.end() }
        let result: Result
        do {
            result = try await body(unit)
        } catch {
            if try await isTorn(unit.contents) { return nil }
            throw error
        }
        do {
            if try await !save(unit.contents), try await isTorn(unit.contents) { return nil }
        } catch StoreError.conflict {
            return nil
        }
        try await saved(unit)
        return result
    }

    /// Saves the changes of a unit.
    /// - Returns: Whether there were changes.
    private nonisolated(nonsending) func save(_ contents: UnitContents) async throws -> Bool {
        var changes = try contents.changes()
        if changes.isEmpty { return false }
        for attempt in 0... {
            do {
                try await save(changes)
                break
            } catch StoreError.effectsChanged(let id) where attempt < 1_000 {
                // A worker has leased or carried out effects; the machines are unchanged.
                try await Conflict.pause(before: attempt)
                changes = try contents.changes(changes, replacing: try await load(id)?.effects, of: id)
            }
        }
        contents.noteSaved()
        return true
    }

    /// Whether the machines may be from different moments.
    ///
    /// They were loaded one after the other, and no save has checked their revisions.
    private nonisolated(nonsending) func isTorn(_ contents: UnitContents) async throws -> Bool {
        if contents.members.count < 2 { return false }
        for member in contents.members where try await load(member.id)?.revision != member.stored?.revision {
            return true
        }
        return false
    }
}

/// The delay after a conflict.
enum Conflict {
    /// Waits for a random time, so that two callers in conflict do not meet again.
    static nonisolated(nonsending) func pause(before attempt: Int) async throws {
        if attempt > 0 {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<min(1 << min(attempt, 6), 50))))
        }
        try Task.checkCancellation()
    }
}
