// Which callbacks does a transition have, and in which order are they called?
//
// In each phase the definition's hooks come first, then the closures that were added to the machine, in the order added.

import Synchronization

// MARK: - Closures of one machine

/// A closure that may be added to a machine.
enum Callback: Sendable {
    case `guard`(@Sendable (StateTransition) throws -> Void)
    case hook(CallbackPhase, @Sendable (StateTransition) -> Void)
    case notice(@Sendable (Occurrence) -> Void)
    case regionNotice(@Sendable (Occurrence) -> Void)

    /// When it is called.
    var phase: CallbackPhase {
        switch self {
        case .guard: .guards
        case .hook(let phase, _): phase
        case .notice: .notices
        case .regionNotice: .regionNotices
        }
    }
}

/// A closure at a machine, as long as it is not cancelled.
final class CallbackEntry: Sendable {
    let callback: Callback
    private let cancelled = Atomic(false)

    init(_ callback: Callback) { self.callback = callback }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }
}

/// The closures of a machine in the order in which they were added.
///
/// Adding one and cancelling one takes constant time on average. A thread that calls closures keeps the list as it was when it began.
@usableFromInline
struct CallbackList: Sendable {
    /// A place in the list: closures that are cancelled together have one number, and numbers only grow.
    fileprivate struct Slot: Sendable {
        let number: Int
        var entry: CallbackEntry?
    }

    fileprivate struct Contents: Sendable {
        var slots: [Slot] = []
        var emptyCount = 0

        /// How many closures there are for each phase.
        var counts: [CallbackPhase: Int] = [:]
    }

    /// One at most: a machine without closures has a single word for them.
    private var contents: [Contents] = []

    private static let lastNumber = Atomic(0)

    init(hasJournal: Bool) { if hasJournal { contents = [Contents(counts: [.journal: 1])] } }

    /// A number for closures that are cancelled together, which never comes again.
    static func newNumber() -> Int { lastNumber.add(1, ordering: .relaxed).newValue }

    /// The phases in which there are closures.
    var phases: CallbackPhases { contents.first.map { CallbackPhases($0.counts.keys) } ?? [] }

    mutating func add(_ callbacks: [Callback], number: Int) {
        if contents.isEmpty { contents.append(Contents()) }
        for callback in callbacks {
            contents[0].slots.append(Slot(number: number, entry: CallbackEntry(callback)))
            contents[0].counts[callback.phase, default: 0] += 1
        }
    }

    /// Removes the closures of a number.
    /// - Returns: The closures, for the caller to release outside of locks.
    mutating func remove(number: Int) -> [CallbackEntry] {
        contents.isEmpty ? [] : contents[0].remove(number: number)
    }

    func contains(number: Int) -> Bool { contents.first?.contains(number: number) ?? false }

    /// The closures of a phase in their order, without one that is cancelled meanwhile.
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
        // As often as half of the places are empty, so that on average it takes no longer than to add them.
        if 2 * emptyCount > slots.count {
            slots.removeAll { $0.entry == nil }
            emptyCount = 0
        }
        return removed
    }

    fileprivate func contains(number: Int) -> Bool {
        slots[firstIndex(of: number)...].prefix { $0.number == number }.contains { $0.entry != nil }
    }

    /// Where the closures of a number begin.
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
    /// The phases in which closures were added.
    @inline(__always)
    var listened: CallbackPhases { CallbackPhases(rawValue: state.lock.note) }

    /// Whether any closure of the machine's own is called in a phase.
    @inline(__always)
    func listens(to phases: CallbackPhases) -> Bool { !listened.isDisjoint(with: phases) }

    /// Adds closures that are cancelled together.
    /// - Returns: Their number.
    func addCallbacks(_ callbacks: [Callback]) -> Int {
        state.lock.withLock { list in
            // In the lock: the list is searched by numbers, which have to grow in it.
            let number = CallbackList.newNumber()
            list.add(callbacks, number: number)
            state.lock.changeNote(list.phases.rawValue)
            return number
        }
    }

    /// Removes closures, so that no call of them begins any more; does nothing if they were removed before.
    func cancelCallbacks(_ number: Int) {
        let removed = state.lock.withLock { list in
            let removed = list.remove(number: number)
            state.lock.changeNote(list.phases.rawValue)
            return removed
        }
        // Here and not in the lock: releasing a closure may call user code.
        withExtendedLifetime(removed) {}
    }

    func hasCallbacks(_ number: Int) -> Bool { state.lock.withLock { $0.contains(number: number) } }

    /// The machine's own closures of a phase, as of now.
    func closures(in phase: CallbackPhase) -> CallbackList.Callbacks {
        CallbackList.Callbacks(of: state.lock.withLock { $0 }, in: phase)
    }
}

// MARK: - Calling

extension MachineCore {
    /// Whether anybody is to be called in some phases of a transition.
    @inline(__always)
    func hasListeners(in phases: CallbackPhases, of plan: TransitionPlan) -> Bool {
        !plan.hooks.union(listened).intersection(phases).isEmpty
    }

    /// Asks the guards, in order: all of them, or until one declines.
    /// - Returns: The errors of those that decline.
    func unmetGuards(of transition: StateTransition, askingAll: Bool) -> [any Error] {
        var unmet: [any Error] = []
        try? forEachGuard(of: transition.plan) { ask in
            do { try ask(transition) } catch {
                unmet.append(error)
                if !askingAll { throw error }
            }
        }
        return unmet
    }

    @inline(__always)
    private func forEachGuard(of plan: TransitionPlan, _ body: ((StateTransition) throws -> Void) throws -> Void)
        rethrows
    {
        if plan.hooks.contains(.guards) {
            for ask in definition.events[plan.event].declaration.guards { try body(ask) }
            if plan.kind == .external {
                try body(definition.states[plan.source].hooks.shouldExit)
                try body(definition.states[plan.destination].hooks.shouldEnter)
            }
        }
        if listened.contains(.guards) {
            for case .guard(let ask) in closures(in: .guards) { try body(ask) }
        }
    }

    /// Calls everybody who listens in some phases, in the order of the phases.
    @inline(__always)
    func notify(_ phases: CallbackPhases, of transition: StateTransition) {
        let phases = phases.intersection(transition.plan.kind.phases)
        if hasListeners(in: phases, of: transition.plan) { notify(phases, of: transition.plan, transition) }
    }

    /// Calls everybody who listens in some phases of a plan; the transition may be that of the machine's holder.
    @inline(never)
    func notify(_ phases: CallbackPhases, of plan: TransitionPlan, _ transition: StateTransition) {
        var rest = phases
        // Looked at anew after each phase: a closure that is added meanwhile is called from the next phase on.
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
            definition.states[plan.source].hooks.willExit(transition)
        case .willEnter:
            // Asked in place each time, because to hold a compiled state is to copy it.
            definition.states[plan.destination].hooks.willEnter(transition)
            if definition.states[plan.destination].hooks.isEffecting {
                noteEffects(of: transition.destinationObject)
            }
        case .didExit: definition.states[plan.source].hooks.didExit(transition)
        case .didEnter: definition.states[plan.destination].hooks.didEnter(transition)
        case .didRestore: definition.states[plan.destination].hooks.didRestore(transition)
        case .regions: changeRegions(of: plan, transition)
        case .activityEnd: endActivity(of: plan, transition)
        case .activityStart: startActivity(of: plan, transition)
        case .didFire: for hook in definition.events[plan.event].declaration.didFire { hook(transition) }
        case .guards, .observers, .notices, .regionNotices, .journal: break
        }
    }
}
