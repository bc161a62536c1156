// How is a machine of data made?
public import HeraclitusEssentials

extension StateMachine where W == DataWorkflow {
    /// Makes a machine of a workflow of data.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - state: The state to begin in, which activation enters; `nil` for the table's initial state without data.
    ///   - journal: How much it keeps of what happens to it.
    ///   - scheduler: Fires the events that are due, and tells the date; `nil` for that of the ``Scheduler/system``.
    /// - Throws: ``InvalidTransition`` for a state that the table does not have, or whose data does not fit.
    public convenience init(
        _ workflow: DataWorkflow,
        entering state: DataState? = nil,
        journal: JournalLimit? = nil,
        scheduler: Scheduler? = nil
    ) throws(InvalidTransition) {
        let state = state ?? DataState(workflow.table.initial)
        try workflow.definition.expectBeginning(state)
        self.init(entering: state, context: workflow, journal: journal, scheduler: scheduler)
    }

    /// Makes a machine of a workflow of data that is already in a state; activation restores it without entry hooks.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - state: The state it is in.
    ///   - entered: When it entered the state, from which deadlines count; `nil` for now, by the clock of `scheduler`.
    ///   - journal: How much it keeps of what happens to it.
    ///   - scheduler: Fires the events that are due, and tells the date; `nil` for that of the ``Scheduler/system``.
    /// - Throws: ``InvalidTransition`` for a state that the table does not have, or whose data does not fit.
    public convenience init(
        _ workflow: DataWorkflow,
        resumingIn state: DataState,
        since entered: Date? = nil,
        journal: JournalLimit? = nil,
        scheduler: Scheduler? = nil
    ) throws(InvalidTransition) {
        try workflow.definition.expectBeginning(state)
        self.init(resumingIn: state, since: entered, context: workflow, journal: journal, scheduler: scheduler)
    }

    /// Restores a machine of a workflow of data from an archive.
    ///
    /// An archive of an older version goes through the table's ``TransitionTable/migrations`` first. Then its data has to fit the table's
    /// ``TransitionTable/keys``.
    /// - Parameters:
    ///   - archive: UTF-8 JSON, as ``archive(including:prettyPrinted:limit:)`` writes it.
    ///   - workflow: The workflow.
    ///   - limit: The maximum size in bytes, by default ``archiveLimit``.
    ///   - scheduler: Fires the events that are due.
    /// - Throws: ``ArchiveError``, whatever the bytes are.
    public convenience init(
        archive: Data,
        of workflow: DataWorkflow,
        limit: Int = StateMachine.archiveLimit,
        scheduler: Scheduler = .system
    ) throws(ArchiveError) {
        try self.init(archive: archive, context: workflow, limit: limit, scheduler: scheduler)
    }
}

extension Definition {
    /// Throws unless a machine of data can begin with an object.
    fileprivate func expectBeginning(_ state: DataState) throws(InvalidTransition) {
        if stateIndex(of: state) != nil { return }
        let mismatch = mismatch(of: state)
        throw InvalidTransition(
            Rejection(
                mismatch == nil ? .unknownState : .unsuitableState,
                event: nil,
                from: nil,
                Rejection.Details(source: state.name, underlyingError: mismatch, attempt: "begin")
            ),
            in: self,
            userInfo: [:]
        )
    }
}

extension TransitionValidator where W == DataWorkflow {
    /// Makes a validator of a workflow of data.
    /// - Parameter workflow: The workflow.
    public init(_ workflow: DataWorkflow) { self.init(workflow.definition) }
}

extension CodingUserInfoKey {
    /// The ``DataWorkflow`` of the machines that a decoder makes.
    ///
    /// ```swift
    /// let decoder = JSONDecoder()
    /// decoder.userInfo[.dataWorkflow] = approval
    /// let machine = try decoder.decode(StateMachine<DataWorkflow>.self, from: archive)
    /// ```
    public static let dataWorkflow: CodingUserInfoKey = {
        guard let key = CodingUserInfoKey(rawValue: "Heraclitus.dataWorkflow") else {
            preconditionFailure("A text is a key of a decoder.")
        }
        return key
    }()
}
