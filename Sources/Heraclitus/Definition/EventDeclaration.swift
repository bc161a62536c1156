public import Synchronization

/// What the author of a workflow wrote down about one event, without its types.
@usableFromInline
struct EventDeclaration: Sendable {
    @usableFromInline typealias Guard = @Sendable (StateTransition) throws -> Void
    @usableFromInline typealias Hook = @Sendable (StateTransition) -> Void

    /// A source and a destination; no source means any state.
    struct Pair: Sendable {
        let source: (any WorkflowState.Type)?
        let destination: any WorkflowState.Type
        let isUpdate: Bool
    }

    let name: String?
    private(set) var pairs: [Pair] = []
    private(set) var ignored: [any WorkflowState.Type] = []
    @usableFromInline private(set) var guards: [Guard] = []
    @usableFromInline private(set) var willFire: [Hook] = []
    @usableFromInline private(set) var didFire: [Hook] = []

    init(_ name: String?, from sources: [any WorkflowState.Type]?, to destinations: [any WorkflowState.Type]) {
        self.name = name
        pairs = Self.pairs(from: sources, to: destinations)
    }

    init(_ name: String?, updating states: [any WorkflowState.Type]) {
        self.name = name
        pairs = states.map { Pair(source: $0, destination: $0, isUpdate: true) }
    }

    func adding(from sources: [any WorkflowState.Type], to destinations: [any WorkflowState.Type]) -> Self {
        changed { $0.pairs += Self.pairs(from: sources, to: destinations) }
    }

    func adding(guard body: @escaping Guard) -> Self { changed { $0.guards.append(body) } }

    func adding(willFire body: @escaping Hook) -> Self { changed { $0.willFire.append(body) } }

    func adding(didFire body: @escaping Hook) -> Self { changed { $0.didFire.append(body) } }

    func ignoring(_ states: [any WorkflowState.Type]) -> Self { changed { $0.ignored += states } }

    private func changed(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    private static func pairs(
        from sources: [any WorkflowState.Type]?,
        to destinations: [any WorkflowState.Type]
    ) -> [Pair] {
        guard let sources else { return destinations.map { Pair(source: nil, destination: $0, isUpdate: false) } }
        return sources.flatMap { source in
            destinations.map { Pair(source: source, destination: $0, isUpdate: false) }
        }
    }
}

/// What an event value is in memory: its declaration, and a place where the workflow notes which of its events it is.
///
/// The place is written when the workflow is compiled, and read ever after.
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

    func bind(to index: Int) { storage.store(index, ordering: .relaxed) }
}

/// An event of whatever types, as it is found among the properties of a workflow.
protocol AnyWorkflowEvent: Sendable {
    var declaration: EventDeclaration { get }
    var slot: EventSlot { get }
}

extension WorkflowEvent: AnyWorkflowEvent {}
