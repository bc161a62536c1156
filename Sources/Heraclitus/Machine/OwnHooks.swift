import Synchronization

/// The closures that were added to one machine.
@usableFromInline
final class OwnHooks: Sendable {
    typealias Guard = EventDeclaration.Guard
    typealias Hook = EventDeclaration.Hook

    /// What is to be called. A change makes another one, so that whoever is calling goes on with what there was.
    private final class List: Sendable {
        let guards: [Entry<Guard>]
        let hooks: [[Entry<Hook>]]

        init(guards: [Entry<Guard>] = [], hooks: [[Entry<Hook>]] = Array(repeating: [], count: Place.allCases.count)) {
            self.guards = guards
            self.hooks = hooks
        }

        var places: Places {
            var places = guards.isEmpty ? Places() : Places(.ask)
            for place in Place.allCases where !hooks[place.rawValue].isEmpty { places.insert(Places(place)) }
            return places
        }
    }

    private let list = Mutex(List())

    // Beside the list, because most places of most machines have none.
    private let places = Atomic<UInt8>(0)

    func add(guard closure: @escaping Guard) -> Registration {
        let entry = Entry(closure)
        change { List(guards: $0.guards + [entry], hooks: $0.hooks) }
        return registration(of: entry) { entry, list in
            List(guards: list.guards.filter { $0 !== entry }, hooks: list.hooks)
        }
    }

    func add(_ closure: @escaping Hook, at place: Place) -> Registration {
        let entry = Entry(closure)
        change { list in
            var hooks = list.hooks
            hooks[place.rawValue].append(entry)
            return List(guards: list.guards, hooks: hooks)
        }
        return registration(of: entry) { entry, list in
            var hooks = list.hooks
            hooks[place.rawValue].removeAll { $0 === entry }
            return List(guards: list.guards, hooks: hooks)
        }
    }

    func listens(at place: Place) -> Bool { Places(rawValue: places.load(ordering: .relaxed)).contains(place) }

    /// Asks the guards in the order they were added.
    func askGuards(_ transition: StateTransition) throws {
        for entry in list.withLock({ $0 }).guards where !entry.isCancelled { try entry.closure(transition) }
    }

    /// Calls the hooks of a place in the order they were added; not one that is cancelled meanwhile.
    func call(_ place: Place, _ transition: StateTransition) {
        for entry in list.withLock({ $0 }).hooks[place.rawValue] where !entry.isCancelled { entry.closure(transition) }
    }

    private func change(_ change: (List) -> List) {
        // The old list is returned from the lock first: releasing a closure may call user code.
        _ = list.withLock { list in
            let old = list
            list = change(old)
            places.store(list.places.rawValue, ordering: .relaxed)
            return old
        }
    }

    /// Holds neither the machine's closures nor this list: what a registration outlives, it does not keep alive.
    private func registration<Closure>(
        of entry: Entry<Closure>,
        removing remove: @escaping @Sendable (Entry<Closure>, List) -> List
    ) -> Registration {
        Registration { [weak self, weak entry] in
            guard let entry else { return }
            entry.cancel()
            self?.change { remove(entry, $0) }
        }
    }

    /// A closure that can be cancelled while somebody is about to call it.
    private final class Entry<Closure: Sendable>: Sendable {
        let closure: Closure
        private let cancelled = Atomic<Bool>(false)

        init(_ closure: Closure) { self.closure = closure }

        var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

        func cancel() { cancelled.store(true, ordering: .releasing) }
    }
}
