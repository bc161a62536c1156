public import Heraclitus
import HeraclitusEssentials

/// The machines that are changed together: all of them are saved, or none.
///
/// ``ArchiveStore/unit(attempts:_:saved:)`` makes it. Use it within the closure only.
public final class UnitOfWork: Sendable {
    private let store: any ArchiveStore
    let contents = UnitContents()

    /// Whether anything was saved.
    var isSaved: Bool { saved.withLock { $0 } }

    fileprivate let saved = Lock(false)

    /// A machine that was loaded before the unit has begun.
    private let loaded: StoredArchive?

    fileprivate init(_ store: any ArchiveStore, _ loaded: StoredArchive?) {
        (self.store, self.loaded) = (store, loaded)
    }

    /// Loads a machine of a workflow without a context, or makes it; asked again, it returns the same machine.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow.
    ///   - create: Makes the machine if nothing is stored; by default one in its initial state.
    /// - Returns: The machine. It is passive: it arms no deadlines and begins no work.
    /// - Throws: `ArchiveError`; ``StoreError/repeatedID(_:)`` if the unit has the id with another workflow; errors of the store's medium.
    public nonisolated(nonsending) func machine<W: Workflow>(
        _ id: String,
        of workflow: W.Type,
        creating create: (() throws -> StateMachine<W>)? = nil
    ) async throws -> StateMachine<W> where W.Context == Void {
        try await machine(id, of: StoredWorkflow<W>(store, context: ()), creating: create)
    }

    /// Loads a machine, or makes it; asked again, it returns the same machine.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow in this store, with the machine's context and scheduler.
    ///   - create: Makes the machine if nothing is stored; by default one in its initial state.
    /// - Returns: The machine. It is passive: it arms no deadlines and begins no work.
    /// - Throws: `ArchiveError`; ``StoreError/repeatedID(_:)`` if the unit has the id with another workflow; errors of the store's medium.
    public nonisolated(nonsending) func machine<W: Workflow>(
        _ id: String,
        of workflow: StoredWorkflow<W>,
        creating create: (() throws -> StateMachine<W>)? = nil
    ) async throws -> StateMachine<W> {
        if let known = try contents.machine(id, of: W.self) { return known }
        let stored = try await load(id)
        // Without a message there is always a machine.
        return try contents.add(id, stored, of: workflow, once: nil, .last(1), creating: create)!
    }

    /// Loads a machine, or makes it, because of a message that the machine is to handle once.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow in this store, with the machine's context and scheduler.
    ///   - message: What identifies the message. The machine remembers it when the unit is saved.
    ///   - memory: How many messages the machine remembers, or for how long.
    ///   - create: Makes the machine if nothing is stored; by default one in its initial state.
    /// - Returns: The machine; `nil` if it has handled the message before.
    /// - Throws: As without a message; ``StoreError/repeatedID(_:)`` if the unit has the machine already.
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

    /// Loads a machine, and makes none.
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

    /// Deletes a machine, with its effects, together with the other changes of the unit.
    /// - Parameter id: The id.
    /// - Returns: Whether there is such a machine.
    /// - Throws: Errors of the store's medium.
    @discardableResult
    public nonisolated(nonsending) func delete(_ id: String) async throws -> Bool {
        if contents.isDeleted(id) { return false }
        let member = contents.member(id)
        let stored = member == nil ? try await load(id) : member?.stored
        // A machine that the unit has made is not saved then.
        if member != nil || stored != nil { contents.delete(id, stored) }
        return stored != nil
    }

    /// The transitions that a machine has made in the unit, in order.
    /// - Parameter id: The id of the machine.
    /// - Returns: The transitions; none of a machine that the unit has not loaded.
    public func transitions(of id: String) -> [StateTransition] { contents.transitions(of: id) }
}

/// The number of attempts of a unit of work, unless the caller names another one.
public let unitAttempts = 100

extension ArchiveStore {
    /// Changes any machines of any workflows as one unit of work: all of them are saved, or none.
    ///
    /// ```swift
    /// try await store.unit { unit in
    ///     let order = try await unit.machine("42", of: Order.self)
    ///     let stock = try await unit.machine("tea", of: Stock.self)
    ///     try stock.fire.take { $0.taking(2) }
    ///     try order.fire.place(…)
    /// }
    /// ```
    ///
    /// If somebody else has saved or deleted one of the machines meanwhile, the unit begins again, after a random delay of up to 50 ms. So the
    /// closure, and the hooks of states, may run several times. It also begins again if the closure throws or changes nothing while the machines were
    /// changed by others: they may never have been in these states at one moment. If any machine was changed all of them are saved.
    ///
    /// The effects of the states that the machines enter in the closure, or machines in their states, are saved with them: `Effecting`. Other
    /// callers fire the machines before the closure returns; a machine that is fired after the unit declines with ``StoreError/unitEnded(id:)``.
    ///
    /// Nothing is saved when the closure throws or changes nothing.
    ///
    /// The closures may belong to the caller's actor, such as the main actor. Otherwise they run where the store's ``executor`` says.
    /// - Parameters:
    ///   - attempts: The number of attempts, at least one.
    ///   - body: Loads and changes machines.
    ///   - saved: Is called after everything was saved, or if nothing had to be saved. If it throws, the machines are saved nevertheless.
    /// - Returns: The value of `body`.
    /// - Throws: Errors of `body`, of `saved` and of the store's medium; ``StoreError/tooManyConflicts(id:attempts:)`` with the first id;
    ///   ``StoreError/noTransactions(ids:)`` if the store cannot save several machines together; `ArchiveError`.
    public nonisolated(nonsending) func unit<Result>(
        attempts: Int = unitAttempts,
        _ body: (UnitOfWork) async throws -> Result,
        saved: (UnitOfWork) async throws -> Void = { _ in }
    ) async throws -> Result {
        try await unit(loaded: nil, attempts: attempts, body, saved: saved)
    }

    /// Changes machines, of which one was loaded already.
    nonisolated(nonsending) func unit<Result>(
        loaded: StoredArchive?,
        attempts: Int = unitAttempts,
        _ body: (UnitOfWork) async throws -> Result,
        saved: (UnitOfWork) async throws -> Void
    ) async throws -> Result {
        let executor = executor
        // An executor does not keep itself.
        defer { withExtendedLifetime(executor) {} }
        return try await withTaskExecutorPreference(executor) {
            for attempt in 0..<max(1, attempts) {
                try await Conflict.pause(before: attempt)
                let unit = UnitOfWork(self, attempt == 0 ? loaded : nil)
                if let done = try await carryOut(unit, attempt, of: max(1, attempts), body, saved) { return done }
            }
            throw StoreError.tooManyConflicts(id: "", attempts: attempts)
        }
    }

    /// Tries a unit of work once.
    /// - Returns: The value of the body; `nil` if the unit must begin again.
    private nonisolated(nonsending) func carryOut<Result>(
        _ unit: UnitOfWork,
        _ attempt: Int,
        of attempts: Int,
        _ body: (UnitOfWork) async throws -> Result,
        _ saved: (UnitOfWork) async throws -> Void
    ) async throws -> Result? {
        // Also when it fails: what a machine has made keeps it alive.
        defer { unit.contents.end() }
        /// - Returns: Nothing, so that the unit begins again.
        func again() throws -> Result? {
            guard attempt == attempts - 1 else { return nil }
            throw StoreError.tooManyConflicts(id: unit.contents.members.first?.id ?? "", attempts: attempts)
        }
        let result: Result
        do {
            result = try await body(unit)
        } catch {
            if try await isTorn(unit.contents) { return try again() }
            throw error
        }
        do {
            let isSaved = try await save(unit.contents)
            unit.saved.withLock { $0 = isSaved }
            if !isSaved, try await isTorn(unit.contents) { return try again() }
        } catch StoreError.conflict {
            return try again()
        }
        try await saved(unit)
        return result
    }

    /// Saves what a unit has changed.
    /// - Returns: Whether there was anything to save.
    private nonisolated(nonsending) func save(_ contents: UnitContents) async throws -> Bool {
        var changes = try contents.changes()
        if changes.isEmpty { return false }
        for attempt in 0... {
            do {
                try await save(changes)
                break
            } catch StoreError.effectsChanged(let id) where attempt < 1_000 {
                // A worker has leased or carried out effects: the machines themselves are as they were.
                try await Conflict.pause(before: attempt)
                changes = try contents.changes(changes, replacing: try await load(id)?.effects, of: id)
            }
        }
        contents.noteSaved()
        return true
    }

    /// Whether several machines may be of different moments: they were loaded one after the other, and nothing was saved that would be a conflict.
    private nonisolated(nonsending) func isTorn(_ contents: UnitContents) async throws -> Bool {
        if contents.members.count < 2 { return false }
        for member in contents.members where try await load(member.id)?.revision != member.stored?.revision {
            return true
        }
        return false
    }
}

/// What happens when others have saved the same.
enum Conflict {
    /// Waits at random, or those who have met would meet again.
    static nonisolated(nonsending) func pause(before attempt: Int) async throws {
        if attempt > 0 {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<min(1 << min(attempt, 6), 50))))
        }
        try Task.checkCancellation()
    }
}
