#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A place where machines are kept by id.
///
/// Most use ``update(_:of:attempts:creating:_:saved:)``, which loads a machine, changes it, and saves it unless somebody else has
/// done so meanwhile:
///
/// ```swift
/// let store = try DirectoryStore(at: folder)
/// try await store.update("42", of: Order.self) { order in try order.fire.pay(…) }
/// ```
///
/// ``DirectoryStore`` keeps a file a machine, ``InMemoryStore`` forgets everything when it goes. One for a database of yours
/// implements these four methods. What they promise: a save that is not a conflict is complete or has not happened, whatever
/// else happens; of two that replace the same revision one is a conflict.
public protocol ArchiveStore: Sendable {
    /// Finds what is kept for an id.
    /// - Parameter id: Any text; ids are told apart by their UTF-8.
    /// - Returns: What is kept; `nil` if nothing is.
    /// - Throws: What the store's medium throws.
    func load(_ id: String) async throws -> StoredArchive?

    /// Keeps an archive in the place of the one that has its revision.
    /// - Parameter archive: What to keep; its revision is that of what it replaces, 0 if nothing is kept yet.
    /// - Returns: The revision that it has now: larger than any that was ever kept for the id, also before it was deleted, so that
    ///   whoever has loaded an old one can never replace a new one.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if what is kept has another revision; then nothing has changed.
    @discardableResult
    func save(_ archive: StoredArchive) async throws -> Int

    /// Forgets what is kept for an id.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The revision that is to be forgotten; `nil` for whichever there is.
    /// - Returns: Whether anything was kept.
    /// - Throws: ``StoreError/conflict(id:expected:found:)`` if what is kept has another revision.
    @discardableResult
    func delete(_ id: String, expecting revision: Int?) async throws -> Bool

    /// Finds the ids of everything that is kept, or of machines of a workflow, or of those in a state.
    /// - Parameters:
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - state: The name of the state; `nil` for any.
    /// - Returns: The ids, sorted.
    /// - Throws: What the store's medium throws.
    func ids(of workflow: String?, in state: String?) async throws -> [String]

    /// Finds the ids of the machines of a workflow in which an event is due that fires by itself.
    ///
    /// Unless a store knows better, every archive of the workflow is loaded for it, and none decoded.
    /// - Parameters:
    ///   - date: By when it is due.
    ///   - workflow: The name of the workflow; `nil` for any.
    /// - Returns: The ids, those first in which something is due first.
    /// - Throws: What the store's medium throws.
    func ids(dueBy date: Date, of workflow: String?) async throws -> [String]
}

/// What a store keeps for an id: an archive, and what one looks for without reading it.
public struct StoredArchive: Sendable, Hashable {
    /// The id.
    public let id: String

    /// The number that the store has given to what is kept, a larger one with each save; 0 for what is not kept yet.
    ///
    /// It is not the machine's own revision: that counts only its transitions, and a machine also changes when one within its
    /// state does.
    public let revision: Int

    /// The name of the workflow.
    public let workflow: String

    /// The name of the state.
    public let state: String

    /// When the next event is due that fires by itself; `nil` if none is.
    public let due: Date?

    /// The archive, as ``StateMachine/archive(including:prettyPrinted:limit:)`` writes it: UTF-8 JSON on one line.
    public let archive: Data

    /// Makes what a store keeps.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The revision that is kept, or, of what is to be saved, the one that it replaces; 0 for none.
    ///   - workflow: The name of the workflow.
    ///   - state: The name of the state.
    ///   - due: When the next event is due that fires by itself; `nil` if none is.
    ///   - archive: The archive.
    public init(id: String, revision: Int, workflow: String, state: String, due: Date? = nil, archive: Data) {
        self.id = id
        self.revision = revision
        self.workflow = workflow
        self.state = state
        self.due = due
        self.archive = archive
    }

    /// Archives a machine for a store.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - id: The id.
    ///   - revision: The revision that it replaces, 0 if nothing is kept yet.
    /// - Throws: ``ArchiveError`` if the state's data cannot be written.
    public init(_ machine: StateMachine<some Workflow>, id: String, replacing revision: Int) throws(ArchiveError) {
        let (archive, state, due) = try machine.archiveWithColumns()
        self.init(
            id: id,
            revision: revision,
            workflow: machine.definition.workflow,
            state: state,
            due: due,
            archive: archive
        )
    }

    /// Restores the machine.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - limit: How many bytes the archive may have; any number unless said otherwise, for it is in memory already.
    ///   - scheduler: When events are due that fire by themselves.
    /// - Returns: The machine.
    /// - Throws: ``ArchiveError``.
    public func machine<W: Workflow>(
        of workflow: W.Type,
        limit: Int = .max,
        scheduler: Scheduler = .system
    ) throws(ArchiveError) -> StateMachine<W> {
        try StateMachine<W>(archive: archive, limit: limit, scheduler: scheduler)
    }
}

/// Why a store refused something.
public enum StoreError: Error, Sendable {
    /// What is kept has another revision than was expected, because somebody has saved or deleted it meanwhile.
    ///
    /// A revision of 0 means that nothing is kept.
    case conflict(id: String, expected: Int, found: Int)

    /// An update met a conflict in each of its attempts.
    case tooManyConflicts(id: String, attempts: Int)

    /// What is kept for an id is no archive any more; the explanation says why.
    case damaged(id: String, explanation: String)

    /// Two ids whose names are the same to the medium.
    case ambiguousID(String, taken: String)
}

extension StoreError: CustomStringConvertible {
    /// What was refused, and why.
    public var description: String {
        switch self {
        case .conflict(let id, let expected, 0):
            "Nothing is kept for \"\(id)\" any more; revision \(expected) was expected."
        case .conflict(let id, 0, let found):
            "Something is kept for \"\(id)\" already, revision \(found)."
        case .conflict(let id, let expected, let found):
            "What is kept for \"\(id)\" has revision \(found); \(expected) was expected."
        case .tooManyConflicts(let id, let attempts):
            "What is kept for \"\(id)\" was changed by others in each of \(attempts) attempts to update it."
        case .damaged(let id, let explanation):
            "What is kept for \"\(id)\" is damaged: \(explanation)"
        case .ambiguousID(let id, let taken):
            "The id \"\(id)\" cannot be told from \"\(taken)\", which is taken."
        }
    }
}

// MARK: - Machines

extension ArchiveStore {
    /// Finds the ids of everything that is kept.
    /// - Returns: The ids, sorted.
    /// - Throws: What the store's medium throws.
    public func ids() async throws -> [String] { try await ids(of: nil, in: nil) }

    /// Finds the ids of the machines of a workflow, or of those in a state.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - state: The state's class; its subclasses do not count. `nil` for any.
    /// - Returns: The ids, sorted.
    /// - Throws: What the store's medium throws.
    public func ids<W: Workflow>(of workflow: W.Type, in state: (any WorkflowState.Type)? = nil) async throws
        -> [String]
    {
        try await ids(of: W.name, in: state?.name)
    }

    /// Restores the machine that is kept for an id.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow.
    /// - Returns: The machine, and the revision to be replaced when it is saved; `nil` if nothing is kept.
    /// - Throws: ``ArchiveError``, or what the store's medium throws.
    public func machine<W: Workflow>(
        _ id: String,
        of workflow: W.Type
    ) async throws -> (machine: StateMachine<W>, revision: Int)? {
        guard let stored = try await load(id) else { return nil }
        return (try stored.machine(of: W.self), stored.revision)
    }

    /// Saves a machine.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - id: The id.
    ///   - revision: The revision that is expected to be kept, which this replaces; 0 for none.
    /// - Returns: The revision that is kept now.
    /// - Throws: ``StoreError/conflict(id:expected:found:)``, ``ArchiveError``, or what the store's medium throws.
    @discardableResult
    public func save(
        _ machine: StateMachine<some Workflow>,
        as id: String,
        expecting revision: Int
    ) async throws -> Int {
        try await save(try StoredArchive(machine, id: id, replacing: revision))
    }

    /// Changes a machine as one unit of work: loads or makes it, changes it, saves it.
    ///
    /// If somebody else has saved or deleted it meanwhile, it is loaded anew and changed again, after a moment that grows with
    /// each conflict, up to a twentieth of a second; so the closure, and the hooks of states, may run several times. What is to
    /// happen once, when the change is certain, belongs into `saved`.
    ///
    /// Nothing is saved when the closure throws, or has changed nothing in a machine that is kept. What an older version of the
    /// workflow has written stays as it is until then.
    ///
    /// The machine is passive: nothing of it goes on by itself. What is due in it is the store's, see
    /// ``fireDue(_:by:scheduler:failed:)``.
    /// - Parameters:
    ///   - id: The id.
    ///   - workflow: The workflow.
    ///   - attempts: How often to try, at least once.
    ///   - scheduler: What says which time it is.
    ///   - create: Makes the machine if nothing is kept; one in its initial state unless said otherwise.
    ///   - body: Changes the machine.
    ///   - saved: Gets the transitions that were made, in their order, after they were saved. What it throws comes back, and
    ///     the machine is saved all the same.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` or `saved` throws; ``StoreError/tooManyConflicts(id:attempts:)``; ``ArchiveError``; what the store's
    ///   medium throws.
    public func update<W: Workflow, Result>(
        _ id: String,
        of workflow: W.Type,
        attempts: Int = 20,
        scheduler: Scheduler = .system,
        creating create: () -> StateMachine<W> = { StateMachine<W>() },
        _ body: (StateMachine<W>) async throws -> Result,
        saved: ([StateTransition]) async throws -> Void = { _ in }
    ) async throws -> Result {
        for attempt in 0..<max(1, attempts) {
            // At random, or those who have met would meet again.
            if attempt > 0 {
                try await Task.sleep(for: .milliseconds(Int.random(in: 0..<min(1 << min(attempt, 6), 50))))
            }
            try Task.checkCancellation()
            let stored = try await load(id)
            let machine = try stored?.machine(of: W.self, scheduler: scheduler) ?? create()
            machine.becomePassive()
            // Not what is kept: a set in a state may be written in another order after it was read.
            let before = try stored.map { _ in try machine.archiveWithColumns().archive }
            let made = MadeTransitions()
            let registration = machine.onTransition { made.add($0) }
            let result = try await body(machine)
            registration.cancel()
            let changed = try StoredArchive(machine, id: id, replacing: stored?.revision ?? 0)
            do {
                if changed.archive != before { try await save(changed) }
            } catch StoreError.conflict {
                continue
            }
            try await saved(made.all)
            return result
        }
        throw StoreError.tooManyConflicts(id: id, attempts: max(1, attempts))
    }
}

// MARK: - Deadlines

extension ArchiveStore {
    /// Finds the ids of the machines of a workflow in which an event is due that fires by itself.
    /// - Parameters:
    ///   - date: By when it is due.
    ///   - workflow: The name of the workflow; `nil` for any.
    /// - Returns: The ids, those first in which something is due first.
    /// - Throws: What the store's medium throws.
    public func ids(dueBy date: Date, of workflow: String?) async throws -> [String] {
        var found: [(due: Date, id: String)] = []
        for id in try await ids(of: workflow, in: nil) {
            if let due = try await load(id)?.due, due <= date { found.append((due, id)) }
        }
        return found.sorted { ($0.due, $0.id) < ($1.due, $1.id) }.map(\.id)
    }

    /// Fires what is due in the machines of a workflow, as a unit of work for each: the events that fire by themselves.
    ///
    /// Any number of processes may do so at once: each event becomes one saved transition. What follows from one event and is due by the
    /// same date fires as well.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - date: By when it is due; now unless said otherwise.
    ///   - scheduler: What says which time it is.
    ///   - failed: Gets the id and the error of a machine that could not be changed, and may throw to leave out the rest. Throws
    ///     the error unless said otherwise.
    /// - Returns: The ids of the machines that were changed, or tried.
    /// - Throws: What `failed` throws; what the store's medium throws.
    @discardableResult
    public func fireDue<W: Workflow>(
        _ workflow: W.Type,
        by date: Date? = nil,
        scheduler: Scheduler = .system,
        failed: (_ id: String, _ error: any Error) throws -> Void = { throw $1 }
    ) async throws -> [String] {
        let date = date ?? scheduler.date
        let ids = try await ids(dueBy: date, of: W.name)
        for id in ids {
            do {
                try await update(id, of: W.self, scheduler: scheduler) { $0.fireDue(by: date) }
            } catch {
                try failed(id, error)
            }
        }
        return ids
    }
}
