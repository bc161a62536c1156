/// A state class of a workflow with everything that is looked up about it, once.
@usableFromInline
struct RegisteredState: Sendable {
    let index: Int
    let type: any WorkflowState.Type
    let name: String

    /// The class itself, then its registered superclasses from the nearest to the farthest.
    let lineage: [Int]

    @usableFromInline let hooks: StateHooks

    private let empty: (any EmptyState.Type)?

    init(index: Int, type: any WorkflowState.Type, lineage: [Int]) {
        self.index = index
        self.type = type
        self.name = type.name
        self.lineage = lineage
        hooks = StateHooks(of: type)
        empty = type as? any EmptyState.Type
    }

    /// Makes an object, where the state is an ``EmptyState``.
    var make: (() -> any WorkflowState)? { empty.map { empty in { empty.init() } } }
}
