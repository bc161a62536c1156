/// A state class of a workflow with everything that is looked up about it, once.
@usableFromInline
struct RegisteredState: Sendable {
    let index: Int
    let type: any WorkflowState.Type
    let name: String

    /// The class itself, then its registered superclasses from the nearest to the farthest.
    let lineage: [Int]

    @usableFromInline let hooks: StateHooks
    @usableFromInline let tail = StateTail()

    private let empty: (any EmptyState.Type)?

    init(index: Int, type: any WorkflowState.Type, name: String, lineage: [Int]) {
        self.index = index
        self.type = type
        self.name = name
        self.lineage = lineage
        hooks = StateHooks(of: type)
        empty = type as? any EmptyState.Type
    }

    /// An object of this class as the state that it is, without a cast.
    func typed(_ object: AnyObject) -> any WorkflowState { type.typed(object) }

    /// The name of a class, also of one that is no state.
    static func name(of type: any AnyObject.Type) -> String {
        (type as? any WorkflowState.Type)?.name ?? String(describing: type)
    }

    /// Makes an object, where the state is an ``EmptyState``.
    var make: (() -> any WorkflowState)? { empty.map { empty in { empty.init() } } }
}

extension WorkflowState {
    /// An object that is known to be one of this class.
    fileprivate static func typed(_ object: AnyObject) -> any WorkflowState { unsafeDowncast(object, to: Self.self) }
}
