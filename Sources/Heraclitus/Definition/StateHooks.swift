// The hooks of a state class.

/// The hooks of a state class by its capabilities, looked up when the workflow is compiled.
struct StateHooks: Sendable {
    let exitGuarding: (any ExitGuarding.Type)?
    let entryGuarding: (any EntryGuarding.Type)?
    let exitPreparing: (any ExitPreparing.Type)?
    let entryPreparing: (any EntryPreparing.Type)?
    let exiting: (any Exiting.Type)?
    let entering: (any Entering.Type)?
    let restoring: (any Restoring.Type)?
    private let composite: (any Composite.Type)?

    /// Whether the time in the state goes on while the machine is put aside.
    let isAging: Bool

    /// Whether the state has facts for the journal.
    private let isFactStating: Bool

    /// Whether the state declares effects.
    let isEffecting: Bool

    /// The class, if it has work.
    let working: (any Working.Type)?

    /// The phases with hooks when the state is left.
    private(set) var whenLeft: CallbackPhases = []

    /// The phases with hooks when the state is entered.
    private(set) var whenEntered: CallbackPhases = []

    /// The phases with hooks when the state is updated.
    private(set) var whenUpdated: CallbackPhases = []

    /// The phases with hooks when the machine is activated.
    var whenActivated: CallbackPhases {
        restoring == nil ? whenEntered : whenEntered.union(CallbackPhases(.didRestore))
    }

    /// Whether the state holds machines.
    var isComposite: Bool { composite != nil }

    /// Finds the hooks of a class.
    /// - Parameters:
    ///   - type: The class.
    ///   - hasAutomaticEvents: Whether the state has deadlines or conditions.
    init(of type: any WorkflowState.Type, hasAutomaticEvents: Bool) {
        exitGuarding = type as? any ExitGuarding.Type
        entryGuarding = type as? any EntryGuarding.Type
        exitPreparing = type as? any ExitPreparing.Type
        entryPreparing = type as? any EntryPreparing.Type
        exiting = type as? any Exiting.Type
        entering = type as? any Entering.Type
        restoring = type as? any Restoring.Type
        composite = type as? any Composite.Type
        isAging = type is any Aging.Type
        isEffecting = type is any Effecting.Type
        isFactStating = type is any FactStating.Type
        working = type as? any Working.Type
        for phase in CallbackPhase.allCases {
            let uses = uses(of: phase, hasActivity: hasAutomaticEvents || working != nil || isComposite)
            if uses.left { whenLeft.insert(CallbackPhases(phase)) }
            if uses.entered { whenEntered.insert(CallbackPhases(phase)) }
            if uses.updated { whenUpdated.insert(CallbackPhases(phase)) }
        }
    }

    /// Whether the class has hooks in a phase when its state is left, entered and updated.
    private func uses(of phase: CallbackPhase, hasActivity: Bool) -> (left: Bool, entered: Bool, updated: Bool) {
        switch phase {
        case .guards: (exitGuarding != nil, entryGuarding != nil, false)
        case .willExit: (exitPreparing != nil || isComposite, false, false)
        case .willEnter: (false, entryPreparing != nil || isEffecting, false)
        case .regions: (isComposite, isComposite, isComposite)
        case .activityEnd: (hasActivity, false, working != nil)
        case .didExit: (exiting != nil, false, false)
        case .didEnter: (false, entering != nil, false)
        case .activityStart: (false, hasActivity, hasActivity)
        // `whenActivated` adds `didRestore`.
        case .didRestore, .willFire, .didFire, .observers, .notices, .regionNotices: (false, false, false)
        }
    }
}

extension Working {
    /// Whether the new data of a state takes over the old data's work.
    static func continuesWork(_ transition: StateTransition) -> Bool {
        guard let old = transition.sourceObject as? Self, let new = transition.destinationObject as? Self else {
            preconditionFailure("An update has changed the class of a state.")
        }
        return new.continuesWork(of: old)
    }
}

extension StateHooks {
    /// The facts of the state for its journal line.
    func facts(of state: AnyObject) -> UserInfo { isFactStating ? (state as? any FactStating)?.facts ?? [:] : [:] }

    /// Whether the state is told of its machines' transitions.
    var observesRegions: Bool { composite is any RegionObserving.Type }

    /// The machines of an object of the class, each once.
    func regions(of state: AnyObject) -> [any Region] {
        guard composite != nil, let composite = state as? any Composite else { return [] }
        let regions = composite.regions
        if regions.count < 2 { return regions }
        var seen: Set<ObjectIdentifier> = []
        return regions.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
