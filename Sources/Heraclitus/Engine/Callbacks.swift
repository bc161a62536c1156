// The callbacks of a transition and their order.
//
// In each phase the definition's hooks come first, followed by the machine's closures in the order of adding.

import Synchronization

// MARK: - Closures of one machine

/// A closure for a machine.
package enum Callback: Sendable {
    case `guard`(@Sendable (StateTransition) throws -> Void)
    case hook(CallbackPhase, @Sendable (StateTransition) -> Void)
    case notice(@Sendable (Occurrence) -> Void)
    case regionNotice(@Sendable (Occurrence) -> Void)

    /// The phase in which the closure is called.
    var phase: CallbackPhase {
        switch self {
        case .guard: .guards
        case .hook(let phase, _): phase
        case .notice: .notices
        case .regionNotice: .regionNotices
        }
    }
}

/// A closure of a machine with a flag for its cancellation.
final class CallbackEntry: Sendable {
    let callback: Callback
    private let cancelled = Atomic(false)

    init(_ callback: Callback) { self.callback = callback }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }
}

/// The closures of a machine in the order of adding.
///
/// Adding and cancelling take constant time on average. A thread that calls closures works on the list of its
/// beginning.
@usableFromInline
struct CallbackList: Sendable {
    /// A slot of the list.
    ///
    /// Closures that are cancelled together share a number, and numbers only grow.
    fileprivate struct Slot: Sendable {
        let number: Int
        var entry: CallbackEntry?
    }

    fileprivate struct Contents: Sendable {
        var slots: [Slot] = []
        var emptyCount = 0

        /// The number of closures in each phase.
        var counts: [CallbackPhase: Int] = [:]
    }

    /// At most one element, so that a machine without closures needs a single word.
    private var contents: [Contents] = []

    private static let lastNumber = Atomic(0)

    /// A unique number for closures that are cancelled together.
    static func newNumber() -> Int { lastNumber.add(1, ordering: .relaxed).newValue }

    /// The phases with closures.
    var phases: CallbackPhases { contents.first.map { CallbackPhases($0.counts.keys) } ?? [] }

    mutating func add(_ callbacks: [Callback], number: Int) {
        if contents.isEmpty { contents.append(Contents()) }
        for callback in callbacks {
            contents[0].slots.append(Slot(number: number, entry: CallbackEntry(callback)))
            contents[0].counts[callback.phase, default: 0] += 1
        }
    }

    /// Removes the closures of a number.
    /// - Returns: The closures, for the caller to release outside locks.
    mutating func remove(number: Int) -> [CallbackEntry] {
        contents.isEmpty ? [] : contents[0].remove(number: number)
    }

    func contains(number: Int) -> Bool { contents.first?.contains(number: number) ?? false }

    /// The closures of a phase in order, skipping those that are cancelled during the iteration.
    struct Callbacks: Sequence, IteratorProtocol {
        private let slots: [Slot]
        private let phase: CallbackPhase
        private var index = 0

        init(of list: CallbackList, in phase: CallbackPhase) {
            slots = list.contents.first?.slots ?? []
            self.phase = phase
        }

        @inline(__always)
        mutating func next() -> Callback? {
            while index < slots.count {
                let entry = slots[index].entry
                index += 1
                if let entry, entry.callback.phase == phase, !entry.isCancelled { return entry.callback }
            }
            return nil
        }
    }
}

extension CallbackList.Contents {
    fileprivate mutating func remove(number: Int) -> [CallbackEntry] {
        var removed: [CallbackEntry] = []
        var index = firstIndex(of: number)
        while index < slots.count, slots[index].number == number {
            if let entry = slots[index].entry.take() {
                entry.cancel()
                removed.append(entry)
                emptyCount += 1
                let phase = entry.callback.phase
                counts[phase] = counts[phase].flatMap { $0 > 1 ? $0 - 1 : nil }
            }
            index += 1
        }
        // Compacting when half of the slots are empty takes constant time per removal on average.
        if 2 * emptyCount > slots.count {
            slots.removeAll { $0.entry == nil }
            emptyCount = 0
        }
        return removed
    }

    fileprivate func contains(number: Int) -> Bool {
        slots[firstIndex(of: number)...].prefix { $0.number == number }.contains { $0.entry != nil }
    }

    /// The index of the first closure of a number.
    private func firstIndex(of number: Int) -> Int {
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension MachineCore {
    /// The phases with closures of the machine.
    @inline(__always)
    var listened: CallbackPhases { CallbackPhases(rawValue: state.lock.note) }

    /// Whether the machine has closures in a phase.
    @inline(__always)
    func listens(to phases: CallbackPhases) -> Bool { !listened.isDisjoint(with: phases) }

    /// Adds closures that are cancelled together.
    /// - Returns: Their number.
    func addCallbacks(_ callbacks: [Callback]) -> Int {
        state.lock.withLock { list in
            // The number is drawn under the lock, because the binary search needs growing numbers.
            let number = CallbackList.newNumber()
            list.add(callbacks, number: number)
            state.lock.changeNote(list.phases.rawValue)
            return number
        }
    }

    /// Removes closures, so that no further call of them begins.
    ///
    /// Repeated calls do nothing.
    func cancelCallbacks(_ number: Int) {
        let removed = state.lock.withLock { list in
            let removed = list.remove(number: number)
            state.lock.changeNote(list.phases.rawValue)
            return removed
        }
        // The closures are released outside the lock, because that may call user code.
        withExtendedLifetime(removed) {}
    }

    func hasCallbacks(_ number: Int) -> Bool { state.lock.withLock { $0.contains(number: number) } }

    /// The machine's closures of a phase at this moment.
    func closures(in phase: CallbackPhase) -> CallbackList.Callbacks {
        CallbackList.Callbacks(of: state.lock.withLock { $0 }, in: phase)
    }
}

// MARK: - Calling

extension MachineCore {
    /// Whether a transition has callbacks in some phases.
    @inline(__always)
    func hasListeners(in phases: CallbackPhases, of plan: TransitionPlan) -> Bool {
        !plan.hooks.union(listened).intersection(phases).isEmpty
    }

    /// Asks the guards in order: all of them, or until one declines.
    /// - Returns: The errors of declining guards.
    func unmetGuards(of transition: StateTransition, askingAll: Bool) -> [any Error] {
        var unmet: [any Error] = []
        func ask(_ guarding: () throws -> Void) {
            if !askingAll, !unmet.isEmpty { return }
            do { try guarding() } catch { unmet.append(error) }
        }
        let plan = transition.plan
        if plan.hooks.contains(.guards) {
            for guarding in definition.events[plan.event].declaration.guards { ask { try guarding(transition) } }
            if plan.kind == .external {
                // Called in place, because a method as a value would copy the hooks.
                ask { try definition.states[plan.source].hooks.exitGuarding?.ask(transition) }
                ask { try definition.states[plan.destination].hooks.entryGuarding?.ask(transition) }
            }
        }
        if listened.contains(.guards) {
            for case .guard(let guarding) in closures(in: .guards) { ask { try guarding(transition) } }
        }
        return unmet
    }

    /// Calls all callbacks of some phases, in order.
    @inline(__always)
    func notify(_ phases: CallbackPhases, of transition: StateTransition) {
        let phases = phases.intersection(transition.plan.kind.phases)
        if hasListeners(in: phases, of: transition.plan) { notify(phases, of: transition.plan, transition) }
    }

    /// Calls all callbacks of some phases of a plan.
    ///
    /// The transition may be the holder's.
    @inline(never)
    func notify(_ phases: CallbackPhases, of plan: TransitionPlan, _ transition: StateTransition) {
        var rest = phases
        // The closures are read again after each phase, so a new closure is called from the next phase on.
        while true {
            let heard = rest.intersection(plan.hooks.union(listened))
            guard let phase = heard.first else { return }
            rest.removeAll(throughFirstOf: heard)
            if plan.hooks.contains(phase) { callHook(phase, of: plan, transition) }
            if listened.contains(phase) {
                for case .hook(_, let call) in closures(in: phase) { call(transition) }
            }
        }
    }

    private func callHook(_ phase: CallbackPhase, of plan: TransitionPlan, _ transition: StateTransition) {
        switch phase {
        case .willFire: for hook in definition.events[plan.event].declaration.willFire { hook(transition) }
        case .willExit:
            if definition.states[plan.source].hooks.isComposite { tellRegions(.willExit, transition) }
            definition.states[plan.source].hooks.exitPreparing?.tell(transition)
        case .willEnter:
            // Accessed in place, because holding a compiled state would copy it.
            definition.states[plan.destination].hooks.entryPreparing?.tell(transition)
            if definition.states[plan.destination].hooks.isEffecting {
                noteEffects(of: transition.destinationObject)
            }
        case .didExit: definition.states[plan.source].hooks.exiting?.tell(transition)
        case .didEnter: definition.states[plan.destination].hooks.entering?.tell(transition)
        case .didRestore: definition.states[plan.destination].hooks.restoring?.tell(transition)
        case .regions: changeRegions(of: plan, transition)
        case .activityEnd: endActivity(of: plan, transition)
        case .activityStart: startActivity(of: plan, transition)
        case .didFire: for hook in definition.events[plan.event].declaration.didFire { hook(transition) }
        case .guards, .observers, .notices, .regionNotices: break
        }
    }
}
