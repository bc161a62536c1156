import Heraclitus

/// A warning about a valid workflow.
///
/// `Workflow.diagnostics` lists mistakes. A finding may be intended. It follows from the transition table alone, without guards, except
/// ``unheardFailure(_:)``.
@nonexhaustive
public enum WorkflowFinding: Hashable, Sendable {
    /// A state that machines never reach from the initial state or from `Workflow.states`.
    ///
    /// A superclass with a reachable subclass counts as reached.
    case unreachableState(String)

    /// A state without a way to a final state.
    ///
    /// A workflow without final states, such as a traffic light, has none of these findings.
    case endlessState(String)

    /// A state that no event leaves and that `Workflow.finals` omits.
    case deadEnd(String)

    /// A state that `Workflow.finals` lists and that events leave.
    case leftFinal(String, events: [String])

    /// A class in `Workflow.finals` that is not a state of the workflow.
    case unknownFinal(String)

    /// An event whose sources are all unreachable.
    case unreachableEvent(String)

    /// Several events with the same transitions, without guards and hooks, which do not fire by themselves.
    ///
    /// An event that updates a state is left out: another one brings other data.
    case sameEvents([String])

    /// The work of a `Working` state may throw, and no event with `whenFailed()` leads from the state: the machine stays there.
    ///
    /// Observers hear of such an error. Only `Workflow.findings` has this one, because a table has no work.
    case unheardFailure(String)
}

extension WorkflowFinding: CustomStringConvertible {
    /// The warning in a sentence.
    ///
    /// Names of more than 200 characters are shortened, because a decoded table may have names of any length.
    public var description: String {
        switch self {
        case .unreachableState(let state):
            "The state \(state.shortened) can never be entered: no events lead to it from where a machine begins."
        case .endlessState(let state):
            "A machine in \(state.shortened) can never come to a final state."
        case .deadEnd(let state):
            "No event leaves the state \(state.shortened), and the workflow does not list it as final."
        case .leftFinal(let state, let events):
            "The state \(state.shortened) is listed as final, and is left by \(Self.list(events))."
        case .unknownFinal(let state):
            "The state \(state.shortened) is listed as final, and is not a state of the workflow."
        case .unreachableEvent(let event):
            "The event \"\(event.shortened)\" can never be fired: no events lead to its sources."
        case .unheardFailure(let state):
            "The work of \(state.shortened) may fail, and no event follows from that. Add `.whenFailed()` to one."
        case .sameEvents(let events):
            "The events \(Self.list(events)) do the same: they lead from and to the same states, without guards, hooks or deadlines."
        }
    }

    private static func list(_ names: [String]) -> String {
        names.map { "\"\($0.shortened)\"" }.joined(separator: ", ")
    }
}
