import Heraclitus

/// Something odd about a workflow that works.
///
/// `Workflow.diagnostics` lists mistakes. A finding may be meant so. Guards are not part of it: findings follow from the transition
/// table, as `TransitionTable.findings` shows, and from the classes that work.
@nonexhaustive
public enum WorkflowFinding: Hashable, Sendable {
    /// No machine that begins in the initial state, or in one of `Workflow.states`, can come to a state.
    ///
    /// A superclass whose subclasses can be reached is none of these.
    case unreachableState(String)

    /// A machine that has come to a state can never come to a final one.
    ///
    /// In a workflow that has no final state, such as a traffic light, no state is one of these.
    case endlessState(String)

    /// Nothing leaves a state, and `Workflow.finals` lists others.
    case deadEnd(String)

    /// `Workflow.finals` lists a state, and events lead from it.
    case leftFinal(String, events: [String])

    /// `Workflow.finals` lists a class that is not a state of the workflow.
    case unknownFinal(String)

    /// An event can never be fired: no machine can come to a state that it leads from.
    case unreachableEvent(String)

    /// Several events lead from and to the same states; none has a guard or a hook, and none fires by itself.
    ///
    /// An event that updates a state is none of these: another one brings other data.
    case sameEvents([String])

    /// The work of a `Working` state may throw, and no event with `whenFailed()` leads from the state: the machine stays there.
    ///
    /// Observers hear of such an error. Only `Workflow.findings` has this one, because a table has no work.
    case unheardFailure(String)
}

extension WorkflowFinding: CustomStringConvertible {
    /// A sentence that names what is odd.
    ///
    /// Names of more than 200 characters are shortened: a decoded table may have any.
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
