// Makes machines.
public import HeraclitusEssentials

extension StateMachine {
    /// Makes a machine in the workflow's initial state.
    ///
    /// The first use of a workflow reads its definition, and stops the program for an invalid one.
    ///
    /// In a workflow with a ``Workflow/Context``, a machine without its context is inactive, and a fire throws
    /// ``InvalidTransition/Reason-swift.enum/missingContext``. The machine gets the context from
    /// ``activate(context:userInfo:)``. A machine in a ``Composite`` state gets its holder's context, or one of the
    /// holder's ``Workflow/regionContexts``, when the state is entered or restored:
    ///
    /// ```swift
    /// init(review: StateMachine<Review> = .init()) { self.review = review }
    /// ```
    /// - Parameters:
    ///   - context: The runtime dependencies of the states; `nil` for a machine that needs none or gets them later.
    ///   - journal: The maximum number of lines in the journal, if ``Workflow/journal`` is 0; 0 for no journal.
    ///   - scheduler: The scheduler of deadlines and source of the date; `nil` for ``Scheduler/system``.
    public convenience init(context: W.Context? = nil, journal: Int = 0, scheduler: Scheduler? = nil)
    where W.Initial == W.AnyState {
        self.init(placing: W.initial, due: .entry, scheduler, W.given(context), journal: journal)
    }

    /// Makes a new machine that begins in another state than the initial one.
    ///
    /// Activation enters the state.
    ///
    /// Activation calls the state's entry hooks, as for ``init(context:journal:scheduler:)``. For a state that was
    /// entered earlier, use ``init(resumingIn:since:context:journal:scheduler:)``. An object of an unregistered class
    /// stops the program.
    /// - Parameters:
    ///   - state: The state to begin in.
    ///   - context: The runtime dependencies of the states; `nil` for a machine that needs none or gets them later. A
    ///     machine of a `DataWorkflow` needs its context at once, and stops the program without it.
    ///   - journal: The maximum number of lines in the journal, if ``Workflow/journal`` is 0; 0 for no journal.
    ///   - scheduler: The scheduler of deadlines and source of the date; `nil` for ``Scheduler/system``.
    public convenience init(
        entering state: W.AnyState,
        context: W.Context? = nil,
        journal: Int = 0,
        scheduler: Scheduler? = nil
    ) {
        self.init(placing: state, due: .entry, scheduler, W.given(context), journal: journal)
    }

    /// Makes a machine that is already in a state.
    ///
    /// Activation restores it without entry hooks.
    ///
    /// Activation calls ``Restoring/didRestore(_:)``, as after an archive. For a state that is to be entered, use
    /// ``init(entering:context:journal:scheduler:)``. An object of an unregistered class stops the program.
    /// - Parameters:
    ///   - state: The current state.
    ///   - entered: The date of entering the state, for `due(after:)`; `nil` for now, by the clock of `scheduler`.
    ///   - context: The runtime dependencies of the states; `nil` for a machine that needs none or gets them later. A
    ///     machine of a `DataWorkflow` needs its context at once, and stops the program without it.
    ///   - journal: The maximum number of lines in the journal, if ``Workflow/journal`` is 0; 0 for no journal.
    ///   - scheduler: The scheduler of deadlines and source of the date; `nil` for ``Scheduler/system``.
    public convenience init(
        resumingIn state: W.AnyState,
        since entered: Date? = nil,
        context: W.Context? = nil,
        journal: Int = 0,
        scheduler: Scheduler? = nil
    ) {
        self.init(placing: state, due: .restoring, scheduler, W.given(context), journal: journal)
        if let entered { core.activity?.note(entered: entered) }
    }

    /// Makes a machine in the workflow's initial state; `nil` if each machine needs its own object.
    package static func initial(_ given: GivenContext?, scheduler: Scheduler? = nil) -> StateMachine? {
        let initial = given?.definition.flatMap { $0.makeInitial() as? W.AnyState } ?? W.initialObject
        return initial.map { StateMachine(placing: $0, due: .entry, scheduler, given) }
    }
}
