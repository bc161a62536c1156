import Synchronization

// Who is called in the course of a transition: the definition's hook at a place, and then this machine's own.

extension MachineCore {
    /// Whether anybody is to hear of a step, so that it takes a transition to give them.
    func hasListeners(to step: Step) -> Bool {
        if ownHooks.load(ordering: .relaxed) != nil { return true }
        var places = step.event.pointee.reach.places
        if !step.isUpdate {
            places.formUnion(step.source.pointee.hooks.exitPlaces)
            places.formUnion(step.destination.pointee.hooks.entryPlaces)
        }
        return !places.isEmpty
    }

    func askGuards(of step: Step, _ transition: StateTransition) throws {
        if step.event.pointee.reach.places.contains(.ask) {
            for ask in step.event.pointee.declaration.guards { try ask(transition) }
        }
        if !step.isUpdate {
            try step.source.pointee.hooks.shouldExit(transition)
            try step.destination.pointee.hooks.shouldEnter(transition)
        }
        try withOwnHooks(at: .ask) { try $0.askGuards(transition) }
    }

    /// Calls who wants to hear of a step before it is shown.
    func callBefore(_ step: Step, _ transition: StateTransition) {
        if step.event.pointee.reach.places.contains(.willFire) {
            for hook in step.event.pointee.declaration.willFire { hook(transition) }
        }
        callOwn(.willFire, transition)
        guard !step.isUpdate else { return }
        step.source.pointee.hooks.willExit(transition)
        callOwn(.willExit, transition)
        step.destination.pointee.hooks.willEnter(transition)
        callOwn(.willEnter, transition)
    }

    /// Calls who wants to hear of a step when it has been shown.
    func callAfter(_ step: Step, _ transition: StateTransition) {
        if !step.isUpdate {
            step.source.pointee.hooks.didExit(transition)
            callOwn(.didExit, transition)
            step.destination.pointee.hooks.didEnter(transition)
            callOwn(.didEnter, transition)
        }
        if step.event.pointee.reach.places.contains(.didFire) {
            for hook in step.event.pointee.declaration.didFire { hook(transition) }
        }
        callOwn(.didFire, transition)
        callOwn(.observe, transition)
    }

    func callOwn(_ place: Place, _ transition: StateTransition) {
        withOwnHooks(at: place) { $0.call(place, transition) }
    }

    private func withOwnHooks(at place: Place, _ body: (OwnHooks) throws -> Void) rethrows {
        guard let hooks = ownHooks.load(ordering: .acquiring) else { return }
        try hooks._withUnsafeGuaranteedRef { if $0.listens(at: place) { try body($0) } }
    }

    /// The closures of this machine, to add one.
    var hooks: OwnHooks {
        if let hooks = ownHooks.load(ordering: .acquiring) { return hooks.takeUnretainedValue() }
        let made = Unmanaged.passRetained(OwnHooks())
        let (isFirst, found) = ownHooks.compareExchange(expected: nil, desired: made, ordering: .acquiringAndReleasing)
        if isFirst { return made.takeUnretainedValue() }
        made.release()
        guard let found else { preconditionFailure("An exchange that failed found something.") }
        return found.takeUnretainedValue()
    }
}
