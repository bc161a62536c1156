// By these protocols a state says what it wants to hear. They are looked up once per class when a workflow is first used;
// a subclass may add one that its superclass lacks, and a hook that is not there costs nothing.

/// A state with hooks: the protocol that all capabilities refine.
///
/// Conform to one or more of ``ExitGuarding``, ``EntryGuarding``, ``ExitPreparing``, ``EntryPreparing``, ``Exiting``,
/// ``Entering``, ``Restoring``, ``Copying``, ``Working``, ``FactStating`` and ``Effecting``. You need to name this protocol in one case only: a generic class that
/// conforms to a capability under a condition conforms to this protocol without the condition.
///
/// The runtime takes long to find out that a class does *not* conform to a protocol. With this protocol, one question is
/// enough for most classes.
public protocol Capability: WorkflowState {}

/// A state with a guard that may decline to leave it.
public protocol ExitGuarding: Capability {
    /// Throws to decline a transition out of this state.
    ///
    /// Called on the firing thread, once per attempt, after the event's own guards and before the destination's
    /// ``EntryGuarding/shouldEnter(_:)``. Nothing has changed yet. Firing the same machine from here throws
    /// ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
    /// - Parameter transition: What is about to happen.
    /// - Throws: Any error; it comes back as ``InvalidTransition/underlyingError``.
    func shouldExit(_ transition: StateTransition) throws
}

/// A state with a guard that may decline to enter it.
public protocol EntryGuarding: Capability {
    /// Throws to decline a transition into this state.
    ///
    /// Called on the firing thread, once per attempt, after the source's ``ExitGuarding/shouldExit(_:)``. Not called when
    /// a machine is activated or restored. Firing the same machine from here throws
    /// ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
    /// - Parameter transition: What is about to happen.
    /// - Throws: Any error; it comes back as ``InvalidTransition/underlyingError``.
    func shouldEnter(_ transition: StateTransition) throws
}

/// A state with a hook that runs just before the machine leaves it.
public protocol ExitPreparing: Capability {
    /// Called on the firing thread before the machine leaves this state; the machine still shows it.
    ///
    /// The transition is certain now. Firing the same machine from here throws
    /// ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
    /// - Parameter transition: What is about to happen.
    func willExit(_ transition: StateTransition)
}

/// A state with a hook that runs just before the machine enters it.
public protocol EntryPreparing: Capability {
    /// Called on the firing thread before the machine enters this state, after the source's
    /// ``ExitPreparing/willExit(_:)``; the machine still shows the source.
    ///
    /// Also called for the initial state when a new machine is activated. Firing the same machine from here
    /// throws ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
    /// - Parameter transition: What is about to happen.
    func willEnter(_ transition: StateTransition)
}

/// A state with a hook that runs after the machine has left it.
public protocol Exiting: Capability {
    /// Called on the firing thread when the machine has left this state and shows the destination.
    ///
    /// The machine may be fired again from here: see ``StateMachine``.
    /// - Parameter transition: What has happened.
    func didExit(_ transition: StateTransition)
}

/// A state with a hook that runs after the machine has entered it.
public protocol Entering: Capability {
    /// Called on the firing thread when the machine shows this state, after the source's ``Exiting/didExit(_:)``.
    ///
    /// Also called for the initial state when a new machine is activated, and never on restoring. The machine may be
    /// fired again from here: see ``StateMachine``.
    /// - Parameter transition: What has happened.
    func didEnter(_ transition: StateTransition)
}

/// A state that resumes its work when its machine was restored from an archive.
public protocol Restoring: Capability {
    /// Called once, by ``StateMachine/activate(userInfo:)`` or the first fire, on a machine that was restored in this
    /// state or made with ``StateMachine/init(resumingIn:since:journal:scheduler:)``; and on a machine within a state each time that a holder
    /// resumes it: ``Composite``.
    ///
    /// ``EntryPreparing/willEnter(_:)`` and ``Entering/didEnter(_:)`` are not called then. The
    /// machine may be fired from here: see ``StateMachine``.
    /// - Parameter transition: No event and no source; the destination is this state.
    func didRestore(_ transition: StateTransition)
}

/// A state that cannot be shared between a machine and its copy, because something in it changes.
///
/// State objects are immutable, so a copy of a machine shares them. A state that contains a machine, or anything
/// else that changes, says here how to copy itself. A state that contains a ``StateMachine`` and is not `Copying` is a
/// ``WorkflowProblem/uncopiableMachine(className:property:)``.
public protocol Copying: Capability {
    /// Returns an independent object with the same content.
    func copied() -> Self
}

/// A state whose time goes on while its machine is put aside.
///
/// The time that `due(after:)` counts stands still when the holder of a machine leaves the state that holds it, and goes on
/// when a holder resumes the machine: see ``Composite``. In an `Aging` state it goes on meanwhile. A date that follows from the state's
/// data, as for ``WorkflowEvent/due(_:)``, always stays as it is.
public protocol Aging: Capability {}

/// A state that says something of itself for its line in a journal.
///
/// ```swift
/// final class PaidState: OrderState, FactStating {
///     let amount: Decimal
///     var facts: UserInfo { UserInfo((.amount, amount)) }
/// }
/// ```
///
/// The line of each transition that enters or updates the state has its facts: ``Occurrence/facts``. So journals alone are enough for a
/// report, such as the sum of a day.
public protocol FactStating: Capability {
    /// What the line says, asked for once before the machine shows the state.
    var facts: UserInfo { get }
}
