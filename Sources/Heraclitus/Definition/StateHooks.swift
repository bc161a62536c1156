/// What a state class wants to hear, by its capabilities.
///
/// A fire reads it where it is: it has no references, so that nobody counts any.
@usableFromInline
struct StateHooks: Sendable {
    private let exitGuarding: (any ExitGuarding.Type)?
    private let entryGuarding: (any EntryGuarding.Type)?
    private let exitPreparing: (any ExitPreparing.Type)?
    private let entryPreparing: (any EntryPreparing.Type)?
    private let exiting: (any Exiting.Type)?
    private let entering: (any Entering.Type)?
    private let restoring: (any Restoring.Type)?

    /// Where it listens when it is left.
    @usableFromInline let exitPlaces: Places

    /// Where it listens when it is entered.
    @usableFromInline let entryPlaces: Places

    init(of state: any WorkflowState.Type) {
        let type = state as? any Capability.Type
        exitGuarding = type as? any ExitGuarding.Type
        entryGuarding = type as? any EntryGuarding.Type
        exitPreparing = type as? any ExitPreparing.Type
        entryPreparing = type as? any EntryPreparing.Type
        exiting = type as? any Exiting.Type
        entering = type as? any Entering.Type
        restoring = type as? any Restoring.Type
        exitPlaces = Places([
            (.ask, exitGuarding != nil), (.willExit, exitPreparing != nil), (.didExit, exiting != nil),
        ])
        entryPlaces = Places([
            (.ask, entryGuarding != nil), (.willEnter, entryPreparing != nil), (.didEnter, entering != nil),
        ])
    }
}

// Each opens the class that was found to have the hook, so that calling it needs no cast. The downcasts hold because a
// machine calls the hooks of the very class that it found the object to have.
extension StateHooks {
    func shouldExit(_ transition: StateTransition) throws {
        func ask<C: ExitGuarding>(_ type: C.Type) throws {
            try transition.record.withSource { try unsafeDowncast($0, to: type).shouldExit(transition) }
        }
        if let exitGuarding { try ask(exitGuarding) }
    }

    func shouldEnter(_ transition: StateTransition) throws {
        func ask<C: EntryGuarding>(_ type: C.Type) throws {
            try transition.record.withDestination { try unsafeDowncast($0, to: type).shouldEnter(transition) }
        }
        if let entryGuarding { try ask(entryGuarding) }
    }

    func willExit(_ transition: StateTransition) {
        func tell<C: ExitPreparing>(_ type: C.Type) {
            transition.record.withSource { unsafeDowncast($0, to: type).willExit(transition) }
        }
        if let exitPreparing { tell(exitPreparing) }
    }

    func willEnter(_ transition: StateTransition) {
        func tell<C: EntryPreparing>(_ type: C.Type) {
            transition.record.withDestination { unsafeDowncast($0, to: type).willEnter(transition) }
        }
        if let entryPreparing { tell(entryPreparing) }
    }

    func didExit(_ transition: StateTransition) {
        func tell<C: Exiting>(_ type: C.Type) {
            transition.record.withSource { unsafeDowncast($0, to: type).didExit(transition) }
        }
        if let exiting { tell(exiting) }
    }

    func didEnter(_ transition: StateTransition) {
        func tell<C: Entering>(_ type: C.Type) {
            transition.record.withDestination { unsafeDowncast($0, to: type).didEnter(transition) }
        }
        if let entering { tell(entering) }
    }

    func didRestore(_ transition: StateTransition) {
        func tell<C: Restoring>(_ type: C.Type) {
            transition.record.withDestination { unsafeDowncast($0, to: type).didRestore(transition) }
        }
        if let restoring { tell(restoring) }
    }
}
