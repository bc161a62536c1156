/// The error of an action that was refused: what was tried, where, why not, and what would lead to where it is allowed.
///
/// ```swift
/// do {
///     try light.perform(action: "goRed", in: BlueState.self) { blue in … }
/// } catch let error as InvalidAction {
///     print(error)      // TrafficLight cannot perform "goRed" in RedState: it is for BlueState. These lead there: "blue".
/// }
/// ```
public struct InvalidAction: Error, Sendable {
    /// Why an action was refused.
    @nonexhaustive
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The machine is in a state that does not allow it.
        case notInState

        /// The workflow lists no action of that name; ``InvalidAction/candidates`` are those it lists, the nearest first.
        case unknownAction

        /// The action itself threw; observers hear of it so, the caller gets the ``InvalidAction/underlyingError``.
        case failed

        /// Waiting for the machine would never end, as for ``InvalidTransition/Reason-swift.enum/deadlock``.
        case deadlock
    }

    /// Why it was refused.
    public let reason: Reason

    /// The name of the workflow.
    public let workflow: String

    /// The name of the action; `nil` for a block that has none.
    public let action: String?

    /// The name of the state that the machine was in.
    public let state: String

    /// The name of the state that allows the action; `nil` if any does.
    public let expected: String?

    /// The names of the events that lead from the state to one that allows the action, in the order of the definition.
    ///
    /// None where a protocol allows it of which the workflow has no ``StateGroup``: whether a class conforms to that is not known
    /// before there is an object.
    public let leadingEvents: [String]

    let knowsLeadingEvents: Bool

    /// The names of the workflow's actions that the state allows, in the order of the definition.
    public let allowedActions: [String]

    /// The names that would have answered an unknown one, the nearest first.
    public let candidates: [String]

    /// What the caller passed along.
    public let userInfo: UserInfo

    /// What the action threw.
    public let underlyingError: (any Error)?

    /// The workflows of the machines that wait for one another in a ``Reason-swift.enum/deadlock``.
    public let machines: [String]
}
