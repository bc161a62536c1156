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

    /// The events that fire when machines in it have ended.
    let completions: [CompiledCompletion]

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
        completions: [CompiledCompletion],
        isFinal: Bool
    ) {
        self.index = index
        self.type = type
        self.name = name
        self.lineage = lineage
        self.deadlines = deadlines
        keepsEntry = deadlines.contains(where: \.rule.isSinceEntry)
        self.failure = failure
        self.completions = completions
        self.isFinal = isFinal
        hooks = StateHooks(of: type, hasDeadlines: !deadlines.isEmpty)
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

/// An event that fires in a state when machines in it have ended.
struct CompiledCompletion: Sendable {
    /// The number of the event.
    let event: Int
    let rule: CompletionRule
}

/// A class of states with its number.
struct RegisteredClass: Sendable {
    let type: ObjectIdentifier
    let index: Int

    init(_ type: any AnyObject.Type, index: Int) {
        self.type = ObjectIdentifier(type)
        self.index = index
    }
}

/// The numbers of the classes of a workflow's states: an open hash table, at most half full.
struct ClassTable: Sendable {
    private let slots: ImmortalArray<RegisteredClass?>
    private let mask: Int

    init(_ classes: [RegisteredClass]) {
        var size = 4
        while size < 2 * classes.count { size *= 2 }
        mask = size - 1
        var slots = [RegisteredClass?](repeating: nil, count: size)
        for type in classes {
            var place = Self.hash(type.type) & mask
            while slots[place] != nil { place = (place + 1) & mask }
            slots[place] = type
        }
        self.slots = ImmortalArray(slots)
    }

    subscript(type: ObjectIdentifier) -> Int? {
        var place = Self.hash(type) & mask
        while let found = slots[place] {
            if found.type == type { return found.index }
            place = (place + 1) & mask
        }
        return nil
    }

    /// The middle of a product with 2^64 divided by the golden ratio: addresses of classes differ in few bits.
    @inline(__always)
    private static func hash(_ type: ObjectIdentifier) -> Int {
        Int(truncatingIfNeeded: (UInt64(UInt(bitPattern: type)) &* 0x9E37_79B9_7F4A_7C15) >> 40)
    }
}
