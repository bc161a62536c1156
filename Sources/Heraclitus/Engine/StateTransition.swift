/// Values passed to callbacks: the event, both states, the user info and the machine of a transition.
///
/// On activation there is no event and no source: the machine enters, or is restored in, its destination.
public struct StateTransition: Sendable {
    /// What happens, by number.
    let plan: TransitionPlan
    let definition: Definition

    private let sharedSource: SharedObject?
    private let sharedDestination: SharedObject

    /// The machine that makes it, which it keeps; `nil` if it has another origin.
    private let keptMachine: (any TreeMachine)?

    /// Where it comes from, if it is read later, or by the state of a machine in the source.
    private let otherOrigin: OtherOrigin?

    /// The values that the caller passed, with the cause of an event that has fired by itself.
    let fullUserInfo: UserInfo

    init(
        _ plan: TransitionPlan,
        in definition: Definition,
        from source: AnyObject?,
        to destination: AnyObject,
        by machine: any TreeMachine,
        _ userInfo: UserInfo
    ) {
        self.plan = plan
        self.definition = definition
        sharedSource = source.map { SharedObject($0) }
        sharedDestination = SharedObject(destination)
        keptMachine = machine
        otherOrigin = nil
        fullUserInfo = userInfo
    }

    /// Whether the transition is an update: the state gets new data and is not left.
    public var isUpdate: Bool { plan.kind == .update }

    /// The name of the event that was fired; `nil` on activation.
    public var event: String? { plan.hasNoEvent ? nil : definition.events[plan.event].name }

    /// The values that the caller of `fire` passed.
    public var userInfo: UserInfo { fullUserInfo.withoutCause }

    /// The state that is left, or the old data of one that is updated; `nil` on activation.
    public var source: (any WorkflowState)? {
        guard let sourceType, let sourceObject else { return nil }
        return sourceType.typed(sourceObject)
    }

    /// The state that is entered, or the new data of one that is updated.
    public var destination: any WorkflowState { destinationType.typed(destinationObject) }

    /// What the destination says for its line in a journal.
    var facts: UserInfo { definition.states[plan.destination].hooks.facts(of: destinationObject) }

    var sourceObject: AnyObject? { sharedSource?.object }

    var sourceName: String? { sourceType == nil ? nil : sourceObject.map(CompiledState.name(of:)) }

    var destinationName: String { CompiledState.name(of: destinationObject) }

    var destinationObject: AnyObject { sharedDestination.object }

    private var sourceType: (any WorkflowState.Type)? {
        if let type = otherOrigin?.sourceType { return type }
        return plan.hasNoEvent ? nil : definition.states[plan.source].type
    }

    private var destinationType: any WorkflowState.Type { definition.states[plan.destination].type }

    /// The source, which is of a class.
    @inline(__always)
    func source<Object: AnyObject>(as type: Object.Type) -> Object {
        guard let sharedSource else { preconditionFailure("An activation leaves no state.") }
        return sharedSource.typed(as: type)
    }

    /// The destination, which is of a class.
    @inline(__always)
    func destination<Object: AnyObject>(as type: Object.Type) -> Object { sharedDestination.typed(as: type) }
}

// MARK: - Its machine

extension StateTransition {
    /// The origin of a transition that is read later, or by the state of a machine in the source.
    private final class OtherOrigin: Sendable {
        private let kept: (any TreeMachine)?
        private weak let known: (any TreeMachine)?

        /// The context of the machine whose state is the source.
        let context: GivenContext?

        /// That of the machine, which tells the date when the machine is gone.
        let scheduler: Scheduler

        /// The class of the source, where that is no state of the machine itself.
        let sourceType: (any WorkflowState.Type)?

        init(
            _ machine: (any TreeMachine)?,
            isKept: Bool,
            _ context: GivenContext?,
            _ sourceType: (any WorkflowState.Type)?
        ) {
            kept = isKept ? machine : nil
            known = machine
            scheduler = machine?.withCore { $0.scheduler } ?? .system
            self.context = context
            self.sourceType = sourceType
        }

        var machine: (any TreeMachine)? { kept ?? known }
    }

    /// The machine that makes it; `nil` if it is gone, for a transition that does not keep it.
    var machine: (any TreeMachine)? { keptMachine ?? otherOrigin?.machine }

    /// The machine that makes it; in its callbacks, where there is one.
    var treeMachine: any TreeMachine {
        guard let machine else { preconditionFailure("A machine is there as long as its callbacks run.") }
        return machine
    }

    /// Tells the date when the machine is gone.
    var laterScheduler: Scheduler { otherOrigin?.scheduler ?? .system }

    /// The context that callbacks get in place of the machine's own.
    var lentContext: GivenContext? { otherOrigin?.context }

    private init(
        _ transition: StateTransition,
        _ plan: TransitionPlan,
        from source: SharedObject?,
        _ other: OtherOrigin
    ) {
        self.plan = plan
        definition = transition.definition
        sharedSource = source
        sharedDestination = transition.sharedDestination
        keptMachine = nil
        otherOrigin = other
        fullUserInfo = transition.fullUserInfo
    }

    /// The same transition for a reader that comes later, and keeps no machine alive.
    func forLater(keeping context: GivenContext?) -> StateTransition {
        StateTransition(self, plan, from: sharedSource, OtherOrigin(machine, isKept: false, context, sourceType))
    }

    /// The same transition for a state that is left with the source: a state of a machine in it.
    func leaving(_ state: AnyObject, of type: any WorkflowState.Type, _ context: GivenContext?) -> StateTransition {
        StateTransition(
            self,
            plan.asExternal,
            from: SharedObject(state),
            OtherOrigin(machine, isKept: true, context, type)
        )
    }
}

extension StateTransition: CustomStringConvertible {
    /// The event and the names of both states: `load: IdleState → LoadingState`.
    public var description: String {
        guard let event, let sourceName else { return "→ \(destinationName)" }
        return "\(event): \(sourceName) → \(destinationName)"
    }
}

extension WorkflowState {
    /// An object that is known to be one of this class, without asking which protocols it conforms to.
    static func typed(_ object: consuming AnyObject) -> any WorkflowState {
        guard let state = object as? Self else {
            preconditionFailure("The object of a state is of the class that it was found to have.")
        }
        return state
    }
}
