import Synchronization

/// A place in the course of a transition at which hooks are called, in the order of the calls.
@usableFromInline
enum Place: Int, CaseIterable, Sendable {
    case willFire
    case willExit
    case willEnter
    case didExit
    case didEnter
    case didFire
    case observe
}

/// The closures that were added to one machine.
@usableFromInline
final class OwnHooks: Sendable {
    typealias Guard = EventDeclaration.Guard
    typealias Hook = EventDeclaration.Hook

    private struct Storage {
        var guards: [Entry<Guard>] = []
        var hooks: [[Entry<Hook>]] = Array(repeating: [], count: Place.allCases.count)
    }

    private let storage = Mutex(Storage())

    func add(guard closure: @escaping Guard) -> Registration {
        let entry = Entry(closure)
        storage.withLock { $0.guards.append(entry) }
        return registration(of: entry) { entry, storage in storage.guards.removeAll { $0 === entry } }
    }

    func add(_ closure: @escaping Hook, at place: Place) -> Registration {
        let entry = Entry(closure)
        storage.withLock { $0.hooks[place.rawValue].append(entry) }
        return registration(of: entry) { entry, storage in storage.hooks[place.rawValue].removeAll { $0 === entry } }
    }

    /// Asks the guards in the order they were added.
    @usableFromInline
    func askGuards(_ transition: StateTransition) throws {
        for entry in storage.withLock({ $0.guards }) { try entry.content?(transition) }
    }

    /// Calls the hooks of a place in the order they were added; not one that is cancelled meanwhile.
    @usableFromInline
    func call(_ place: Place, _ transition: StateTransition) {
        for entry in storage.withLock({ $0.hooks[place.rawValue] }) { entry.content?(transition) }
    }

    /// Holds neither the machine's closures nor this list: what a registration outlives, it does not keep alive.
    private func registration<Content>(
        of entry: Entry<Content>,
        removing remove: @escaping @Sendable (Entry<Content>, inout Storage) -> Void
    ) -> Registration {
        Registration { [weak self, weak entry] in
            guard let entry else { return }
            entry.clear()
            self?.storage.withLock { remove(entry, &$0) }
        }
    }

    /// A closure that can be taken away while somebody is about to call it.
    private final class Entry<Content: Sendable>: Sendable {
        private let storage: Mutex<Content?>

        init(_ content: Content) { storage = Mutex(content) }

        var content: Content? { storage.withLock { $0 } }

        func clear() {
            // Returned from the lock first: releasing a closure may call user code.
            _ = storage.withLock { $0.take() }
        }
    }
}
