// States with other workflows inside.

/// A composite state: its data has machines, which run while it is the current state.
///
/// ```swift
/// final class PlacedState: OrderState, Composite {
///     let payment: StateMachine<Payment>
///     let parcel: StateMachine<Parcel>
///     var regions: [any Region] { [payment, parcel] }
///     …
/// }
/// ```
///
/// Each machine **belongs to the machine whose state holds it**. It does so from the moment when the holder is made in
/// the state, or has accepted a transition into the state:
///
/// - **One turn.** Firing a region is an action of its holder. Other threads' transitions in the tree wait. Fires of
///   the region's callbacks at the holder are decided at once, and carried out before the region's fire returns. In a
///   guard, a builder or a `will…` hook of the holder, firing a region throws
///   ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
/// - **Entering.** Regions are activated in order, after all callbacks of entering or restoring the state.
/// - **Leaving.** A region's state is left before the holder's, the innermost and last region first. Its
///   ``ExitPreparing/willExit(_:)`` and its ``Exiting/didExit(_:)`` come before the holder's. They get the holder's
///   transition, with the region's state as its source. The region's deadlines and work end. Later fires are rejected
///   as ``InvalidTransition/Reason-swift.enum/notCurrent``.
/// - **History.** A region keeps its state. If its holder enters a state that lists the region again, the region is
///   resumed: ``Restoring/didRestore(_:)``.
/// - **Updates** that keep a machine leave it unchanged.
///
/// A machine has one holder at a time. A fire into a state with another holder's machine is rejected as
/// ``InvalidTransition/Reason-swift.enum/regionInUse``. Making a machine in such a state stops the program.
///
/// A machine of the state that is missing in ``regions`` is a ``WorkflowProblem``.
///
/// The copy of ``Copying/copied()`` has copies of the regions: `payment.copy()`. A copy or an archive of the holder
/// shows one moment of the whole tree, despite fires of other threads.
public protocol Composite: Copying {
    /// The machines of the state, in the order of activation.
    ///
    /// Each object always returns the same machines: keep them in constants. A state that makes new ones at each call
    /// stops the program.
    var regions: [any Region] { get }
}

/// A machine in a state's data: a ``StateMachine`` of any workflow.
///
/// Only machines are valid: a state that lists another object stops the program.
public protocol Region: AnyObject, Sendable {}

/// A composite state that is told of the transitions of its machines, at any depth.
///
/// ```swift
/// func regionDidTransition(_ transition: StateTransition, path: String) {
///     if transition.destination is LateState { try? transition.holder(as: Order.self)?.fire.warn() }
/// }
/// ```
public protocol RegionObserving: Composite {
    /// Called after a transition of a machine in this state, among that machine's observers, on the firing thread.
    ///
    /// It may fire this state's machine, ``StateTransition/holder(as:)``, as a `did…` hook may.
    /// ``StateTransition/machine(as:)`` is the machine of the transition, and `holder(as:)` also finds the machines
    /// between the two.
    /// - Parameters:
    ///   - transition: The transition.
    ///   - path: The property names that lead to the machine, such as `payment`, or `payment.card` for a deeper one.
    ///     A machine in an array has its index: `cars[1]`. A machine that no property or array of the state holds has
    ///     the name of its workflow instead.
    func regionDidTransition(_ transition: StateTransition, path: String)
}
