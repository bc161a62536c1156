/// The error of a refused action: what was tried, where, why not, and which events lead to a state that allows it.
///
/// Its texts shorten long names, as those of ``InvalidTransition``.
///
/// ```swift
/// do {
///     try light.perform(action: "goRed", in: BlueState.self) { blue in … }
/// } catch let error as InvalidAction {
///     print(error)      // TrafficLight cannot perform "goRed" in RedState: it is allowed only in BlueState. These lead there: "blue".
/// }
/// ```
public struct InvalidAction: Error, Sendable {
    /// Why an action was refused.
    @nonexhaustive
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The machine is in a state that does not allow it.
        case notInState

        /// The workflow lists no action with that name; ``InvalidAction/candidates`` are the names of its actions, the nearest first.
        case unknownAction

        /// The action threw. Observers get this reason, the caller gets the ``InvalidAction/underlyingError``.
        case failed

        /// The machine was not given its ``Workflow/Context`` yet: call ``StateMachine/activate(context:userInfo:)``.
        case missingContext

        /// Waiting for the machine would never end, as for ``InvalidTransition/Reason-swift.enum/deadlock``.
        case deadlock

        /// The machine belongs to a state object that is not the current one: see ``Composite``.
        case notCurrent

        /// A guard, a builder or a `will…` hook runs of the machine that this one belongs to.
        case transitionInProgress

        /// To activate the machine would take a machine in its state from another one: see ``Composite``.
        case regionInUse
    }

    /// Why the action was refused.
    public let reason: Reason

    /// The name of the workflow.
    public let workflow: String

    /// Where the machine is, if it belongs to another one: that one's workflow, and the properties on the way, such as `Order.payment`.
    public let path: String?

    /// The name of the action; `nil` for a block without a name.
    public let action: String?

    /// The name of the state that the machine was in.
    public let state: String

    /// The names of the states that allow the action, or that of their group; `nil` if any does.
    public let expected: String?

    /// The names of the events that lead from the state to one that allows the action, in the order of the definition.
    ///
    /// None if a protocol allows the action, and the workflow has no ``StateGroup`` of it: only objects show which classes conform.
    public let leadingEvents: [String]

    let knowsLeadingEvents: Bool

    /// The names of the workflow's actions that the state allows, in the order of the definition.
    public let allowedActions: [String]

    /// The names to choose from in place of an unknown one, the nearest first.
    public let candidates: [String]

    /// The values that the caller passed.
    public let userInfo: UserInfo

    /// The error that the action has thrown.
    public let underlyingError: (any Error)?

    /// The workflows of the machines that wait for one another in a ``Reason-swift.enum/deadlock``; that of the machine in the state, and of
    /// the one to which it belongs for ``Reason-swift.enum/regionInUse``.
    public let machines: [String]
}
