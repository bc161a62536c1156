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

extension InvalidAction: CustomStringConvertible {
    /// What was tried, where, why not, and what would lead to where it is allowed.
    public var description: String {
        "\(attempt): \(explanation)" + (suggestion.map { " " + $0 } ?? "")
    }

    /// What was tried, and where.
    var attempt: String {
        "\(workflow) cannot perform \(action.map { "\"\($0)\"" } ?? "a block") in \(state)"
    }

    /// Why not.
    var explanation: String {
        switch reason {
        case .notInState: "it is for \(expected ?? "another state")."
        case .unknownAction: "the workflow lists no such action."
        case .failed: "it failed: \(underlyingError.map { "\($0)" } ?? "no error given")"
        case .deadlock: "threads wait for one another's machines in a circle: \(machines.joined(separator: " → "))."
        }
    }

    /// What would work, if anything does.
    var suggestion: String? {
        switch reason {
        case .notInState where !knowsLeadingEvents: nil
        case .notInState:
            leadingEvents.isEmpty
                ? "No event leads there from \(state)."
                : "These lead there: \(leadingEvents.map { "\"\($0)\"" }.joined(separator: ", "))."
        case .unknownAction:
            "Its actions are \(candidates.isEmpty ? "none" : candidates.map { "\"\($0)\"" }.joined(separator: ", "))."
        case .failed: nil
        case .deadlock: "Let callbacks use the machines in one order, or after the transition under way."
        }
    }
}
