public import Heraclitus
public import HeraclitusEssentials

/// An archive as a store has it, with the properties by which it can be found.
public struct StoredArchive: Sendable, Hashable {
    /// The id.
    public let id: String

    /// The revision that the store has assigned, which grows with each save; 0 if it is not stored yet.
    ///
    /// It is not the machine's `StateMachine.revision`, which counts only transitions: a machine also changes when a machine
    /// within its state does.
    public let revision: Int

    /// The name of the workflow.
    public let workflow: String

    /// The name of the state.
    public let state: String

    /// When the next event is due that fires by itself; `nil` if none is.
    public let due: Date?

    /// The archive, as `StateMachine.archive(including:prettyPrinted:limit:)` writes it: UTF-8 JSON on one line.
    public let archive: Data

    /// Makes an archive for a store.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The stored revision; for an archive to save, the revision that it replaces, 0 for none.
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

    /// Archives a machine for a store, with the effects that wait in the archive that it replaces.
    ///
    /// Effects of states that the machine has entered are collected only in a unit of work, such as
    /// ``ArchiveStore/update(_:of:attempts:scheduler:creating:_:saved:)``. A machine that has entered such states outside of one is refused, and so is
    /// a machine with such a machine in its state.
    /// - Parameters:
    ///   - machine: The machine.
    ///   - id: The id.
    ///   - stored: The stored archive of this id that the machine replaces; `nil` if nothing is stored yet.
    /// - Throws: ``StoreError/uncollectedEffects(id:state:)``; ``StoreError/damaged(id:explanation:)`` if the effects that wait cannot be read;
    ///   `ArchiveError` if the data of the state cannot be written.
    public init(
        _ machine: StateMachine<some Workflow>,
        id: String,
        replacing stored: StoredArchive? = nil
    ) throws {
        let bare = try StoredArchive(withoutWaitingEffects: machine, id: id, replacing: stored?.revision ?? 0)
        self = try stored?.outbox().map { try bare.with($0) } ?? bare
    }

    /// Archives a machine without the effects that wait in the archive that it replaces.
    init(
        withoutWaitingEffects machine: StateMachine<some Workflow>,
        id: String,
        replacing revision: Int
    ) throws {
        let (archive, state, due, uncollectedState) = try machine.archiveWithColumns()
        if let uncollectedState { throw StoreError.uncollectedEffects(id: id, state: uncollectedState) }
        self.init(
            id: id,
            revision: revision,
            workflow: machine.workflowName,
            state: state,
            due: due,
            archive: archive
        )
    }

    /// The same with another revision.
    func with(revision: Int) -> StoredArchive {
        StoredArchive(id: id, revision: revision, workflow: workflow, state: state, due: due, archive: archive)
    }

    /// Restores the machine.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - limit: The maximum size in bytes; no limit by default, because the archive is in memory already.
    ///   - scheduler: Fires the events that are due.
    /// - Returns: The machine.
    /// - Throws: `ArchiveError`.
    public func machine<W: Workflow>(
        of workflow: W.Type,
        limit: Int = .max,
        scheduler: Scheduler = .system
    ) throws(ArchiveError) -> StateMachine<W> where W.Context == Void {
        try machine(of: workflow, context: (), limit: limit, scheduler: scheduler)
    }

    /// Restores the machine, and gives it what its states need.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - context: What the states need and archives do not keep.
    ///   - limit: The maximum size in bytes; no limit by default, because the archive is in memory already.
    ///   - scheduler: Fires the events that are due.
    /// - Returns: The machine.
    /// - Throws: `ArchiveError`.
    public func machine<W: Workflow>(
        of workflow: W.Type,
        context: W.Context,
        limit: Int = .max,
        scheduler: Scheduler = .system
    ) throws(ArchiveError) -> StateMachine<W> {
        try StateMachine<W>(archive: archive, context: context, limit: limit, scheduler: scheduler)
    }
}

extension StoredArchive {
    /// Whether two archives are the same; ids are compared by their UTF-8, as stores compare them.
    /// - Parameters:
    ///   - left: An archive.
    ///   - right: Another archive.
    /// - Returns: Whether they are.
    public static func == (left: StoredArchive, right: StoredArchive) -> Bool {
        (ExactID(left.id), left.revision, left.workflow, left.state, left.due, left.archive)
            == (ExactID(right.id), right.revision, right.workflow, right.state, right.due, right.archive)
    }

    /// Hashes the id by its UTF-8, and the revision.
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactID(id))
        hasher.combine(revision)
    }
}
