// By these protocols a state says what it wants to hear. They are looked up once per class when a workflow is first used;
// a subclass may add one that its superclass lacks, and a hook that is not there costs nothing.

/// A state that wants to hear of its transitions, or has a say in them: what all capabilities are.
///
/// Conform to one or more of ``ExitGuarding``, ``EntryGuarding``, ``ExitPreparing``, ``EntryPreparing``, ``Exiting``,
/// ``Entering``, ``Restoring`` and ``Copying``. This one is there because to find out that a class does *not* conform to a
/// protocol is slow, and for most classes one question answers for all. Nobody need mention it but a generic class that has
/// a capability under a condition only: such a class conforms to this one without.
public protocol Capability: WorkflowState {}

/// A state that may decline to be left.
public protocol ExitGuarding: Capability {
    /// Throws to decline a transition out of this state.
    ///
    /// Called on the firing thread, once per attempt, after the event's own guards and before the destination's
    /// ``EntryGuarding/shouldEnter(_:)``. Nothing has changed yet. Firing the same machine from here is refused with
    /// ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
    /// - Parameter transition: What is about to happen.
    /// - Throws: Any error; it comes back as ``InvalidTransition/underlyingError``.
    func shouldExit(_ transition: StateTransition) throws
}

/// A state that may decline to be entered.
public protocol EntryGuarding: Capability {
    /// Throws to decline a transition into this state.
    ///
    /// Called on the firing thread, once per attempt, after the source's ``ExitGuarding/shouldExit(_:)``. Not called when
    /// a machine is activated or restored. Firing the same machine from here is refused with
    /// ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
    /// - Parameter transition: What is about to happen.
    /// - Throws: Any error; it comes back as ``InvalidTransition/underlyingError``.
    func shouldEnter(_ transition: StateTransition) throws
}

/// A state that is told just before it is left.
public protocol ExitPreparing: Capability {
    /// Called on the firing thread before the machine leaves this state; the machine still shows it.
    ///
    /// The transition is certain now. Firing the same machine from here is refused with
    /// ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
    /// - Parameter transition: What is about to happen.
    func willExit(_ transition: StateTransition)
}

/// A state that is told just before it is entered.
public protocol EntryPreparing: Capability {
    /// Called on the firing thread before the machine enters this state, after the source's
    /// ``ExitPreparing/willExit(_:)``; the machine still shows the source.
    ///
    /// Also called for the initial state when a new machine is activated. Firing the same machine from here is refused
    /// with ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
    /// - Parameter transition: What is about to happen.
    func willEnter(_ transition: StateTransition)
}

/// A state that is told when it has been left.
public protocol Exiting: Capability {
    /// Called on the firing thread when the machine has left this state and shows the destination.
    ///
    /// The machine may be fired again from here: see ``StateMachine``.
    /// - Parameter transition: What has happened.
    func didExit(_ transition: StateTransition)
}

/// A state that is told when it has been entered.
public protocol Entering: Capability {
    /// Called on the firing thread when the machine shows this state, after the source's ``Exiting/didExit(_:)``.
    ///
    /// Also called for the initial state when a new machine is activated, and never on restoring. The machine may be
    /// fired again from here: see ``StateMachine``.
    /// - Parameter transition: What has happened.
    func didEnter(_ transition: StateTransition)
}

/// A state that takes up its work again when its machine comes back from an archive.
public protocol Restoring: Capability {
    /// Called once, by ``StateMachine/activate(userInfo:)`` or the first fire, on a machine that was restored in this
    /// state or made with ``StateMachine/init(alreadyIn:)``.
    ///
    /// It takes the place of ``EntryPreparing/willEnter(_:)`` and ``Entering/didEnter(_:)``, which are not called. The
    /// machine may be fired from here: see ``StateMachine``.
    /// - Parameter transition: No event and no source; the destination is this state.
    func didRestore(_ transition: StateTransition)
}

/// A state that cannot be shared between a machine and its copy, because something in it changes.
///
/// State objects are immutable and so a copy of a machine shares them. One that holds a machine of its own, or anything
/// else that changes, says here how to copy itself. A state that holds a ``StateMachine`` and is not `Copying` stops the
/// program at its first copy.
public protocol Copying: Capability {
    /// Returns an independent object with the same content.
    func copied() -> Self
}
