// A state within which other workflows go on.

/// A composite state: one with machines in its data, which go on while it is the current state.
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
/// Each of them **belongs to the machine whose state holds it**, from the moment when that machine is made in the state, or has accepted
/// a transition into it:
///
/// - **One turn.** Firing a region is an action of its holder: no other thread makes a transition anywhere in the tree meanwhile, and
///   what the callbacks of the region fire at the holder is decided at once and carried out before the fire returns. From a guard, a
///   builder or a `will…` hook of the holder, firing a region throws ``InvalidTransition/Reason-swift.enum/transitionInProgress``.
/// - **Entering.** Regions are activated, in order, when everyone has been called who hears that the state was entered or restored.
/// - **Leaving.** A region's state is left before the holder's, innermost first and the last region first: its
///   ``ExitPreparing/willExit(_:)`` before the holder's, and its ``Exiting/didExit(_:)`` before the holder's. These get the holder's
///   transition, with the region's state as its source. What goes on in the region ends. From then on a fire is rejected as
///   ``InvalidTransition/Reason-swift.enum/notCurrent``.
/// - **History.** A region stays in the state in which it was left. When its holder enters a state that lists it again, it is resumed
///   there: ``Restoring/didRestore(_:)``.
/// - **Updates** that keep a machine leave it alone.
///
/// A machine belongs to one holder at a time. A fire that would enter a state with a machine that belongs to another one is rejected as
/// ``InvalidTransition/Reason-swift.enum/regionInUse``; to make a machine in such a state stops the program.
///
/// A machine that the state holds and ``regions`` does not list is a ``WorkflowProblem/unlistedRegion(className:property:)``.
///
/// The copy that ``Copying/copied()`` returns has copies of the regions: `payment.copy()`. A copy or an archive of the holder is of one moment
/// of the whole tree, whatever other threads fire while it is made.
public protocol Composite: Copying {
    /// The machines that belong to the state, in the order in which they are activated.
    ///
    /// The same for the same object, whenever it is asked: keep them in constants. A state that makes them anew each time stops the program.
    var regions: [any Region] { get }
}

/// A machine in a state's data: a ``StateMachine`` of whatever workflow.
///
/// Nothing else can be one: a state that lists another object stops the program.
public protocol Region: AnyObject, Sendable {}

/// A composite state that hears of the transitions of the machines in it, at any depth.
public protocol RegionObserving: Composite {
    /// Called when a machine in this state has made a transition, among that machine's observers, on the firing thread.
    ///
    /// The machine whose state this is may be fired from here, as from a `did…` hook.
    /// - Parameters:
    ///   - transition: What has happened.
    ///   - path: In which machine: the name of the property that holds it, such as `payment`; for one deeper inside, the names on the
    ///     way there, such as `payment.card`.
    func regionDidTransition(_ transition: StateTransition, path: String)
}
