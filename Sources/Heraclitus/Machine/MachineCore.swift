public import Synchronization

/// What a machine is besides its state: the same for every workflow, and so compiled once and not for each.
@usableFromInline
struct MachineCore: ~Copyable, @unchecked Sendable {
    // Unchecked, because of the addresses: `run` is used by the thread whose turn it is and nobody else, `previous` is read
    // and written in the lock, `hooks` is written once and lives as long as the machine.

    @usableFromInline let definition: Definition
    @usableFromInline let turn = Turn()

    /// The turn under way, on the stack of the thread that has it; `nil` again before the turn is passed.
    @usableFromInline let run = Atomic<UnsafeMutableRawPointer?>(nil)

    /// The closures that were added to this machine, once there was one.
    @usableFromInline let ownHooks = Atomic<Unmanaged<OwnHooks>?>(nil)

    /// Held for a few instructions by whoever reads or changes the state; never while user code runs.
    ///
    /// What it protects is not inside it: the state itself is of a type that only the machine knows, and the thread whose
    /// turn it is, which alone writes, reads without it.
    @usableFromInline let lock = Mutex<Void>(())
    @usableFromInline let standing: Atomic<UInt32>
    @usableFromInline let revision: Atomic<Int>
    @usableFromInline let previous: Atomic<Unmanaged<AnyObject>?>

    @inlinable
    init(_ definition: Definition, standing: Standing, revision: Int, previous: AnyObject? = nil) {
        self.definition = definition
        self.standing = Atomic(standing.bits)
        self.revision = Atomic(revision)
        self.previous = Atomic(previous.map { Unmanaged.passRetained($0) })
    }

    @inlinable
    deinit {
        previous.load(ordering: .relaxed)?.release()
        ownHooks.load(ordering: .relaxed)?.release()
    }
}

/// In which state a machine is, by number, and what is due before its first transition.
@usableFromInline
struct Standing: Sendable {
    @usableFromInline
    enum Activation: UInt32, Sendable {
        /// Nothing.
        case done

        /// To call the hooks of entering the state.
        case entry

        /// To tell the state that it was restored.
        case restoring
    }

    @usableFromInline let bits: UInt32

    @inlinable
    init(bits: UInt32) { self.bits = bits }

    @inlinable
    init(_ index: Int, _ activation: Activation) {
        bits = UInt32(truncatingIfNeeded: index) << 2 | activation.rawValue
    }

    @inlinable var index: Int { Int(bits >> 2) }

    @inlinable var isActive: Bool { bits & 3 == Activation.done.rawValue }

    @inlinable var activation: Activation { Activation(rawValue: bits & 3) ?? .done }
}

extension MachineCore {
    @inlinable var now: Standing { Standing(bits: standing.load(ordering: .relaxed)) }

    @inlinable static var largestRevision: Int { 1 << 53 }

    /// Shows that the machine is in another state; in the lock only.
    /// - Parameters:
    ///   - index: The state.
    ///   - source: The object that is left, which the core takes over.
    /// - Returns: The object that was left before, which is the caller's now.
    @inlinable
    func move(to index: Int, leaving source: Unmanaged<AnyObject>) -> Unmanaged<AnyObject>? {
        let leftBehind = previous.load(ordering: .relaxed)
        previous.store(source, ordering: .relaxed)
        standing.store(Standing(index, .done).bits, ordering: .relaxed)
        let revision = revision.load(ordering: .relaxed)
        if revision < Self.largestRevision { self.revision.store(revision + 1, ordering: .relaxed) }
        return leftBehind
    }
}

// MARK: - Who listens

extension MachineCore {
    /// Whether anybody is to hear of a step, so that it takes a transition to give them.
    @inlinable
    func hasListeners(to step: Step) -> Bool {
        if ownHooks.load(ordering: .relaxed) != nil { return true }
        var places = step.event.pointee.reach.places
        if !step.isUpdate {
            places.formUnion(step.source.pointee.hooks.exitPlaces)
            places.formUnion(step.destination.pointee.hooks.entryPlaces)
        }
        return !places.isEmpty
    }

    @usableFromInline
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
    @usableFromInline
    func callBefore(_ step: Step, _ transition: StateTransition) {
        call(.willFire, step, transition)
        if !step.isUpdate {
            call(.willExit, step, transition)
            call(.willEnter, step, transition)
        }
    }

    /// Calls who wants to hear of a step when it has been shown.
    @usableFromInline
    func callAfter(_ step: Step, _ transition: StateTransition) {
        if !step.isUpdate {
            call(.didExit, step, transition)
            call(.didEnter, step, transition)
        }
        call(.didFire, step, transition)
        call(.observe, step, transition)
    }

    /// Calls the definition's hook at a place and then this machine's own.
    private func call(_ place: Place, _ step: Step, _ transition: StateTransition) {
        switch place {
        case .ask, .observe: break
        case .willFire: call(step, at: place, step.event.pointee.declaration.willFire, transition)
        case .willExit: step.source.pointee.hooks.willExit(transition)
        case .willEnter: step.destination.pointee.hooks.willEnter(transition)
        case .didExit: step.source.pointee.hooks.didExit(transition)
        case .didEnter: step.destination.pointee.hooks.didEnter(transition)
        case .didFire: call(step, at: place, step.event.pointee.declaration.didFire, transition)
        }
        callOwn(place, transition)
    }

    private func call(
        _ step: Step,
        at place: Place,
        _ closures: @autoclosure () -> [EventDeclaration.Hook],
        _ transition: StateTransition
    ) {
        guard step.event.pointee.reach.places.contains(place) else { return }
        for closure in closures() { closure(transition) }
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
