public import Heraclitus
import HeraclitusEssentials

// How are several stored machines changed as one?

extension ArchiveStore {
    /// Changes several machines as one unit of work: all of them are saved, or none.
    ///
    /// ```swift
    /// try await store.update(together: ["alice", "bob"], of: Account.self) { accounts in
    ///     try accounts[0].fire.withdraw { open in OpenState(open.balance - 10) }
    ///     try accounts[1].fire.deposit { open in OpenState(open.balance + 10) }
    /// }
    /// ```
    ///
    /// It is the same as ``update(_:of:attempts:scheduler:creating:_:saved:)`` for one machine, and starts again if somebody else has saved
    /// one of them meanwhile, also if the closure throws or changes nothing: what it judged may never have been at one moment. If any machine
    /// was changed all are saved, so that nobody changes those that the others were changed by.
    /// - Parameters:
    ///   - ids: The ids, each once.
    ///   - workflow: The workflow of all of them.
    ///   - attempts: The number of attempts, at least one.
    ///   - scheduler: Tells the date.
    ///   - create: Makes the machine if nothing is stored for an id; by default one in its initial state. Events that it fires come
    ///     before the unit of work: `saved` does not get them, and if a state that they enter has effects,
    ///     ``StoreError/uncollectedEffects(id:state:)`` is thrown. Fire those in `body`.
    ///   - body: Changes the machines, which it gets in the order of the ids.
    ///   - saved: Gets the transitions of each machine in order, after they were saved; none if nothing had to be saved.
    /// - Returns: The value of `body`.
    /// - Throws: Errors of `body`, of `saved` and of the store's medium; ``StoreError/tooManyConflicts(id:attempts:)`` with the first id;
    ///   ``StoreError/noTransactions(ids:)`` if the store cannot do it; ``StoreError/repeatedID(_:)`` before anything is loaded;
    ///   `ArchiveError`.
    public nonisolated(nonsending) func update<W: Workflow, Result>(
        together ids: [String],
        of workflow: W.Type,
        attempts: Int = 20,
        scheduler: Scheduler = .system,
        creating create: ((_ id: String) throws -> StateMachine<W>)? = nil,
        _ body: ([StateMachine<W>]) async throws -> Result,
        saved: ([[StateTransition]]) async throws -> Void = { _ in }
    ) async throws -> Result where W.Context == Void {
        try await update(
            together: ids,
            of: workflow,
            context: (),
            attempts: attempts,
            scheduler: scheduler,
            creating: create,
            body,
            saved: saved
        )
    }

    /// Changes several machines that are given what their states need, as one unit of work.
    ///
    /// It is the same for workflows with a `Workflow.Context`.
    /// - Parameters:
    ///   - ids: The ids, each once.
    ///   - workflow: The workflow of all of them.
    ///   - context: What the states need and archives do not keep.
    ///   - attempts: The number of attempts, at least one.
    ///   - scheduler: Tells the date.
    ///   - create: Makes the machine if nothing is stored for an id; by default one in its initial state. Events that it fires come
    ///     before the unit of work: `saved` does not get them, and if a state that they enter has effects,
    ///     ``StoreError/uncollectedEffects(id:state:)`` is thrown. Fire those in `body`.
    ///   - body: Changes the machines, which it gets in the order of the ids.
    ///   - saved: Gets the transitions of each machine in order, after they were saved; none if nothing had to be saved.
    /// - Returns: The value of `body`.
    /// - Throws: Errors of `body`, of `saved` and of the store's medium; ``StoreError/tooManyConflicts(id:attempts:)`` with the first id;
    ///   ``StoreError/noTransactions(ids:)`` if the store cannot do it; ``StoreError/repeatedID(_:)`` before anything is loaded;
    ///   `ArchiveError`.
    public nonisolated(nonsending) func update<W: Workflow, Result>(
        together ids: [String],
        of workflow: W.Type,
        context: W.Context,
        attempts: Int = 20,
        scheduler: Scheduler = .system,
        creating create: ((_ id: String) throws -> StateMachine<W>)? = nil,
        _ body: ([StateMachine<W>]) async throws -> Result,
        saved: ([[StateTransition]]) async throws -> Void = { _ in }
    ) async throws -> Result {
        // Each of the two would be saved in place of what was loaded, and so the second be a conflict in every attempt.
        var seen: Set<ExactID> = []
        if let repeated = ids.first(where: { !seen.insert(ExactID($0)).inserted }) {
            throw StoreError.repeatedID(repeated)
        }
        let executor = executor
        // An executor does not keep itself.
        defer { withExtendedLifetime(executor) {} }
        return try await withTaskExecutorPreference(executor) {
            try await attempt(attempts, ids, context, scheduler, create, body, saved)
        }
    }

    /// The same, wherever it is called.
    private nonisolated(nonsending) func attempt<W: Workflow, Result>(
        _ attempts: Int,
        _ ids: [String],
        _ context: W.Context,
        _ scheduler: Scheduler,
        _ create: ((_ id: String) throws -> StateMachine<W>)?,
        _ body: ([StateMachine<W>]) async throws -> Result,
        _ saved: ([[StateTransition]]) async throws -> Void
    ) async throws -> Result {
        for attempt in 0..<max(1, attempts) {
            // At random, or those who have met would meet again.
            if attempt > 0 {
                try await Task.sleep(for: .milliseconds(Int.random(in: 0..<min(1 << min(attempt, 6), 50))))
            }
            try Task.checkCancellation()
            // Loops and no key paths: here, where types are generic, a key path is made anew each time.
            var works: [MachineInWork<W>] = []
            var machines: [StateMachine<W>] = []
            // Also when it fails: what a machine has made keeps it alive.
            defer { for work in works { work.end() } }
            for id in ids {
                let work = try MachineInWork(id, try await load(id), context, scheduler) { try create?(id) }
                works.append(work)
                machines.append(work.machine)
            }
            let result: Result
            do {
                result = try await body(machines)
            } catch {
                if try await isTorn(works) { continue }
                throw error
            }
            do {
                var archives: [StoredArchive] = []
                var isChange = false
                for work in works {
                    let changed = try work.changed()
                    archives.append(changed.archive)
                    isChange = isChange || changed.isChange
                }
                if isChange {
                    if archives.count == 1 {
                        try await save(archives[0])
                    } else {
                        try await save(together: archives)
                    }
                    for work in works { work.noteSaved() }
                } else if try await isTorn(works) {
                    continue
                }
            } catch StoreError.conflict {
                continue
            }
            try await saved(works.map { $0.transitions() })
            return result
        }
        throw StoreError.tooManyConflicts(id: ids.first ?? "", attempts: max(1, attempts))
    }

    /// Whether several machines may be of different moments: they were loaded one after the other, and nothing was saved that would be a conflict.
    private nonisolated(nonsending) func isTorn<W: Workflow>(_ works: [MachineInWork<W>]) async throws -> Bool {
        if works.count < 2 { return false }
        for work in works where try await load(work.id)?.revision != work.stored?.revision { return true }
        return false
    }
}

/// A machine in a unit of work.
private struct MachineInWork<W: Workflow> {
    let machine: StateMachine<W>

    let id: String
    let stored: StoredArchive?

    /// The effects that wait in what is stored.
    private let waiting: Outbox?

    /// What would be saved if nothing changed, without effects; `nil` if nothing is stored.
    ///
    /// Not what is stored: a set in a state may be written in another order after it was read.
    private let before: StoredArchive?
    private let made = MadeTransitions()
    private let registration: Registration
    private let collector: EffectCollector
    private let scheduler: Scheduler

    init(
        _ id: String,
        _ stored: StoredArchive?,
        _ context: W.Context,
        _ scheduler: Scheduler,
        _ create: () throws -> StateMachine<W>?
    ) throws {
        self.id = id
        self.stored = stored
        self.scheduler = scheduler
        waiting = try stored?.outboxOfMachine()
        if let stored {
            machine = try stored.machine(of: W.self, context: context, scheduler: scheduler)
        } else {
            guard let made = try create() ?? .initial(context: context, scheduler: scheduler) else {
                throw StoreError.notStored(id: id)
            }
            machine = made
            if let state = machine.uncollectedState { throw StoreError.uncollectedEffects(id: id, state: state) }
        }
        machine.becomePassive()
        before = try stored.map { [machine] in
            try StoredArchive(withoutWaitingEffects: machine, id: id, replacing: $0.revision)
        }
        registration = machine.onTransition { [made] in made.add($0) }
        collector = EffectCollector(of: machine)
    }

    /// What is to be saved, and whether it differs from what is stored.
    func changed() throws -> (archive: StoredArchive, isChange: Bool) {
        registration.cancel()
        collector.stop()
        let archive = try StoredArchive(withoutWaitingEffects: machine, id: id, replacing: stored?.revision ?? 0)
        let effects = collector.effects
        let isChange = archive.archive != before?.archive || archive.due != stored?.due || !effects.isEmpty
        return (try archive.with(waiting, adding: effects, of: W.self, at: scheduler.date), isChange)
    }

    /// Notes that the machine is saved with its effects.
    func noteSaved() { collector.noteSaved() }

    /// Lets no more transitions be kept, by which the machine would keep itself alive.
    func end() {
        registration.cancel()
        collector.end()
    }

    func transitions() -> [StateTransition] { made.all }
}
