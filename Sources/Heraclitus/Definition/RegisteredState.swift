/// A state class of a workflow with everything that is looked up about it, once.
@usableFromInline
final class RegisteredState: Sendable {
    @usableFromInline typealias Guard = EventDeclaration.Guard
    @usableFromInline typealias Hook = EventDeclaration.Hook

    @usableFromInline let index: Int
    let type: any WorkflowState.Type
    let name: String

    /// The class itself, then its registered superclasses from the nearest to the farthest.
    let lineage: [Int]

    @usableFromInline let shouldExit: Guard?
    @usableFromInline let shouldEnter: Guard?
    @usableFromInline let willExit: Hook?
    @usableFromInline let willEnter: Hook?
    @usableFromInline let didExit: Hook?
    @usableFromInline let didEnter: Hook?
    @usableFromInline let didRestore: Hook?

    /// Makes an object, where the state is an ``EmptyState``.
    let make: (@Sendable () -> any WorkflowState)?

    init(index: Int, type: any WorkflowState.Type, lineage: [Int]) {
        self.index = index
        self.type = type
        self.name = type.name
        self.lineage = lineage
        shouldExit = (type as? any ExitGuarding.Type).map { Self.exitGuard($0) }
        shouldEnter = (type as? any EntryGuarding.Type).map { Self.entryGuard($0) }
        willExit = (type as? any ExitPreparing.Type).map { Self.beforeExit($0) }
        willEnter = (type as? any EntryPreparing.Type).map { Self.beforeEntry($0) }
        didExit = (type as? any Exiting.Type).map { Self.afterExit($0) }
        didEnter = (type as? any Entering.Type).map { Self.afterEntry($0) }
        didRestore = (type as? any Restoring.Type).map { Self.afterRestoring($0) }
        make = (type as? any EmptyState.Type).map { Self.maker($0) }
    }
}

// Each opens the class once, so that calling a hook needs no cast. The downcasts hold because a machine calls the hooks of
// the very class that it found the object to have.
extension RegisteredState {
    private static func source<C: WorkflowState>(_ transition: StateTransition, _ type: C.Type) -> C {
        guard let source = transition.sourceObject else {
            preconditionFailure("Only a transition with a source calls exit hooks.")
        }
        return unsafeDowncast(source, to: type)
    }

    private static func destination<C: WorkflowState>(_ transition: StateTransition, _ type: C.Type) -> C {
        unsafeDowncast(transition.destinationObject, to: type)
    }

    private static func exitGuard<C: ExitGuarding>(_ type: C.Type) -> Guard {
        { try source($0, type).shouldExit($0) }
    }

    private static func entryGuard<C: EntryGuarding>(_ type: C.Type) -> Guard {
        { try destination($0, type).shouldEnter($0) }
    }

    private static func beforeExit<C: ExitPreparing>(_ type: C.Type) -> Hook {
        { source($0, type).willExit($0) }
    }

    private static func beforeEntry<C: EntryPreparing>(_ type: C.Type) -> Hook {
        { destination($0, type).willEnter($0) }
    }

    private static func afterExit<C: Exiting>(_ type: C.Type) -> Hook {
        { source($0, type).didExit($0) }
    }

    private static func afterEntry<C: Entering>(_ type: C.Type) -> Hook {
        { destination($0, type).didEnter($0) }
    }

    private static func afterRestoring<C: Restoring>(_ type: C.Type) -> Hook {
        { destination($0, type).didRestore($0) }
    }

    private static func maker<C: EmptyState>(_ type: C.Type) -> @Sendable () -> any WorkflowState {
        { type.init() }
    }
}
