import Heraclitus
public import HeraclitusEssentials

/// A stored machine: one row with the columns by which the machine is found.
///
/// A database has a column for each property that an ``ArchiveQuery`` compares.
public struct StoredArchive: Sendable, Hashable {
    private let exactID: ExactID

    /// The id, compared by its UTF-8, as in stores.
    public var id: String { exactID.text }

    /// The revision that the store assigns.
    ///
    /// It grows with each save, and is 0 for an unsaved archive.
    ///
    /// `StateMachine.revision` differs: it counts only transitions of the machine, while machines within its state may
    /// change, too.
    public var revision: Int

    /// The name of the workflow.
    public var workflow: String

    /// The version of the workflow that wrote the archive; `nil` if an earlier release stored no version.
    public var version: Int?

    /// The name of the state.
    public var state: String

    /// The date when the machine entered its state; `nil` if an earlier release stored no date.
    public var entered: Date?

    /// The date of the next automatic event; `nil` if none is armed.
    public var due: Date?

    /// The values by which the machine is found: see ``Findable``.
    public var values: [String: StoredValue]

    /// The archive as `StateMachine.archive(includingDefinition:prettyPrinted:limit:)` writes it: UTF-8 JSON on one line.
    public var archive: Data

    /// The handled messages, encoded: see ``StoredWorkflow/update(_:once:remembering:attempts:creating:_:saved:)``.
    public var handled: Data?

    /// The waiting effects; `nil` if there are none.
    ///
    /// Saving the machine keeps them. ``StoreChange`` changes them.
    public var effects: WaitingEffects?

    /// Makes an archive for a store.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The stored revision; for an archive to save, the revision that it replaces, or 0.
    ///   - workflow: The name of the workflow.
    ///   - version: The version of the workflow that wrote the archive.
    ///   - state: The name of the state.
    ///   - entered: The date when the machine entered its state.
    ///   - due: The date of the next automatic event; `nil` if none is armed.
    ///   - values: The values by which the machine is found.
    ///   - archive: The archive.
    ///   - handled: The handled messages.
    ///   - effects: The waiting effects.
    public init(
        id: String,
        revision: Int,
        workflow: String,
        version: Int?,
        state: String,
        entered: Date? = nil,
        due: Date? = nil,
        values: [String: StoredValue] = [:],
        archive: Data,
        handled: Data? = nil,
        effects: WaitingEffects? = nil
    ) {
        exactID = ExactID(id)
        self.revision = revision
        self.workflow = workflow
        self.version = version
        self.state = state
        self.entered = entered
        self.due = due
        self.values = values
        self.archive = archive
        self.handled = handled
        self.effects = effects
    }

    /// Whether two archives are equal apart from their ids, revisions and effects.
    func isSameMachine(as other: StoredArchive) -> Bool {
        (workflow, version, state, entered, due) == (
            other.workflow, other.version, other.state, other.entered, other.due
        )
            && (values, archive, handled) == (other.values, other.archive, other.handled)
    }
}

/// The waiting effects of a machine, in their own column.
///
/// Leasing, carrying out, retrying or parking an effect keeps the machine's archive and revision.
public struct WaitingEffects: Sendable, Hashable {
    /// The effects, encoded for this library.
    public var content: Data

    /// The name of the next effect's type; `nil` if all effects are parked or held up.
    public let next: String?

    /// The date from which the next effect may run: the end of its lease or delay, or the distant future if there is no
    /// next effect.
    public var date: Date

    /// The worker that holds the lease; `nil` without a lease.
    public var worker: String?

    /// Makes effects from a stored row.
    /// - Parameters:
    ///   - content: The effects.
    ///   - next: The name of the type of the next effect.
    ///   - date: The date from which the next effect may run.
    ///   - worker: The worker that holds the lease.
    public init(content: Data, next: String?, date: Date, worker: String?) {
        self.content = content
        self.next = next
        self.date = date
        self.worker = worker
    }
}
