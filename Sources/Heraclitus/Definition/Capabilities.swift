// A state declares its hooks by these protocols. They are looked up once per class at the first use of a workflow. A
// subclass may add a protocol that its superclass lacks, and a missing hook is free.

/// A state with a guard that may decline to leave it.
public protocol ExitGuarding: WorkflowState {
    /// Throws to decline a transition out of this state.
    ///
    /// Called on the firing thread, once per attempt, after the event's own guards and before the destination's
    /// ``EntryGuarding/shouldEnter(_:)``. The machine is still unchanged. Firing it here throws
    /// ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
    /// - Parameter transition: The planned transition.
    /// - Throws: Any error, which becomes the ``InvalidTransition/underlyingError``.
    func shouldExit(_ transition: StateTransition) throws
}

/// A state with a guard that may decline to enter it.
public protocol EntryGuarding: WorkflowState {
    /// Throws to decline a transition into this state.
    ///
    /// Called on the firing thread, once per attempt, after the source's ``ExitGuarding/shouldExit(_:)``. Activation
    /// and restoration skip it. Firing the machine here throws
    /// ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
    /// - Parameter transition: The planned transition.
    /// - Throws: Any error, which becomes the ``InvalidTransition/underlyingError``.
    func shouldEnter(_ transition: StateTransition) throws
}

/// A state with a hook that runs just before the machine leaves it.
public protocol ExitPreparing: WorkflowState {
    /// Called on the firing thread before the machine leaves this state, which is still current.
    ///
    /// The transition is certain now. Firing the machine here throws
    /// ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
    /// - Parameter transition: The certain transition.
    func willExit(_ transition: StateTransition)
}

/// A state with a hook that runs just before the machine enters it.
public protocol EntryPreparing: WorkflowState {
    /// Called on the firing thread before the machine enters this state, after the source's
    /// ``ExitPreparing/willExit(_:)``.
    ///
    /// The source is still current. The hook is also called for the initial state when a new machine is activated.
    /// Firing the machine here throws ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
    /// - Parameter transition: The certain transition.
    func willEnter(_ transition: StateTransition)
}

/// A state with a hook that runs after the machine has left it.
public protocol Exiting: WorkflowState {
    /// Called on the firing thread after the machine has left this state; the destination is current.
    ///
    /// The hook may fire the machine: see ``StateMachine``.
    /// - Parameter transition: The transition.
    func didExit(_ transition: StateTransition)
}

/// A state with a hook that runs after the machine has entered it.
public protocol Entering: WorkflowState {
    /// Called on the firing thread when this state is current, after the source's ``Exiting/didExit(_:)``.
    ///
    /// The hook is also called for the initial state when a new machine is activated, and never on restoration. It may
    /// fire the machine: see ``StateMachine``.
    /// - Parameter transition: The transition.
    func didEnter(_ transition: StateTransition)
}

/// A state that resumes its work after its machine was restored from an archive.
public protocol Restoring: WorkflowState {
    /// Called once when a machine that was restored in this state is activated, by
    /// ``StateMachine/activate(context:userInfo:)`` or the first fire.
    ///
    /// A machine made with ``StateMachine/init(resumingIn:since:context:journal:scheduler:)`` counts as restored. A
    /// machine in a state calls it each time that a holder resumes it: see ``Composite``.
    /// ``EntryPreparing/willEnter(_:)`` and ``Entering/didEnter(_:)`` are skipped. The hook may fire the machine: see
    /// ``StateMachine``.
    /// - Parameter transition: A transition without event and source; the destination is this state.
    func didRestore(_ transition: StateTransition)
}

/// A state with mutable parts, which a machine and its copy cannot share.
///
/// Copies of a machine share immutable state objects. A state with a machine, or with other mutable parts, copies
/// itself here. A state with a ``StateMachine`` that is not `Copying` is a ``WorkflowProblem``.
public protocol Copying: WorkflowState {
    /// Returns an independent object with the same content.
    func copied() -> Self
}

/// A state whose time goes on while its machine is put aside.
///
/// A machine is put aside when its holder leaves the state with the machine. Its time for `due(after:)` stands still
/// until a holder resumes it: see ``Composite``. In an `Aging` state the time goes on. A date computed from the state's
/// data, as for ``WorkflowEvent/due(_:)``, stays the same in any case.
public protocol Aging: WorkflowState {}

/// A state with facts for its line in a journal.
///
/// ```swift
/// final class PaidState: OrderState, FactStating {
///     let amount: Decimal
///     var facts: UserInfo { UserInfo((.amount, amount)) }
/// }
/// ```
///
/// The line of each transition that enters or updates the state has these facts: ``Occurrence/facts``. Journals alone
/// then suffice for a report, such as the sum of a day.
public protocol FactStating: WorkflowState {
    /// The facts, read in the transition's turn: for the journal before the machine shows the state, and for each
    /// observer.
    var facts: UserInfo { get }
}
