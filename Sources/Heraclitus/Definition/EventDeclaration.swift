public import Synchronization

/// The untyped declaration of an event.
@usableFromInline
struct EventDeclaration: Sendable {
    @usableFromInline typealias Guard = @Sendable (StateTransition) throws -> Void
    @usableFromInline typealias Hook = @Sendable (StateTransition) -> Void
    typealias Sources = RuleSources<any WorkflowState.Type, GroupDeclaration>

    let name: String?
    private(set) var rules = EventRules()
    var ignored: [any WorkflowState.Type] = []
    var ignoredGroups: [GroupDeclaration] = []

    /// The guards, each with the transitions that it covers.
    var guards: [(call: Guard, source: ClosureParameter, destination: ClosureParameter)] = []

    /// The hooks of all phases, in the order of adding.
    var hooks: [(phase: CallbackPhase, call: Hook)] = []

    /// The builders.
    ///
    /// The last one that fits the source is used.
    var builders: [BuilderRule] = []

    private(set) var triggers: [Trigger] = []

    init(
        _ name: String?,
        from sources: Sources,
        to destinations: [any WorkflowState.Type],
        isUpdate: Bool = false
    ) {
        self.name = name
        rules.append(DeclaredRule(sources: sources, destinations: destinations, isUpdate: isUpdate))
    }

    init(_ name: String?, updating states: [any WorkflowState.Type]) {
        self.init(name, from: .states(states), to: states, isUpdate: true)
    }

    mutating func add(from sources: Sources, to destinations: [any WorkflowState.Type]) {
        rules.append(DeclaredRule(sources: sources, destinations: destinations, isUpdate: false))
    }

    mutating func add(_ trigger: Trigger) {
        // The work of a state has one end, so that the last declaration counts.
        if [.failure, .done].contains(trigger.name) { triggers.removeAll { $0.name == trigger.name } }
        triggers.append(trigger)
    }
}

/// The states that a closure covers, by the type of its parameter.
enum ClosureParameter: Sendable {
    /// Any state: the workflow's `AnyState`.
    case any

    /// A class and its subclasses.
    case type(@Sendable (any WorkflowState.Type) -> Bool)

    /// The protocol of a group.
    case group(ObjectIdentifier)

    init<State, AnyState>(_ type: State.Type, of anyState: AnyState.Type) {
        if State.self == AnyState.self {
            self = .any
        } else if State.self is AnyClass {
            self = .type { $0 is State.Type }
        } else {
            self = .group(ObjectIdentifier(State.self))
        }
    }
}

/// The storage of an event value: its declaration, and the event's number in its workflow.
///
/// The number is written when the workflow is compiled, and read afterwards.
@usableFromInline
final class EventSlot: Sendable {
    let declaration: EventDeclaration
    @usableFromInline let storage: Atomic<Int>

    init(_ declaration: EventDeclaration, index: Int = -1) {
        self.declaration = declaration
        storage = Atomic(index)
    }

    @inlinable var index: Int? {
        let index = storage.load(ordering: .relaxed)
        return index < 0 ? nil : index
    }

    /// Stores the event's number in its workflow.
    ///
    /// Only the workflow's one permanent definition calls it.
    func bind(to index: Int) {
        let (isNew, earlier) = storage.compareExchange(expected: -1, desired: index, ordering: .relaxed)
        precondition(isNew || earlier == index, "An event was bound to two numbers.")
    }
}

extension EventSlot: Hashable {
    /// Whether both are of the same event of a workflow.
    ///
    /// The slots of unbound values are equal only if one value is a copy of the other.
    @usableFromInline
    static func == (left: EventSlot, right: EventSlot) -> Bool {
        guard let index = left.index else { return left === right }
        return index == right.index
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        if let index { hasher.combine(index) } else { hasher.combine(ObjectIdentifier(self)) }
    }
}

/// An event or action of any types among the properties of a workflow.
protocol WorkflowMember: Sendable {
    /// The workflow of the declaration.
    static var workflow: any Workflow.Type { get }

    /// Adds the declaration to the properties of its workflow.
    func add(to properties: inout DeclaredProperties, as name: String)
}

extension WorkflowEvent: WorkflowMember {
    static var workflow: any Workflow.Type { W.self }

    func add(to properties: inout DeclaredProperties, as name: String) {
        properties.events.append(DeclaredEvent(property: name, slot: slot, valueType: Self.self))
    }
}
