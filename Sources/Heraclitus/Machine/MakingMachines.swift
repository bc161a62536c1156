// How is a machine made?
public import HeraclitusEssentials

extension StateMachine where W.Context == Void {
    /// Makes a machine in the workflow's initial state.
    ///
    /// The first use of a workflow reads its definition and stops the program if that is wrong. A machine of a workflow with a
    /// ``Workflow/Context`` is made with ``init(context:journal:scheduler:)``.
    /// - Parameters:
    ///   - journal: How much it keeps of what happens to it, in a workflow whose ``Workflow/journal`` says nothing.
    ///   - scheduler: Fires the events that are due, and tells the date; `nil` for that of the ``Scheduler/system``.
    public convenience init(journal: JournalLimit? = nil, scheduler: Scheduler? = nil) where W.Initial == W.AnyState {
        self.init(placing: W.initial, due: .entry, scheduler, journal: journal)
    }

    /// Makes a new machine that begins in another state than the workflow's initial one; activation enters it.
    ///
    /// Activation calls the state's entry hooks, as those of the initial state after ``init(journal:scheduler:)``. For a state that was entered long
    /// ago, use ``init(resumingIn:since:journal:scheduler:)``. An object whose class is not registered with the workflow stops the program.
    /// - Parameters:
    ///   - state: The state to begin in.
    ///   - journal: How much it keeps of what happens to it, in a workflow whose ``Workflow/journal`` says nothing.
    ///   - scheduler: Fires the events that are due, and tells the date; `nil` for that of the ``Scheduler/system``.
    public convenience init(
        entering state: W.AnyState,
        journal: JournalLimit? = nil,
        scheduler: Scheduler? = nil
    ) {
        self.init(placing: state, due: .entry, scheduler, journal: journal)
    }

    /// Makes a machine that is already in a state; activation restores it without entry hooks.
    ///
    /// Activation calls ``Restoring/didRestore(_:)`` and no entry hook, as after an archive. For a state that is to be entered, use
    /// ``init(entering:journal:scheduler:)``. An object whose class is not registered with the workflow stops the program.
    /// - Parameters:
    ///   - state: The state it is in.
    ///   - entered: When it entered the state, from which `due(after:)` counts; `nil` for now, by the clock of `scheduler`.
    ///   - journal: How much it keeps of what happens to it, in a workflow whose ``Workflow/journal`` says nothing.
    ///   - scheduler: Fires the events that are due, and tells the date; `nil` for that of the ``Scheduler/system``.
    public convenience init(
        resumingIn state: W.AnyState,
        since entered: Date? = nil,
        journal: JournalLimit? = nil,
        scheduler: Scheduler? = nil
    ) {
        self.init(placing: state, due: .restoring, scheduler, journal: journal)
        if let entered { core.activity?.note(entered: entered) }
    }
}

// Of every workflow: generic code passes the context on, whatever it is.
extension StateMachine {
    /// Makes a machine in the workflow's initial state.
    /// - Parameters:
    ///   - context: What the states need and archives do not keep.
    ///   - journal: How much it keeps of what happens to it, in a workflow whose ``Workflow/journal`` says nothing.
    ///   - scheduler: Fires the events that are due, and tells the date; `nil` for that of the ``Scheduler/system``.
    public convenience init(context: W.Context, journal: JournalLimit? = nil, scheduler: Scheduler? = nil)
    where W.Initial == W.AnyState {
        self.init(placing: W.initial, due: .entry, scheduler, Self.given(context), journal: journal)
    }

    /// Makes a new machine that begins in another state than the workflow's initial one; activation enters it.
    ///
    /// An object whose class is not registered with the workflow stops the program.
    /// - Parameters:
    ///   - state: The state to begin in.
    ///   - context: What the states need and archives do not keep.
    ///   - journal: How much it keeps of what happens to it, in a workflow whose ``Workflow/journal`` says nothing.
    ///   - scheduler: Fires the events that are due, and tells the date; `nil` for that of the ``Scheduler/system``.
    public convenience init(
        entering state: W.AnyState,
        context: W.Context,
        journal: JournalLimit? = nil,
        scheduler: Scheduler? = nil
    ) {
        let given = Self.given(context)
        self.init(placing: state, due: .entry, scheduler, given, in: Self.definition(given), journal: journal)
    }

    /// Makes a machine that is already in a state; activation restores it without entry hooks.
    ///
    /// An object whose class is not registered with the workflow stops the program.
    /// - Parameters:
    ///   - state: The state it is in.
    ///   - entered: When it entered the state, from which `due(after:)` counts; `nil` for now, by the clock of `scheduler`.
    ///   - context: What the states need and archives do not keep.
    ///   - journal: How much it keeps of what happens to it, in a workflow whose ``Workflow/journal`` says nothing.
    ///   - scheduler: Fires the events that are due, and tells the date; `nil` for that of the ``Scheduler/system``.
    public convenience init(
        resumingIn state: W.AnyState,
        since entered: Date? = nil,
        context: W.Context,
        journal: JournalLimit? = nil,
        scheduler: Scheduler? = nil
    ) {
        let given = Self.given(context)
        self.init(placing: state, due: .restoring, scheduler, given, in: Self.definition(given), journal: journal)
        if let entered { core.activity?.note(entered: entered) }
    }

    /// Makes a machine in the workflow's initial state; `nil` if that is no object.
    package static func initial(context: W.Context, scheduler: Scheduler? = nil) -> StateMachine? {
        let given = given(context)
        let initial = given?.initial.flatMap { $0() as? W.AnyState } ?? W.initialObject
        return initial.map { StateMachine(placing: $0, due: .entry, scheduler, given, in: definition(given)) }
    }

    /// The definition of machines with a context.
    private static func definition(_ context: GivenContext?) -> Definition {
        CompiledWorkflow<W>.definition(given: context)
    }

    /// A context for a machine to keep; `nil` in a workflow without one.
    package static func given(_ context: W.Context) -> GivenContext? {
        CompiledWorkflow<W>.shared.definition.given(context)
    }
}

extension Workflow {
    /// The object of the initial state; `nil` if each machine begins with one of its own.
    static var initialObject: AnyState? { Initial.self == AnyState.self ? initial as? AnyState : nil }

    /// The class of which each machine begins with an object of its own; `nil` if there is an initial object.
    static var initialClass: (any WorkflowState.Type)? {
        Initial.self == AnyState.self ? nil : initial as? any WorkflowState.Type
    }
}
