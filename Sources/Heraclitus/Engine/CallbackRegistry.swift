// Which closures were added to a machine?

import Synchronization

// A change makes another list, so that whoever is calling goes on with what there was. The list is read in the machine's lock,
// which is held for a few instructions; whether there is anything to read is a note beside the lock.

extension MachineCore {
    /// The phases in which closures were added.
    @inline(__always)
    var listened: CallbackPhases { CallbackPhases(rawValue: state.lock.note) }

    /// The closures in the order in which they were added, for somebody who is to call some of them.
    @inline(__always)
    var callbacks: [CallbackEntry] { state.lock.withLock { $0 } }

    /// Adds closures that are cancelled together.
    /// - Returns: Their number.
    func addCallbacks(_ callbacks: [Callback]) -> Int {
        let number = CallbackEntry.newNumber()
        addCallbacks(callbacks, number: number)
        return number
    }

    /// Adds closures that are cancelled together, under a number that was made for them.
    func addCallbacks(_ callbacks: [Callback], number: Int) {
        changeCallbacks { $0 += callbacks.map { CallbackEntry($0, number: number) } }
    }

    /// Removes closures, which whoever is about to call them does not call; does nothing if they were removed before.
    func cancelCallbacks(_ number: Int) {
        changeCallbacks { entries in
            for entry in entries where entry.number == number { entry.cancel() }
            entries.removeAll { $0.number == number }
        }
    }

    /// Adds what the machine works with, which it has once.
    func addEnvironment(_ environment: MachineEnvironment) {
        changeCallbacks {
            $0.insert(CallbackEntry(.environment(environment), number: CallbackEntry.newNumber()), at: 0)
        }
    }

    private func changeCallbacks(_ change: (inout [CallbackEntry]) -> Void) {
        let old = state.lock.withLock { entries in
            let old = entries
            change(&entries)
            state.lock.changeNote(CallbackPhases(entries.lazy.filter(\.isListening).map(\.phase)).rawValue)
            return old
        }
        // Here and not in the lock: releasing a closure may call user code.
        withExtendedLifetime(old) {}
    }
}

/// What may be added to a machine.
enum Callback: Sendable {
    case `guard`(@Sendable (StateTransition) throws -> Void)
    case hook(CallbackPhase, @Sendable (StateTransition) -> Void)
    case notice(@Sendable (Occurrence) -> Void)
    case regionNotice(@Sendable (Occurrence) -> Void)

    /// What the machine works with; it is called by nobody, and here because most machines have none and so no place for it.
    case environment(MachineEnvironment)
}

/// A closure that was added to a machine, and when it is called.
///
/// It has one of each kind, of which one does anything: to take a closure out of an enum or an optional would count a reference.
@usableFromInline
final class CallbackEntry: Sendable {
    let phase: CallbackPhase
    let ask: @Sendable (StateTransition) throws -> Void
    let call: @Sendable (StateTransition) -> Void
    let tell: @Sendable (Occurrence) -> Void
    let environment: MachineEnvironment?

    /// That of the closures that are cancelled together; it never comes again.
    let number: Int
    private let cancelled = Atomic(false)

    private static let lastNumber = Atomic(0)

    static func newNumber() -> Int { lastNumber.add(1, ordering: .relaxed).newValue }

    init(_ callback: Callback, number: Int) {
        self.number = number
        switch callback {
        case .guard(let ask): (phase, self.ask, call, tell) = (.guards, ask, { _ in }, { _ in })
        case .hook(let phase, let call): (self.phase, ask, self.call, tell) = (phase, { _ in }, call, { _ in })
        case .notice(let tell): (phase, ask, call, self.tell) = (.notices, { _ in }, { _ in }, tell)
        case .regionNotice(let tell): (phase, ask, call, self.tell) = (.regionNotices, { _ in }, { _ in }, tell)
        case .environment: (phase, ask, call, tell) = (.journal, { _ in }, { _ in }, { _ in })
        }
        environment = if case .environment(let environment) = callback { environment } else { nil }
    }

    /// Whether anything is to be done in its phase; of an environment that is what its journal wants.
    var isListening: Bool { environment.map { $0.journal != nil } ?? true }

    @inline(__always)
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }
}
