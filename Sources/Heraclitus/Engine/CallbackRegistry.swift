// Which closures were added to a machine?

import Synchronization

// A change makes another list, so that whoever is calling goes on with what there was. The list is read in the machine's lock,
// which is held for a few instructions; whether there is anything to read is a note beside the lock.

extension MachineCore {
    /// The phases in which closures were added.
    @inline(__always)
    var listened: CallbackPhases { CallbackPhases(rawValue: state.lock.note) }

    /// The closures, for somebody who is to call some of them.
    @inline(__always)
    var callbacks: CallbackList? { state.lock.withLock { $0 } }

    /// Adds closures that are cancelled together.
    /// - Returns: Their number.
    func addCallbacks(_ closures: [CallbackList.Closure]) -> Int {
        changeCallbacks { list in
            list.entries += closures.map { CallbackList.Entry($0, number: list.nextNumber) }
            list.nextNumber += 1
            return list.nextNumber - 1
        }
    }

    /// Removes closures, which whoever is about to call them does not call; does nothing if they were removed before.
    func cancelCallbacks(_ number: Int) {
        changeCallbacks { list in
            for entry in list.entries where entry.number == number { entry.cancel() }
            list.entries.removeAll { $0.number == number }
        }
    }

    @discardableResult
    private func changeCallbacks<Result: Sendable>(_ change: (inout CallbackList.Contents) -> Result) -> Result {
        let (old, result) = state.lock.withLock { list in
            var contents = list?.contents ?? CallbackList.Contents()
            let result = change(&contents)
            let old = list
            list = CallbackList(contents)
            state.lock.changeNote(contents.phases.rawValue)
            return (old, result)
        }
        // Here and not in the lock: releasing a closure may call user code.
        withExtendedLifetime(old) {}
        return result
    }
}

/// The closures of a machine in the order in which they were added; never changed.
@usableFromInline
final class CallbackList: Sendable {
    /// A closure, and when it is called.
    enum Closure: Sendable {
        case `guard`(@Sendable (StateTransition) throws -> Void)
        case hook(CallbackPhase, @Sendable (StateTransition) -> Void)
        case notice(@Sendable (Occurrence) -> Void)

        var phase: CallbackPhase {
            switch self {
            case .guard: .guards
            case .hook(let phase, _): phase
            case .notice: .notices
            }
        }
    }

    final class Entry: Sendable {
        let closure: Closure
        let number: Int
        let phase: CallbackPhase
        private let cancelled = Atomic(false)

        init(_ closure: Closure, number: Int) {
            self.closure = closure
            self.number = number
            phase = closure.phase
        }

        @inline(__always)
        var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

        func cancel() { cancelled.store(true, ordering: .releasing) }
    }

    struct Contents: Sendable {
        var entries: [Entry] = []
        var nextNumber = 0

        /// What the machine has around it from beginning to end.
        var environment: MachineEnvironment?

        var phases: CallbackPhases { CallbackPhases(entries.map { CallbackPhases($0.phase) }) }
    }

    let contents: Contents

    init(_ contents: Contents) { self.contents = contents }
}
