import Synchronization

// Who is called in the course of a transition: the definition's hook at a place, and then this machine's own.

extension MachineCore {
    /// Whether anybody is to hear of a step, so that it takes a transition to give them.
    @inline(__always)
    func hasListeners(to step: Step) -> Bool { listens(step.places) }

    /// Whether the definition has somebody to call, at the places that are given, or this machine has closures of its own.
    @inline(__always)
    private func listens(_ places: Places) -> Bool {
        !places.isEmpty || hasOwnHooks
    }

    /// Whether this machine has closures of its own.
    @inline(__always)
    var hasOwnHooks: Bool {
        guard let hooks = ownHooks.load(ordering: .acquiring) else { return false }
        return hooks._withUnsafeGuaranteedRef { $0.listens }
    }

    @inline(__always)
    func askGuards(of step: Step, _ transition: StateTransition) throws {
        if listens(step.places.intersection(Places(.ask))) { try askEveryGuard(of: step, transition) }
    }

    private func askEveryGuard(of step: Step, _ transition: StateTransition) throws {
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
    @inline(__always)
    func callBefore(_ step: Step, _ transition: StateTransition) {
        if listens(step.places.intersection(.before)) { callEveryoneBefore(step, transition) }
    }

    private func callEveryoneBefore(_ step: Step, _ transition: StateTransition) {
        if step.places.contains(.willFire) {
            for hook in step.event.pointee.declaration.willFire { hook(transition) }
        }
        callOwn(.willFire, transition)
        guard !step.isUpdate else { return }
        if step.places.contains(.willExit) { step.source.pointee.hooks.willExit(transition) }
        callOwn(.willExit, transition)
        if step.places.contains(.willEnter) { step.destination.pointee.hooks.willEnter(transition) }
        callOwn(.willEnter, transition)
    }

    /// Calls who wants to hear of a step when it has been shown.
    @inline(__always)
    func callAfter(_ step: Step, _ transition: StateTransition) {
        if listens(step.places.intersection(.after)) { callEveryoneAfter(step, transition) }
    }

    private func callEveryoneAfter(_ step: Step, _ transition: StateTransition) {
        if !step.isUpdate {
            if step.places.contains(.didExit) { step.source.pointee.hooks.didExit(transition) }
            callOwn(.didExit, transition)
            if step.places.contains(.didEnter) { step.destination.pointee.hooks.didEnter(transition) }
            callOwn(.didEnter, transition)
        }
        if step.places.contains(.didFire) {
            for hook in step.event.pointee.declaration.didFire { hook(transition) }
        }
        callOwn(.didFire, transition)
        callOwn(.observe, transition)
    }

    @inline(__always)
    func callOwn(_ place: Place, _ transition: StateTransition) {
        withOwnHooks(at: place) { $0.call(place, transition) }
    }

    /// Calls those who hear of what is no transition.
    func callObservers(_ occurrence: Occurrence) {
        withOwnHooks(at: .tell) { $0.tell(occurrence) }
    }

    func hasOwnHooks(at place: Place) -> Bool {
        guard let hooks = ownHooks.load(ordering: .acquiring) else { return false }
        return hooks._withUnsafeGuaranteedRef { $0.listens(at: place) }
    }

    @inline(__always)
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
