/// A state of a workflow with everything that is looked up about it, once.
@usableFromInline
struct CompiledState: Sendable {
    let index: Int
    let kind: Immortal<StateKind>
    let name: String

    /// The nearest registered superclass, or what the state is within.
    let superstate: Int?
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

    init(
        index: Int,
        kind: StateKind,
        name: String,
        superstate: Int?,
        deadlines: [CompiledDeadline],
        failure: CompiledFailure?,
        done: Int?,
        conditions: [CompiledCondition],
        isFinal: Bool
    ) {
        self.index = index
        // To copy a compiled state is not to count references to the closures of its kind.
        self.kind = Immortal(kind)
        self.name = name
        self.superstate = superstate
        self.deadlines = deadlines
        keepsEntry = deadlines.contains(where: \.rule.isSinceEntry)
        self.failure = failure
        self.done = done
        self.conditions = conditions
        self.isFinal = isFinal
        hooks = StateHooks(of: kind.type, hasAutomaticEvents: !deadlines.isEmpty || !conditions.isEmpty)
    }

    /// The class of its objects.
    var type: any WorkflowState.Type { kind.value.type }

    /// The name of the state of an object, also of one that is no state.
    static func name(of object: AnyObject) -> String {
        if let state = object as? DataState { return state.name }
        let type: any AnyObject.Type = Swift.type(of: object)
        return (type as? any WorkflowState.Type)?.name ?? ownName(of: type)
    }

    /// Makes an object without being given one, where that is possible.
    /// - Parameter source: The state that is left, if one is.
    /// - Returns: The object; `nil` if somebody has to give one.
    func make(leaving source: () -> AnyObject? = { nil }) -> (any WorkflowState)? { kind.value.make?(source) }
}

/// How objects of a state come to be: of a class by that class, of data by the name.
struct StateKind: Sendable {
    /// The class of the objects.
    let type: any WorkflowState.Type

    /// Reads an object from a decoder of its data.
    let read: @Sendable (any Decoder) throws -> any WorkflowState

    /// Reads an object from an envelope.
    let readMember: @Sendable (KeyedDecodingContainer<EnvelopeKey>) throws -> any WorkflowState

    /// Makes an object that nobody gives; `nil` for a state that always has to be given one.
    let make: (@Sendable (_ leaving: () -> AnyObject?) -> (any WorkflowState)?)?

    /// Whether an object keeps every member of its data, so that none is left unread.
    let readsWhole: Bool

    /// The states of a class.
    init<S: WorkflowState>(_ type: S.Type) {
        self.type = type
        readsWhole = false
        read = { try S(from: $0) }
        readMember = { try $0.decode(S.self, forKey: .data) }
        make = (type as? any EmptyState.Type).map { empty in { @Sendable _ in empty.init() } }
    }
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
