/// An action of a workflow: a method that is allowed in some states only, and that changes no state by itself.
///
/// Inside a workflow it is called `Action` (``Workflow/Action``), and the property's name is its name unless one is given:
///
/// ```swift
/// struct Light: Workflow {
///     static var initial: any LightState { BlueState() }
///
///     let stop  = Event(from: BlueState.self, GreenState.self, to: RedState.self)
///     let goRed = Action(in: BlueState.self) { blue, call in
///         try call.machine.fire.stop(userInfo: call.userInfo)
///     }
/// }
///
/// try machine.perform(\.goRed)
/// try machine.perform(named: "goRed", userInfo: ["reason": "rain"])
/// machine.allowedActions                                               // ["goRed"]
/// ```
///
/// Another state rejects it with ``InvalidTransition``. No other thread makes a transition while it runs, and what it fires is
/// carried out when it has returned. Tables and diagrams list it.
public struct WorkflowAction<W: Workflow, State, Result>: Sendable {
    let slot: ActionSlot

    fileprivate init(
        _ name: String?,
        in allowed: ActionDeclaration.Allowed,
        _ body: @escaping @Sendable (State, ActionCall<W>) throws -> Result
    ) {
        slot = ActionSlot(
            ActionDeclaration(name: name, allowed: allowed) { object, name, machine, userInfo in
                guard let state = object as? State else {
                    preconditionFailure("An action was accepted in a state that does not allow it.")
                }
                return try body(state, ActionCall(name: name, userInfo: userInfo, anyMachine: machine))
            }
        )
    }
}

/// Values passed to the body of an action: its name, its arguments and the machine.
public struct ActionCall<W: Workflow>: Sendable {
    /// The name of the action.
    public let name: String

    /// The arguments of the action, which the caller passed.
    public let userInfo: UserInfo

    let anyMachine: any AnyObject & Sendable
}

// MARK: - Where it is allowed

extension WorkflowAction {
    /// Makes an action that is allowed in a state, and in its subclasses.
    /// - Parameters:
    ///   - name: The action's name; the property's name if there is none.
    ///   - state: The state in which it is allowed.
    ///   - body: Carries it out. It gets the state, and the call with the arguments and the machine.
    public init(
        _ name: String? = nil,
        in state: State.Type,
        _ body: @escaping @Sendable (State, ActionCall<W>) throws -> Result
    ) where State: WorkflowState {
        self.init(name, in: .states([state]), body)
    }

    /// Makes an action that is allowed in several states, or in any state.
    /// - Parameters:
    ///   - name: The action's name; the property's name if there is none.
    ///   - states: The states in which it is allowed; none means any state.
    ///   - body: Carries it out. It gets the state, and the call with the arguments and the machine.
    public init(
        _ name: String? = nil,
        in states: any WorkflowState.Type...,
        body: @escaping @Sendable (State, ActionCall<W>) throws -> Result
    ) where State == W.AnyState {
        self.init(name, in: states.isEmpty ? .any : .states(states), body)
    }

    /// Makes an action that is allowed in every state of a group.
    /// - Parameters:
    ///   - name: The action's name; the property's name if there is none.
    ///   - group: The states in which it is allowed.
    ///   - body: Carries it out. It gets the state, and the call with the arguments and the machine.
    public init(
        _ name: String? = nil,
        in group: StateGroup<State>,
        _ body: @escaping @Sendable (State, ActionCall<W>) throws -> Result
    ) {
        self.init(name, in: .group(group.declaration), body)
    }
}

// MARK: - Without a body

extension WorkflowAction where Result == Void {
    /// Makes an action that is allowed in a state and its subclasses, and whose closure the caller provides.
    ///
    /// The definition says where it is allowed, and the caller of ``StateMachine/perform(_:userInfo:_:)`` says what is done.
    /// Without such a closure, performing it only notifies observers.
    /// - Parameters:
    ///   - name: The action's name; the property's name if there is none.
    ///   - state: The state in which it is allowed.
    public init(_ name: String? = nil, in state: State.Type) where State: WorkflowState {
        self.init(name, in: .states([state])) { _, _ in }
    }

    /// Makes an action that is allowed in several states, or in any state, and whose closure the caller provides.
    /// - Parameters:
    ///   - name: The action's name; the property's name if there is none.
    ///   - states: The states in which it is allowed; none means any state.
    public init(_ name: String? = nil, in states: any WorkflowState.Type...) where State == W.AnyState {
        self.init(name, in: states.isEmpty ? .any : .states(states)) { _, _ in }
    }

    /// Makes an action that is allowed in every state of a group, and whose closure the caller provides.
    /// - Parameters:
    ///   - name: The action's name; the property's name if there is none.
    ///   - group: The states in which it is allowed.
    public init(_ name: String? = nil, in group: StateGroup<State>) {
        self.init(name, in: .group(group.declaration)) { _, _ in }
    }
}

// MARK: - Without types

/// What the author of a workflow wrote down about one action, without its types.
struct ActionDeclaration: Sendable {
    typealias Allowed = RuleSources<any WorkflowState.Type, GroupDeclaration>

    let name: String?
    let allowed: Allowed

    /// Carries it out, with the state's object, the action's name, the machine and the arguments.
    let body: @Sendable (AnyObject, String, any AnyObject & Sendable, UserInfo) throws -> Any
}

/// What an action value is in memory: by this object the workflow knows which of its actions it is.
final class ActionSlot: Sendable {
    let declaration: ActionDeclaration

    init(_ declaration: ActionDeclaration) { self.declaration = declaration }
}

/// An action of whatever types, as it is found among the properties of a workflow.
protocol AnyWorkflowAction: Sendable {
    /// The workflow that it is declared for.
    static var workflow: any Workflow.Type { get }

    var slot: ActionSlot { get }
}

extension WorkflowAction: AnyWorkflowAction {
    static var workflow: any Workflow.Type { W.self }
}
