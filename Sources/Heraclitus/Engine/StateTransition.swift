public import HeraclitusEssentials

/// The values for callbacks: the event, both states, the user info and the machine of a transition.
///
/// An activation has neither event nor source: the machine enters its destination, or is restored in it.
public struct StateTransition: Sendable {
    /// The kind, event and states of the transition, by number.
    let plan: TransitionPlan
    let definition: Definition

    fileprivate let sharedSource: SharedObject?
    fileprivate let sharedDestination: SharedObject

    /// The machine, retained; `nil` for a later reader.
    private let keptMachine: (any TreeMachine)?

    /// The reader, if it is no callback of the machine.
    private let otherReader: OtherReader?

    /// The caller's values, with the cause of an automatic event.
    let fullUserInfo: UserInfo

    init(
        _ plan: TransitionPlan,
        in definition: Definition,
        from source: AnyObject?,
        to destination: AnyObject,
        by machine: (any TreeMachine)?,
        _ userInfo: UserInfo,
        for reader: OtherReader? = nil
    ) {
        self.plan = plan
        self.definition = definition
        sharedSource = source.map { SharedObject($0) }
        sharedDestination = SharedObject(destination)
        keptMachine = machine
        otherReader = reader
        fullUserInfo = userInfo
    }

    /// Whether the transition is an update, which keeps the state and replaces its data.
    public var isUpdate: Bool { plan.kind == .update }

    /// The name of the event that was fired; `nil` on activation.
    public var event: String? { plan.hasNoEvent ? nil : definition.events[plan.event].name }

    /// The values of the caller of `fire`.
    public var userInfo: UserInfo { fullUserInfo.withoutCause }

    /// The state being left, or the old data of an updated state; `nil` on activation.
    public var source: (any WorkflowState)? {
        guard let sourceType, let sourceObject else { return nil }
        return sourceType.typed(sourceObject)
    }

    /// The state being entered, or the new data of an updated state.
    public var destination: any WorkflowState { destinationType.typed(destinationObject) }

    /// The destination's facts for its line in a journal.
    var facts: UserInfo { definition.states[plan.destination].hooks.facts(of: destinationObject) }

    var sourceObject: AnyObject? { sharedSource?.object }

    /// The name of the source, which may be a state of another machine with its own definition.
    var sourceName: String? {
        sourceType == nil ? nil : sourceObject.map((lentContext?.definition ?? definition).name(of:))
    }

    var destinationName: String { definition.name(of: destinationObject) }

    var destinationObject: AnyObject { sharedDestination.object }

    /// The layout of the source in the workflow's `AnyState`; unknown to other readers, which therefore cast.
    var sourceLayout: ExistentialLayout { otherReader == nil ? definition.knownLayout(of: plan.source) : .unknown }

    /// The layout of the destination in the workflow's `AnyState`; unknown to other readers, which therefore cast.
    var destinationLayout: ExistentialLayout {
        otherReader == nil ? definition.knownLayout(of: plan.destination) : .unknown
    }

    private var sourceType: (any WorkflowState.Type)? {
        if let type = otherReader?.sourceType { return type }
        return plan.hasNoEvent ? nil : definition.states[plan.source].type
    }

    private var destinationType: any WorkflowState.Type { definition.states[plan.destination].type }

    /// The error of the failed work; `nil` for another event.
    public var failure: (any Error)? { fullUserInfo.failure }

    /// The due date; `nil` for another event.
    public var due: Date? { fullUserInfo.due }
}

// MARK: - Machine

extension StateTransition {
    /// A reader of a transition besides the callbacks of its machine: a later one, a region in the source, or a state
    /// around the machine.
    final class OtherReader: Sendable {
        /// The machine of the transition.
        weak let machine: (any TreeMachine)?

        /// The context of the source's machine.
        let context: GivenContext?

        /// The machine's scheduler, which gives the date after the machine's release.
        let scheduler: Scheduler

        /// The class of the source, if the source is a state of another machine.
        let sourceType: (any WorkflowState.Type)?

        /// The machine around the told state, if the transition is another machine's.
        weak let holder: (any TreeMachine)?

        init(
            of machine: (any TreeMachine)?,
            _ context: GivenContext?,
            _ sourceType: (any WorkflowState.Type)?,
            within holder: (any TreeMachine)? = nil
        ) {
            self.machine = machine
            self.holder = holder
            scheduler = machine?.withCore { $0.scheduler } ?? .system
            self.context = context
            self.sourceType = sourceType
        }
    }

    /// The machine; `nil` if the transition does not retain it and it was released.
    var machine: (any TreeMachine)? { keptMachine ?? otherReader?.machine }

    /// The machine, which is alive during its callbacks.
    var treeMachine: any TreeMachine {
        guard let machine else { preconditionFailure("The machine was released during its callback.") }
        return machine
    }

    /// The machine whose state holds the machine of the transition; `nil` if there is none.
    private var holder: (any TreeMachine)? { machine?.withCore { $0.place?.holder } }

    /// The context that callbacks get instead of the machine's own.
    var lentContext: GivenContext? { otherReader?.context }

    /// The transition for a later reader, without retaining the machine.
    func forLater(keeping context: GivenContext?) -> StateTransition {
        let (source, reader) = (sourceObject, OtherReader(of: machine, context, otherReader?.sourceType))
        return .init(plan, in: definition, from: source, to: destinationObject, by: nil, fullUserInfo, for: reader)
    }

    /// The transition for an inner machine's state that is left with the source.
    func leaving(
        _ state: AnyObject,
        of type: any WorkflowState.Type,
        within holder: (any TreeMachine)?,
        _ context: GivenContext?
    ) -> StateTransition {
        var plan = plan
        plan.kind = .external
        let reader = OtherReader(of: machine, context, type, within: holder)
        return .init(plan, in: definition, from: state, to: destinationObject, by: machine, fullUserInfo, for: reader)
    }

    /// The transition for the state of an outer machine.
    func observed(by holder: (any TreeMachine)?) -> StateTransition {
        let reader = OtherReader(of: machine, lentContext, otherReader?.sourceType, within: holder)
        let source = sourceObject
        return .init(plan, in: definition, from: source, to: destinationObject, by: machine, fullUserInfo, for: reader)
    }

    /// The machine of this transition; `nil` for another workflow.
    ///
    /// A state's hook fires its machine through it:
    ///
    /// ```swift
    /// func didEnter(_ transition: StateTransition) {
    ///     try? transition.machine(as: Download.self)?.fire.finish(CompletedState(byteCount: 0))
    /// }
    /// ```
    ///
    /// A stored transition retains its machine; a transition from ``StateMachine/transitions(buffering:)`` does not.
    /// - Parameter workflow: The workflow.
    /// - Returns: The machine; `nil` for another workflow, or after the machine's release.
    public func machine<W: Workflow>(as workflow: W.Type) -> StateMachine<W>? {
        machine as? StateMachine<W>
    }

    /// The nearest machine of a workflow whose state holds this machine, at any depth.
    ///
    /// The callbacks of a region fire its holder through it. ``RegionObserving/regionDidTransition(_:path:)`` gets the
    /// machine of the observing state, if that has the workflow. Otherwise it gets the machine nearest to the region,
    /// also one between the region and the observing state.
    /// - Parameter workflow: The workflow of the holder.
    /// - Returns: The holder; `nil` without one, or after its release.
    public func holder<W: Workflow>(as workflow: W.Type) -> StateMachine<W>? {
        let around = otherReader?.holder
        // All machines of a tree may have one workflow, and an observing state wants its own.
        if let own = around as? StateMachine<W> { return own }
        // A region that is left with its holder is told of the holder's transition, and lies within that machine.
        let isLeft = otherReader?.sourceType != nil
        if !isLeft, let found = Self.nearest(of: workflow, from: holder) { return found }
        return Self.nearest(of: workflow, from: around)
    }

    /// The first machine of a workflow among a machine and its holders.
    private static func nearest<W: Workflow>(of workflow: W.Type, from first: (any TreeMachine)?) -> StateMachine<W>? {
        var next = first
        while let machine = next {
            if let found = machine as? StateMachine<W> { return found }
            next = machine.withCore { $0.place?.holder }
        }
        return nil
    }

    /// The date by the machine's scheduler.
    ///
    /// All hooks and observers of a transition get the same date. Afterwards it is the current date.
    public var now: Date {
        guard let machine else { return (otherReader?.scheduler ?? .system).date }
        return machine.withCore { core in
            let call = Call(machine)
            return call.thread.content.hasTurn(of: call.id) ? core.date(of: call) : core.scheduler.date
        }
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
    /// The source of a transition that leaves exactly this class; an activation has no source.
    @inline(__always)
    static func source(of transition: StateTransition) -> Self {
        // A local constant would retain the object.
        transition.sharedSource!.typed(as: self)
    }

    /// The destination of a transition to exactly this class.
    @inline(__always)
    static func destination(of transition: StateTransition) -> Self { transition.sharedDestination.typed(as: self) }

    /// An object as a state of exactly this class, without checks of protocol conformances.
    static func typed(_ object: consuming AnyObject) -> any WorkflowState {
        guard let state = object as? Self else {
            preconditionFailure("The class of a state's object has changed.")
        }
        return state
    }
}
