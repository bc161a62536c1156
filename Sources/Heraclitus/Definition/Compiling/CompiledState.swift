/// A state of a workflow with the results of all lookups.
@usableFromInline
struct CompiledState: Sendable {
    let index: Int
    let kind: Immortal<StateKind>
    let name: String

    /// The nearest registered superclass, or the outer state.
    let superstate: Int?
    let hooks: StateHooks

    /// The automatic events with deadlines in the state.
    let deadlines: [AutomaticEvent]

    /// The automatic events with conditions, such as the end of machines in the state.
    let conditions: [AutomaticEvent]

    /// The automatic events that follow the state's work.
    private let followUps: [AutomaticEvent]

    /// Whether the state is final.
    let isFinal: Bool

    /// The layout of its objects, found with the first object.
    ///
    /// Two threads may find it at once; both results are equal, and the last one stays.
    let layout = LateImmortal<ExistentialLayout>()

    /// Whether the state has deadlines, work or machines.
    var hasActivity: Bool { !deadlines.isEmpty || hooks.working != nil || hooks.isComposite }

    /// Whether the date of entry is used.
    let keepsEntry: Bool

    init(_ index: Int, of parts: DefinitionParts, _ automatic: [AutomaticEvent], isFinal: Bool) {
        self.index = index
        // The kind is immortal, so copying a compiled state counts no references to its closures.
        kind = Immortal(parts.states.kinds[index])
        name = parts.states.names[index]
        superstate = parts.superstates[index]
        deadlines = automatic.filter { $0.trigger.name == .due }
        conditions = automatic.filter { [.condition, .completion].contains($0.trigger.name) }
        followUps = automatic.filter { [.failure, .done].contains($0.trigger.name) }
        keepsEntry = deadlines.contains(where: \.trigger.isSinceEntry)
        self.isFinal = isFinal
        hooks = StateHooks(of: kind.value.type, hasAutomaticEvents: !deadlines.isEmpty || !conditions.isEmpty)
    }

    /// The event that fires after failed or completed work of the state, if there is one.
    func followUp(_ trigger: TransitionTable.Trigger) -> AutomaticEvent? {
        followUps.last { $0.trigger.name == trigger }
    }

    /// The class of its objects.
    var type: any WorkflowState.Type { kind.value.type }

    /// Makes an object without a caller's object, if possible.
    /// - Parameter source: The state being left, if there is one.
    /// - Returns: The object; `nil` if a caller has to pass one.
    func make(leaving source: () -> AnyObject? = { nil }) -> (any WorkflowState)? { kind.value.make?(source) }
}

/// Makes and reads objects of a state, by class or by name.
struct StateKind: Sendable {
    /// The class of the objects.
    let type: any WorkflowState.Type

    /// Reads an object from a decoder of its data.
    let read: @Sendable (any Decoder) throws -> any WorkflowState

    /// Reads an object from an envelope.
    let readMember: @Sendable (KeyedDecodingContainer<EnvelopeKey>) throws -> any WorkflowState

    /// Makes an object by itself; `nil` for a state that always needs a caller's object.
    let make: (@Sendable (_ leaving: () -> AnyObject?) -> (any WorkflowState)?)?

    /// The states of a class.
    init<S: WorkflowState>(_ type: S.Type) {
        self.type = type
        read = { try S(from: $0) }
        readMember = { try $0.decode(S.self, forKey: .data) }
        make = (type as? any EmptyState.Type).map { empty in { @Sendable _ in empty.init() } }
    }
}
