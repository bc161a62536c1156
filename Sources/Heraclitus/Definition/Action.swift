/// An action of a workflow: a method that is allowed in some states only, and changes no state by itself.
///
/// Inside a workflow its name is `Action` (``Workflow/Action``). The action's name is the name of its property, unless
/// one is given:
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
/// An action with an empty closure, `{ _, _ in }`, only says where it is allowed: the caller of
/// ``StateMachine/perform(_:userInfo:_:)`` passes the closure.
///
/// Another state rejects it with ``InvalidTransition``. Other threads' transitions wait while it runs. Its fires are
/// carried out after it has returned. Tables and diagrams list actions.
public struct WorkflowAction<W: Workflow, State, Result>: Sendable {
    let declaration: ActionDeclaration

    fileprivate init(
        _ name: String?,
        in allowed: ActionDeclaration.Allowed,
        _ body: @escaping @Sendable (State, MachineCall<W>) throws -> Result
    ) {
        declaration = ActionDeclaration(name: name, allowed: allowed) { object, machine, userInfo in
            guard let state = object as? State, let machine = machine as? StateMachine<W> else {
                preconditionFailure("An action was accepted in a state or by a machine that does not allow it.")
            }
            return try body(state, MachineCall(machine, userInfo))
        }
    }
}

// MARK: - Allowed states

extension WorkflowAction {
    /// Makes an action for a state and its subclasses.
    /// - Parameters:
    ///   - name: The action's name; by default the name of the property.
    ///   - state: The state that allows the action.
    ///   - body: Carries out the action. It gets the state, and the call with the arguments and the machine.
    public init(
        _ name: String? = nil,
        in state: State.Type,
        _ body: @escaping @Sendable (State, MachineCall<W>) throws -> Result
    ) where State: WorkflowState {
        self.init(name, in: .states([state]), body)
    }

    /// Makes an action for several states, or for any state.
    /// - Parameters:
    ///   - name: The action's name; by default the name of the property.
    ///   - states: The states that allow the action; none means any state.
    ///   - body: Carries out the action. It gets the state, and the call with the arguments and the machine.
    public init(
        _ name: String? = nil,
        in states: any WorkflowState.Type...,
        body: @escaping @Sendable (State, MachineCall<W>) throws -> Result
    ) where State == W.AnyState {
        self.init(name, in: states.isEmpty ? .any : .states(states), body)
    }

    /// Makes an action for every state of a group.
    /// - Parameters:
    ///   - name: The action's name; by default the name of the property.
    ///   - group: The states that allow the action.
    ///   - body: Carries out the action. It gets the state, and the call with the arguments and the machine.
    public init(
        _ name: String? = nil,
        in group: StateGroup<State>,
        _ body: @escaping @Sendable (State, MachineCall<W>) throws -> Result
    ) {
        self.init(name, in: .group(group.declaration), body)
    }
}

// MARK: - Without types

/// The untyped declaration of an action, by whose identity the workflow recognises the action.
final class ActionDeclaration: Sendable {
    typealias Allowed = RuleSources<any WorkflowState.Type, GroupDeclaration>
    typealias Body = @Sendable (AnyObject, any AnyObject & Sendable, UserInfo) throws -> Any

    let name: String?
    let allowed: Allowed

    /// Carries out the action, with the state's object, the machine and the arguments.
    let body: Body

    init(name: String?, allowed: Allowed, _ body: @escaping Body) {
        (self.name, self.allowed, self.body) = (name, allowed, body)
    }
}

extension WorkflowAction: WorkflowMember {
    static var workflow: any Workflow.Type { W.self }

    func add(to properties: inout DeclaredProperties, as name: String) {
        properties.actions.append(DeclaredAction(property: name, declaration: declaration))
    }
}
