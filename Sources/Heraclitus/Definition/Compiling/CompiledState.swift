/// A state class of a workflow with everything that is looked up about it, once.
@usableFromInline
struct CompiledState: Sendable {
    let index: Int
    let type: any WorkflowState.Type
    let name: String

    /// The class itself, then its registered superclasses from the nearest to the farthest.
    let lineage: [Int]
    let hooks: StateHooks

    /// The events that fire by themselves in it.
    let deadlines: [CompiledDeadline]

    /// The event that fires when its work has failed.
    let failure: CompiledFailure?

    /// The number of the event that fires when its work is done.
    let done: Int?

    /// The events that fire under conditions.
    let conditions: [CompiledCondition]

    /// Whether nothing leaves it.
    let isFinal: Bool

    /// How its objects are handed out, found when the first of them is seen.
    ///
    /// Of two threads that have found it at once, the last one's stays, and both are the same.
    let layout = LateImmortal<ExistentialLayout>()

    /// Whether anything goes on by itself while a machine is in it.
    var hasActivity: Bool { !deadlines.isEmpty || hooks.working != nil || hooks.isComposite }

    /// Whether anything follows from when it was entered.
    let keepsEntry: Bool

    private let empty: (any EmptyState.Type)?

    init(
        index: Int,
        type: any WorkflowState.Type,
        name: String,
        lineage: [Int],
        deadlines: [CompiledDeadline],
        failure: CompiledFailure?,
        done: Int?,
        conditions: [CompiledCondition],
        isFinal: Bool
    ) {
        self.index = index
        self.type = type
        self.name = name
        self.lineage = lineage
        self.deadlines = deadlines
        keepsEntry = deadlines.contains(where: \.rule.isSinceEntry)
        self.failure = failure
        self.done = done
        self.conditions = conditions
        self.isFinal = isFinal
        hooks = StateHooks(of: type, hasAutomaticEvents: !deadlines.isEmpty || !conditions.isEmpty)
        empty = type as? any EmptyState.Type
    }

    /// The name of a class, also of one that is no state.
    static func name(of type: any AnyObject.Type) -> String {
        (type as? any WorkflowState.Type)?.name ?? ownName(of: type)
    }

    /// Makes an object, where the state is an ``EmptyState``.
    func make() -> (any WorkflowState)? { empty?.init() }
}

/// An event that fires by itself in a state.
struct CompiledDeadline: Sendable {
    /// The number of the event.
    let event: Int
    let rule: DeadlineRule
}

/// The event that fires when the work of a state has failed.
struct CompiledFailure: Sendable {
    /// The number of the event.
    let event: Int
    let rule: FailureRule
}

/// An event that fires in a state under a condition.
struct CompiledCondition: Sendable {
    /// The number of the event.
    let event: Int
    let rule: ConditionRule
}
