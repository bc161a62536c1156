// Which closures were added to a machine?

import Synchronization

// A change makes another list, so that whoever is calling goes on with what there was. The list is read in the machine's lock,
// which is held for a few instructions; whether there is anything to read is a note beside the lock.

/// What a machine has beside its state: closures, and an environment; one word, because most machines have neither.
@usableFromInline
struct Attachments: Sendable {
    private enum Content: Sendable {
        case closures([CallbackEntry])

        /// It keeps the closures, too.
        case environment(MachineEnvironment)
    }

    private var content: Content

    init(_ environment: MachineEnvironment?) { content = environment.map(Content.environment) ?? .closures([]) }

    /// What the machine works with, if it has anything.
    @inline(__always)
    var environment: MachineEnvironment? {
        if case .environment(let environment) = content { environment } else { nil }
    }

    /// The closures in the order in which they were added.
    @inline(__always)
    var closures: [CallbackEntry] {
        get {
            switch content {
            case .closures(let closures): closures
            case .environment(let environment): environment.closures
            }
        }
        set {
            switch content {
            case .closures: content = .closures(newValue)
            case .environment(let environment): environment.keep(newValue)
            }
        }
    }

    /// Adds an environment, which a machine has once.
    mutating func add(_ environment: MachineEnvironment) {
        environment.keep(closures)
        content = .environment(environment)
    }

    /// The phases in which anything is to be done.
    var phases: CallbackPhases {
        let ofClosures = CallbackPhases(closures.lazy.map(\.phase))
        return environment?.journal == nil ? ofClosures : ofClosures.union(.journal)
    }
}

extension MachineCore {
    /// The phases in which closures were added.
    @inline(__always)
    var listened: CallbackPhases { CallbackPhases(rawValue: state.lock.note) }

    /// The closures in the order in which they were added, for somebody who is to call some of them.
    @inline(__always)
    var callbacks: [CallbackEntry] { state.lock.withLock { $0.closures } }

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
        state.lock.withLock { attachments in
            attachments.add(environment)
            state.lock.changeNote(attachments.phases.rawValue)
        }
    }

    private func changeCallbacks(_ change: (inout [CallbackEntry]) -> Void) {
        let old = state.lock.withLock { attachments in
            let old = attachments.closures
            change(&attachments.closures)
            state.lock.changeNote(attachments.phases.rawValue)
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
        }
    }

    @inline(__always)
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }
}
