// Which hooks does a state class have?

/// The hooks of a state class, by its capabilities: looked up once, when the workflow is compiled.
struct StateHooks: Sendable {
    private let exitGuarding: (any ExitGuarding.Type)?
    private let entryGuarding: (any EntryGuarding.Type)?
    private let exitPreparing: (any ExitPreparing.Type)?
    private let entryPreparing: (any EntryPreparing.Type)?
    private let exiting: (any Exiting.Type)?
    private let entering: (any Entering.Type)?
    private let restoring: (any Restoring.Type)?

    /// The phases in which it has a hook when it is left.
    private(set) var whenLeft: CallbackPhases

    /// The phases in which it has a hook when it is entered.
    private(set) var whenEntered: CallbackPhases

    /// The phases in which it has a hook when it gets new data.
    private(set) var whenUpdated: CallbackPhases = []

    /// The phases in which it has a hook when its machine is activated.
    var whenActivated: CallbackPhases { restoring == nil ? whenEntered : whenEntered.union(.ofRestoring) }

    /// Finds the hooks of a class.
    /// - Parameters:
    ///   - state: The class.
    ///   - hasActivity: Whether anything goes on by itself while the machine is in the state.
    init(of state: any WorkflowState.Type, hasActivity: Bool) {
        // To find out that a class does not conform is slow, and for most classes one question answers for all.
        let type = state as? any Capability.Type
        exitGuarding = type as? any ExitGuarding.Type
        entryGuarding = type as? any EntryGuarding.Type
        exitPreparing = type as? any ExitPreparing.Type
        entryPreparing = type as? any EntryPreparing.Type
        exiting = type as? any Exiting.Type
        entering = type as? any Entering.Type
        restoring = type as? any Restoring.Type
        whenLeft = CallbackPhases(listening: [
            (.guards, exitGuarding != nil), (.willExit, exitPreparing != nil), (.didExit, exiting != nil),
        ])
        whenEntered = CallbackPhases(listening: [
            (.guards, entryGuarding != nil), (.willEnter, entryPreparing != nil), (.didEnter, entering != nil),
        ])
        if hasActivity {
            whenLeft.insert(CallbackPhases(.activityEnd))
            whenEntered.insert(CallbackPhases(.activityStart))
            whenUpdated.insert(CallbackPhases(.activityStart))
        }
    }
}

// Each opens the class that was found to have the hook, so that nobody has to be asked for it again.
extension StateHooks {
    func shouldExit(_ transition: StateTransition) throws {
        func ask<C: ExitGuarding>(_ type: C.Type) throws {
            try transition.withSource(as: type) { try $0.shouldExit(transition) }
        }
        if let exitGuarding { try ask(exitGuarding) }
    }

    func shouldEnter(_ transition: StateTransition) throws {
        func ask<C: EntryGuarding>(_ type: C.Type) throws {
            try transition.withDestination(as: type) { try $0.shouldEnter(transition) }
        }
        if let entryGuarding { try ask(entryGuarding) }
    }

    func willExit(_ transition: StateTransition) {
        func tell<C: ExitPreparing>(_ type: C.Type) {
            transition.withSource(as: type) { $0.willExit(transition) }
        }
        if let exitPreparing { tell(exitPreparing) }
    }

    func willEnter(_ transition: StateTransition) {
        func tell<C: EntryPreparing>(_ type: C.Type) {
            transition.withDestination(as: type) { $0.willEnter(transition) }
        }
        if let entryPreparing { tell(entryPreparing) }
    }

    func didExit(_ transition: StateTransition) {
        func tell<C: Exiting>(_ type: C.Type) {
            transition.withSource(as: type) { $0.didExit(transition) }
        }
        if let exiting { tell(exiting) }
    }

    func didEnter(_ transition: StateTransition) {
        func tell<C: Entering>(_ type: C.Type) {
            transition.withDestination(as: type) { $0.didEnter(transition) }
        }
        if let entering { tell(entering) }
    }

    func didRestore(_ transition: StateTransition) {
        func tell<C: Restoring>(_ type: C.Type) {
            transition.withDestination(as: type) { $0.didRestore(transition) }
        }
        if let restoring { tell(restoring) }
    }
}

extension StateTransition {
    /// Calls a body with the source, which is of a class, without counting a reference to it.
    @inline(__always)
    fileprivate func withSource<Object: AnyObject>(as type: Object.Type, _ body: (Object) throws -> Void) rethrows {
        guard let source = objects.lentSource else { preconditionFailure("An activation leaves no state.") }
        try source.withObject(as: type, body)
    }

    /// Calls a body with the destination, which is of a class, without counting a reference to it.
    @inline(__always)
    fileprivate func withDestination<Object: AnyObject>(
        as type: Object.Type,
        _ body: (Object) throws -> Void
    ) rethrows {
        guard let destination = objects.lentDestination else { preconditionFailure("Nothing was lent.") }
        try destination.withObject(as: type, body)
    }
}
