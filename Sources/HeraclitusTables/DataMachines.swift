// Makes machines of data.
public import Heraclitus
public import HeraclitusEssentials

extension StateMachine where W == DataWorkflow {
    /// Makes a machine of a workflow of data.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - state: The state to begin in, which activation enters; `nil` for the table's initial state without data.
    ///   - journal: The maximum number of lines in the journal; 0 for no journal.
    ///   - scheduler: The scheduler of deadlines and source of the date; `nil` for `Scheduler.system`.
    /// - Throws: `InvalidTransition` for an unknown state or invalid data.
    public convenience init(
        _ workflow: DataWorkflow,
        entering state: DataState? = nil,
        journal: Int = 0,
        scheduler: Scheduler? = nil
    ) throws(InvalidTransition) {
        let state = state ?? DataState(workflow.table.initial)
        try workflow.definition.expectBeginning(state)
        self.init(entering: state, context: workflow, journal: journal, scheduler: scheduler)
    }

    /// Makes a machine of a workflow of data that is already in a state.
    ///
    /// Activation restores it without entry hooks.
    /// - Parameters:
    ///   - workflow: The workflow.
    ///   - state: The current state.
    ///   - entered: The date of entering the state, for deadlines; `nil` for now, by the clock of `scheduler`.
    ///   - journal: The maximum number of lines in the journal; 0 for no journal.
    ///   - scheduler: The scheduler of deadlines and source of the date; `nil` for `Scheduler.system`.
    /// - Throws: `InvalidTransition` for an unknown state or invalid data.
    public convenience init(
        _ workflow: DataWorkflow,
        resumingIn state: DataState,
        since entered: Date? = nil,
        journal: Int = 0,
        scheduler: Scheduler? = nil
    ) throws(InvalidTransition) {
        try workflow.definition.expectBeginning(state)
        self.init(resumingIn: state, since: entered, context: workflow, journal: journal, scheduler: scheduler)
    }

    /// Restores a machine of a workflow of data from an archive.
    ///
    /// An archive of an older version goes through the table's `TransitionTable.migrations` first. Its data then has
    /// to fit the table's `TransitionTable.keys`.
    /// - Parameters:
    ///   - archive: UTF-8 JSON of `archive(includingDefinition:prettyPrinted:limit:)`.
    ///   - workflow: The workflow.
    ///   - limit: The maximum size in bytes, by default 64 MiB.
    ///   - scheduler: The scheduler of deadlines.
    /// - Throws: `ArchiveError`.
    public convenience init(
        archive: Data,
        of workflow: DataWorkflow,
        limit: Int = 64 << 20,
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
        let reason: InvalidTransition.Reason = mismatch == nil ? .unknownState : .unsuitableState
        throw rejection(reason, state: state.name, because: mismatch, attempt: "begin")
    }
}

extension TransitionValidator where W == DataWorkflow {
    /// Makes a validator of a workflow of data.
    /// - Parameter workflow: The workflow.
    public init(_ workflow: DataWorkflow) { self.init(workflow.definition) }
}

extension CodingUserInfoKey {
    /// The key of the ``DataWorkflow`` of decoded machines in a decoder's user info.
    ///
    /// ```swift
    /// let decoder = JSONDecoder()
    /// decoder.userInfo[.dataWorkflow] = approval
    /// let machine = try decoder.decode(StateMachine<DataWorkflow>.self, from: archive)
    /// ```
    public static let dataWorkflow = CodingUserInfoKey(rawValue: "Heraclitus.dataWorkflow")!
}
