// Makes machines.
public import HeraclitusEssentials

extension StateMachine where W.Context == Void {
    /// Makes a machine in the workflow's initial state.
    ///
    /// The first use of a workflow reads its definition, and stops the program for an invalid one. For a workflow with
    /// a ``Workflow/Context``, use ``init(context:journal:scheduler:)``.
    /// - Parameters:
    ///   - journal: The maximum number of lines in the journal, if ``Workflow/journal`` is 0; 0 for no journal.
    ///   - scheduler: The scheduler of deadlines and source of the date; `nil` for ``Scheduler/system``.
    public convenience init(journal: Int = 0, scheduler: Scheduler? = nil) where W.Initial == W.AnyState {
        self.init(placing: W.initial, due: .entry, scheduler, journal: journal)
    }

    /// Makes a new machine that begins in another state than the initial one.
    ///
    /// Activation enters the state.
    ///
    /// Activation calls the state's entry hooks, as for ``init(journal:scheduler:)``. For a state that was entered
    /// earlier, use ``init(resumingIn:since:journal:scheduler:)``. An object of an unregistered class stops the program.
    /// - Parameters:
    ///   - state: The state to begin in.
    ///   - journal: The maximum number of lines in the journal, if ``Workflow/journal`` is 0; 0 for no journal.
    ///   - scheduler: The scheduler of deadlines and source of the date; `nil` for ``Scheduler/system``.
    public convenience init(
        entering state: W.AnyState,
        journal: Int = 0,
        scheduler: Scheduler? = nil
    ) {
        self.init(placing: state, due: .entry, scheduler, journal: journal)
    }

    /// Makes a machine that is already in a state.
    ///
    /// Activation restores it without entry hooks.
    ///
    /// Activation calls ``Restoring/didRestore(_:)``, as after an archive. For a state that is to be entered, use
    /// ``init(entering:journal:scheduler:)``. An object of an unregistered class stops the program.
    /// - Parameters:
    ///   - state: The current state.
    ///   - entered: The date of entering the state, for `due(after:)`; `nil` for now, by the clock of `scheduler`.
    ///   - journal: The maximum number of lines in the journal, if ``Workflow/journal`` is 0; 0 for no journal.
    ///   - scheduler: The scheduler of deadlines and source of the date; `nil` for ``Scheduler/system``.
    public convenience init(
        resumingIn state: W.AnyState,
        since entered: Date? = nil,
        journal: Int = 0,
        scheduler: Scheduler? = nil
    ) {
        self.init(placing: state, due: .restoring, scheduler, journal: journal)
        if let entered { core.activity?.note(entered: entered) }
    }
}

// For every workflow: generic code passes any context on.
extension StateMachine {
    /// Makes a machine in the workflow's initial state.
    /// - Parameters:
    ///   - context: The runtime dependencies of the states.
    ///   - journal: The maximum number of lines in the journal, if ``Workflow/journal`` is 0; 0 for no journal.
    ///   - scheduler: The scheduler of deadlines and source of the date; `nil` for ``Scheduler/system``.
    public convenience init(context: W.Context, journal: Int = 0, scheduler: Scheduler? = nil)
    where W.Initial == W.AnyState {
        self.init(placing: W.initial, due: .entry, scheduler, W.given(context), journal: journal)
    }

    /// Makes a new machine that begins in another state than the initial one.
    ///
    /// Activation enters the state.
    ///
    /// An object of an unregistered class stops the program.
    /// - Parameters:
    ///   - state: The state to begin in.
    ///   - context: The runtime dependencies of the states.
    ///   - journal: The maximum number of lines in the journal, if ``Workflow/journal`` is 0; 0 for no journal.
    ///   - scheduler: The scheduler of deadlines and source of the date; `nil` for ``Scheduler/system``.
    public convenience init(
        entering state: W.AnyState,
        context: W.Context,
        journal: Int = 0,
        scheduler: Scheduler? = nil
    ) {
        self.init(placing: state, due: .entry, scheduler, W.given(context), journal: journal)
    }

    /// Makes a machine that is already in a state.
    ///
    /// Activation restores it without entry hooks.
    ///
    /// An object of an unregistered class stops the program.
    /// - Parameters:
    ///   - state: The current state.
    ///   - entered: The date of entering the state, for `due(after:)`; `nil` for now, by the clock of `scheduler`.
    ///   - context: The runtime dependencies of the states.
    ///   - journal: The maximum number of lines in the journal, if ``Workflow/journal`` is 0; 0 for no journal.
    ///   - scheduler: The scheduler of deadlines and source of the date; `nil` for ``Scheduler/system``.
    public convenience init(
        resumingIn state: W.AnyState,
        since entered: Date? = nil,
        context: W.Context,
        journal: Int = 0,
        scheduler: Scheduler? = nil
    ) {
        self.init(placing: state, due: .restoring, scheduler, W.given(context), journal: journal)
        if let entered { core.activity?.note(entered: entered) }
    }

    /// Makes a machine for the data of a ``Composite`` state, which gets its context from its holder.
    ///
    /// ```swift
    /// init(review: StateMachine<Review> = .region()) { self.review = review }
    /// ```
    ///
    /// The machine gets its holder's ``Workflow/Context``, or one of the holder's ``Workflow/regionContexts``, when the
    /// state is entered or restored. An earlier fire throws
    /// ``InvalidTransition/Reason-swift.enum/missingContext``. In a workflow without a context the machine is like one
    /// of ``init(journal:scheduler:)``.
    /// - Returns: The machine.
    public static func region() -> StateMachine where W.Initial == W.AnyState {
        StateMachine(placing: W.initial, due: .entry, nil)
    }

    /// Makes a machine for the data of a ``Composite`` state that begins in another state than the initial one.
    ///
    /// Its holder gives it its context, as for ``region()``. A machine of a `DataWorkflow` needs its context at once.
    /// - Parameter state: The state to begin in.
    /// - Returns: The machine.
    public static func region(entering state: W.AnyState) -> StateMachine {
        StateMachine(placing: state, due: .entry, nil)
    }

    /// Makes a machine in the workflow's initial state; `nil` if each machine needs its own object.
    package static func initial(context: W.Context, scheduler: Scheduler? = nil) -> StateMachine? {
        let given = W.given(context)
        let initial = given?.definition.flatMap { $0.makeInitial() as? W.AnyState } ?? W.initialObject
        return initial.map { StateMachine(placing: $0, due: .entry, scheduler, given) }
    }
}
