// How is a machine made?

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension StateMachine where W.Context == Void {
    /// Makes a machine in the workflow's initial state.
    ///
    /// The first use of a workflow reads its definition and stops the program if that is wrong. A machine of a workflow with a
    /// ``Workflow/Context`` is made with ``init(context:scheduler:)``.
    /// - Parameter scheduler: Fires the events that are due.
    public convenience init(scheduler: Scheduler = .system) {
        self.init(placing: W.initial, due: .entry, scheduler, nil)
    }

    /// Makes a new machine that begins in another state than the workflow's initial one; activation enters it.
    ///
    /// Activation calls the state's entry hooks, as those of the initial state after ``init(scheduler:)``. For a state that was entered long
    /// ago, use ``init(alreadyIn:since:scheduler:)``. An object whose class is not registered with the workflow stops the program.
    /// - Parameters:
    ///   - state: The state to begin in.
    ///   - scheduler: Fires the events that are due.
    public convenience init(entering state: W.AnyState, scheduler: Scheduler = .system) {
        self.init(placing: state, due: .entry, scheduler, nil)
    }

    /// Makes a machine that is already in a state; activation restores it without entry hooks.
    ///
    /// Activation calls ``Restoring/didRestore(_:)`` and no entry hook, as after an archive. For a state that is to be entered, use
    /// ``init(entering:scheduler:)``. An object whose class is not registered with the workflow stops the program.
    /// - Parameters:
    ///   - state: The state it is in.
    ///   - entered: When it entered the state, from which ``WorkflowEvent/due(after:)`` counts; `nil` for now.
    ///   - scheduler: Fires the events that are due.
    public convenience init(
        alreadyIn state: W.AnyState,
        since entered: Date? = nil,
        scheduler: Scheduler = .system
    ) {
        self.init(placing: state, due: .restoring, scheduler, nil)
        if let entered { core.environment?.note(entered: entered) }
    }

    /// Makes a machine in the workflow's initial state that keeps a journal, although its workflow asks for none.
    ///
    /// Its archives and copies have the journal and go on with it. A limit of the workflow's own counts in place of this one.
    /// - Parameters:
    ///   - journal: How much it keeps.
    ///   - scheduler: Fires the events that are due, and tells the date.
    public convenience init(journal: JournalLimit, scheduler: Scheduler = .system) {
        self.init(placing: W.initial, due: .entry, scheduler, nil, journal: journal)
    }
}

// Of every workflow: generic code passes the context on, whatever it is.
extension StateMachine {
    /// Makes a machine in the workflow's initial state.
    /// - Parameters:
    ///   - context: What the states need and archives do not keep.
    ///   - scheduler: Fires the events that are due.
    public convenience init(context: W.Context, scheduler: Scheduler = .system) {
        self.init(placing: W.initial, due: .entry, scheduler, Self.given(context))
    }

    /// Makes a machine in the workflow's initial state that keeps a journal, although its workflow asks for none.
    ///
    /// It is the same as ``init(journal:scheduler:)`` for workflows with a ``Workflow/Context``.
    /// - Parameters:
    ///   - context: What the states need and archives do not keep.
    ///   - journal: How much it keeps.
    ///   - scheduler: Fires the events that are due, and tells the date.
    public convenience init(context: W.Context, journal: JournalLimit, scheduler: Scheduler = .system) {
        self.init(placing: W.initial, due: .entry, scheduler, Self.given(context), journal: journal)
    }

    /// Makes a new machine that begins in another state than the workflow's initial one; activation enters it.
    ///
    /// An object whose class is not registered with the workflow stops the program.
    /// - Parameters:
    ///   - state: The state to begin in.
    ///   - context: What the states need and archives do not keep.
    ///   - scheduler: Fires the events that are due.
    public convenience init(entering state: W.AnyState, context: W.Context, scheduler: Scheduler = .system) {
        self.init(placing: state, due: .entry, scheduler, Self.given(context))
    }

    /// Makes a machine that is already in a state; activation restores it without entry hooks.
    ///
    /// An object whose class is not registered with the workflow stops the program.
    /// - Parameters:
    ///   - state: The state it is in.
    ///   - entered: When it entered the state, from which ``WorkflowEvent/due(after:)`` counts; `nil` for now.
    ///   - context: What the states need and archives do not keep.
    ///   - scheduler: Fires the events that are due.
    public convenience init(
        alreadyIn state: W.AnyState,
        since entered: Date? = nil,
        context: W.Context,
        scheduler: Scheduler = .system
    ) {
        self.init(placing: state, due: .restoring, scheduler, Self.given(context))
        if let entered { core.environment?.note(entered: entered) }
    }

    private static func given(_ context: W.Context) -> GivenContext? {
        CompiledWorkflow<W>.shared.definition.given(context)
    }
}
