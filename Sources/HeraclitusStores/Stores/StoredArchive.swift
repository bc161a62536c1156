import Heraclitus
public import HeraclitusEssentials

/// A machine as a store keeps it: one row, with the columns by which it is found.
///
/// It is `Codable`, so a simple store can keep it whole. A database has a column for each property that an ``ArchiveQuery`` compares.
public struct StoredArchive: Sendable, Codable {
    /// The id.
    public let id: String

    /// The revision that the store has assigned, which grows with each save; 0 if it is not stored yet.
    ///
    /// It is not the machine's `StateMachine.revision`, which counts only transitions: a machine also changes when a machine
    /// within its state does.
    public var revision: Int

    /// The name of the workflow.
    public let workflow: String

    /// The version of the workflow that has written the archive; `nil` if a store of an earlier release did not keep it.
    public let version: Int?

    /// The name of the state.
    public let state: String

    /// When the machine entered its state; `nil` if a store of an earlier release did not keep it.
    public let entered: Date?

    /// When the next event is due that fires by itself; `nil` if none is.
    public let due: Date?

    /// The values by which the machine is found: see ``Findable``.
    public let values: [String: StoredValue]

    /// The archive, as `StateMachine.archive(including:prettyPrinted:limit:)` writes it: UTF-8 JSON on one line.
    public let archive: Data

    /// The messages that the machine has handled already, as a store keeps them: see ``StoredWorkflow/update(_:once:remembering:attempts:creating:_:saved:)``.
    public let handled: Data?

    /// The effects that wait; `nil` if there are none.
    ///
    /// A save of the machine leaves them as they are. ``StoreChange`` changes them.
    public var effects: WaitingEffects?

    /// Makes an archive for a store.
    /// - Parameters:
    ///   - id: The id.
    ///   - revision: The stored revision; for an archive to save, the revision that it replaces, 0 for none.
    ///   - workflow: The name of the workflow.
    ///   - version: The version of the workflow that has written the archive.
    ///   - state: The name of the state.
    ///   - entered: When the machine entered its state.
    ///   - due: When the next event is due that fires by itself; `nil` if none is.
    ///   - values: The values by which the machine is found.
    ///   - archive: The archive.
    ///   - handled: The messages that the machine has handled already.
    ///   - effects: The effects that wait.
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
        self.id = id
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
}

extension StoredArchive: Hashable {
    /// Whether two archives are equal; ids are compared by their UTF-8, as stores compare them.
    /// - Parameters:
    ///   - left: An archive.
    ///   - right: Another archive.
    /// - Returns: Whether they are.
    public static func == (left: StoredArchive, right: StoredArchive) -> Bool {
        ExactID(left.id) == ExactID(right.id) && left.revision == right.revision && left.isSameMachine(as: right)
            && left.effects == right.effects
    }

    /// Whether two archives say the same of a machine, whatever their revisions and effects are.
    func isSameMachine(as other: StoredArchive) -> Bool {
        (workflow, version, state, entered, due) == (
            other.workflow, other.version, other.state, other.entered, other.due
        )
            && (values, archive, handled) == (other.values, other.archive, other.handled)
    }

    /// Hashes the id by its UTF-8, and the revision.
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactID(id))
        hasher.combine(revision)
    }
}

/// The effects of a machine that wait to be carried out, in a column of their own.
///
/// To lease, carry out, retry or park one changes neither the machine's archive nor its revision.
public struct WaitingEffects: Sendable, Hashable, Codable {
    /// The effects, in a form that only this library reads.
    public let content: Data

    /// The name of the type of the next effect; `nil` if none is to be carried out.
    public let next: String?

    /// When the next effect may be carried out: the end of its lease, or the end of a delay; the distant future if none is to be.
    public var date: Date

    /// The worker that has leased them; `nil` for nobody.
    public var worker: String?

    /// Makes what a store has read.
    /// - Parameters:
    ///   - content: The effects.
    ///   - next: The name of the type of the next effect.
    ///   - date: When the next effect may be carried out.
    ///   - worker: The worker that has leased them.
    public init(content: Data, next: String?, date: Date, worker: String?) {
        self.content = content
        self.next = next
        self.date = date
        self.worker = worker
    }
}
