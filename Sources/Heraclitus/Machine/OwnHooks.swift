import Synchronization

/// The closures that were added to one machine.
final class OwnHooks: Sendable {
    typealias Guard = EventDeclaration.Guard
    typealias Hook = EventDeclaration.Hook
    typealias Observer = @Sendable (Occurrence) -> Void

    private let list = Mutex(List(guards: [], hooks: [], observers: [], nextNumber: 0))

    // Beside the list, because most places of most machines have none.
    private let places = Atomic<UInt16>(0)

    func add(guard closure: @escaping Guard) -> Registration {
        registration(of: change { $0.adding(guard: closure) })
    }

    func add(_ closure: @escaping Hook, at place: Place) -> Registration {
        registration(of: change { $0.adding(closure, at: place) })
    }

    /// Adds a closure that hears of everything: of transitions in the order in which it stands among those that hear of them.
    func add(observer closure: @escaping Observer) -> Registration {
        registration(of: change { $0.adding(observer: closure) })
    }

    /// Whether there is any closure.
    var listens: Bool { places.load(ordering: .relaxed) != 0 }

    func listens(at place: Place) -> Bool { Places(rawValue: places.load(ordering: .relaxed)).contains(place) }

    /// Asks the guards in the order they were added.
    func askGuards(_ transition: StateTransition) throws {
        let list = list.withLock { $0 }
        try withExtendedLifetime(list) {
            for entry in list.guards {
                try entry._withUnsafeGuaranteedRef { if !$0.isCancelled { try $0.closure(transition) } }
            }
        }
    }

    /// Calls the hooks of a place in the order they were added; not one that is cancelled meanwhile.
    func call(_ place: Place, _ transition: StateTransition) {
        let list = list.withLock { $0 }
        withExtendedLifetime(list) {
            for entry in list.hooks {
                entry._withUnsafeGuaranteedRef { if $0.place == place, !$0.isCancelled { $0.closure(transition) } }
            }
        }
    }

    /// Tells the observers, in the order they were added, what is no transition.
    func tell(_ occurrence: Occurrence) {
        let list = list.withLock { $0 }
        withExtendedLifetime(list) {
            for entry in list.observers {
                entry._withUnsafeGuaranteedRef { if !$0.isCancelled { $0.closure(occurrence) } }
            }
        }
    }

    /// Replaces the list.
    /// - Returns: The number of the entry that was added.
    @discardableResult
    private func change(_ change: (List) -> List) -> Int {
        let (old, number) = list.withLock { list in
            let old = list
            list = change(old)
            places.store(list.places.rawValue, ordering: .relaxed)
            return (old, list.nextNumber - 1)
        }
        // Here and not in the lock: releasing a closure may call user code.
        withExtendedLifetime(old) {}
        return number
    }

    /// Knows the closure by number and the list weakly: what a registration outlives, it does not keep alive.
    private func registration(of number: Int) -> Registration {
        Registration { [weak self] in self?.change { $0.cancelling(number) } }
    }
}

/// What is to be called, in the order added.
///
/// A change makes another list, so that whoever is calling goes on with what there was, and nobody counts references to
/// entries.
private final class List: @unchecked Sendable {
    // Unchecked, because the compiler does not see that the list owns its entries, which are Sendable.
    let guards: UnsafeBufferPointer<Unmanaged<Entry<OwnHooks.Guard>>>
    let hooks: UnsafeBufferPointer<Unmanaged<Entry<OwnHooks.Hook>>>
    let observers: UnsafeBufferPointer<Unmanaged<Entry<OwnHooks.Observer>>>
    let nextNumber: Int

    init(
        guards: [Unmanaged<Entry<OwnHooks.Guard>>],
        hooks: [Unmanaged<Entry<OwnHooks.Hook>>],
        observers: [Unmanaged<Entry<OwnHooks.Observer>>],
        nextNumber: Int
    ) {
        self.guards = Self.owned(guards)
        self.hooks = Self.owned(hooks)
        self.observers = Self.owned(observers)
        self.nextNumber = nextNumber
    }

    deinit {
        for entry in guards { entry.release() }
        guards.deallocate()
        for entry in hooks { entry.release() }
        hooks.deallocate()
        for entry in observers { entry.release() }
        observers.deallocate()
    }

    private static func owned<Closure>(
        _ entries: [Unmanaged<Entry<Closure>>]
    ) -> UnsafeBufferPointer<Unmanaged<Entry<Closure>>> {
        let memory = UnsafeMutableBufferPointer<Unmanaged<Entry<Closure>>>.allocate(capacity: entries.count)
        _ = memory.initialize(from: entries.map { $0.retain() })
        return UnsafeBufferPointer(memory)
    }

    func adding(guard closure: @escaping OwnHooks.Guard) -> List {
        let entry = Entry(closure, at: .ask, number: nextNumber)
        return withExtendedLifetime(entry) { adding(guards: [.passUnretained(entry)]) }
    }

    func adding(_ closure: @escaping OwnHooks.Hook, at place: Place) -> List {
        let entry = Entry(closure, at: place, number: nextNumber)
        return withExtendedLifetime(entry) { adding(hooks: [.passUnretained(entry)]) }
    }

    /// The list with one more observer, which is two entries of one number.
    func adding(observer closure: @escaping OwnHooks.Observer) -> List {
        let hook: Entry<OwnHooks.Hook> = Entry({ closure(.transitioned($0)) }, at: .observe, number: nextNumber)
        let observer = Entry(closure, at: .tell, number: nextNumber)
        return withExtendedLifetime((hook, observer)) {
            adding(hooks: [.passUnretained(hook)], observers: [.passUnretained(observer)])
        }
    }

    private func adding(
        guards: [Unmanaged<Entry<OwnHooks.Guard>>] = [],
        hooks: [Unmanaged<Entry<OwnHooks.Hook>>] = [],
        observers: [Unmanaged<Entry<OwnHooks.Observer>>] = []
    ) -> List {
        List(
            guards: self.guards + guards,
            hooks: self.hooks + hooks,
            observers: self.observers + observers,
            nextNumber: nextNumber + 1
        )
    }

    /// The list without an entry, which whoever is about to call it does not call.
    func cancelling(_ number: Int) -> List {
        List(
            guards: Self.cancelling(number, of: guards),
            hooks: Self.cancelling(number, of: hooks),
            observers: Self.cancelling(number, of: observers),
            nextNumber: nextNumber
        )
    }

    private static func cancelling<Closure>(
        _ number: Int,
        of entries: UnsafeBufferPointer<Unmanaged<Entry<Closure>>>
    ) -> [Unmanaged<Entry<Closure>>] {
        entries.filter { entry in
            entry._withUnsafeGuaranteedRef {
                if $0.number == number { $0.cancel() }
                return $0.number != number
            }
        }
    }

    var places: Places {
        var places = guards.isEmpty ? Places() : Places(.ask)
        for entry in hooks { places.insert(Places(entry.takeUnretainedValue().place)) }
        if !observers.isEmpty { places.insert(Places(.tell)) }
        return places
    }
}

/// A closure that can be cancelled while somebody is about to call it.
private final class Entry<Closure: Sendable>: Sendable {
    let closure: Closure
    let place: Place
    let number: Int
    private let cancelled = Atomic<Bool>(false)

    init(_ closure: Closure, at place: Place, number: Int) {
        self.closure = closure
        self.place = place
        self.number = number
    }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }
}
