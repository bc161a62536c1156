// What may a turn do now, and what does it do next?

/// The decisions of a turn: one run to completion of a machine, from the outermost call to its return.
///
/// It is a value without locks, addresses and calls of user code. Its functions say what is to be done; the engine does it.
///
/// A turn begins idle. A fire decides: its builder, guards and `will…` hooks run, from which the machine must not be fired. After the
/// commit it announces: `did…` hooks and observers run. What they fire is decided at once, against the state in which everything
/// accepted so far will leave the machine, and queued; it is carried out, in order, when everyone has been called.
///
/// | function | phase before | phase after |
/// | --- | --- | --- |
/// | `beginFire` | idle, announcing | deciding |
/// | `commit` | deciding | announcing |
/// | `endFire` | deciding | announcing for a nested fire, or else idle |
/// | `beginAction` | idle | announcing |
/// | `next` | any | deciding for a transition, announcing for a notice |
/// | `isDone`, with nothing left | any | idle |
struct Turn<Transition, Notice> {
    enum Phase: Equatable {
        /// No user code runs.
        case idle

        /// From the beginning of a fire, or of what was queued, to the commit: builders, guards and `will…` hooks run, and the machine
        /// must not be fired.
        case deciding(isNested: Bool)

        /// A `did…` hook, an observer or an action runs.
        case announcing
    }

    /// How many fires of callbacks a turn carries out.
    static var chainLimit: Int { 10_000 }

    private(set) var phase = Phase.idle

    /// The number of the state in which everything accepted so far will leave the machine.
    private(set) var expected: Int

    private var queue = Queue()

    init(in state: Int) { expected = state }

    /// Whether a builder, a guard or a `will…` hook runs.
    var isDeciding: Bool { if case .deciding = phase { true } else { false } }

    /// Begins anew, when nothing is left to be done.
    mutating func restart(in state: Int) {
        phase = .idle
        expected = state
    }

    /// Whether anything was queued.
    var hasQueue: Bool { !queue.isEmpty }

    /// What was queued and is done, for somebody who releases it.
    mutating func takeQueue() -> Queue {
        defer { queue = Queue() }
        return queue
    }
}

// MARK: - Fires

extension Turn {
    enum Beginning: Equatable {
        /// The fire may be decided, against the ``expected`` state.
        case decide

        /// A builder, a guard or a `will…` hook fires.
        case rejectInProgress

        /// Callbacks have fired too often in this turn.
        case rejectEndlessChain
    }

    /// Begins a fire.
    mutating func beginFire() -> Beginning {
        switch phase {
        case .deciding: return .rejectInProgress
        case .announcing where queue.acceptedCount >= Self.chainLimit: return .rejectEndlessChain
        case .idle, .announcing:
            phase = .deciding(isNested: phase == .announcing)
            return .decide
        }
    }

    enum Acceptance: Equatable {
        /// The transition is made now.
        case carryOut

        /// It waits until everyone has been called who hears of the one under way.
        case enqueue
    }

    /// Notes that the fire is certain to become a transition to a state.
    mutating func accept(leadingTo state: Int) -> Acceptance {
        expected = state
        return phase == .deciding(isNested: true) ? .enqueue : .carryOut
    }

    /// Queues a transition that was accepted.
    mutating func enqueue(_ transition: Transition) { queue.add(transition) }

    /// Notes that the machine shows the destination: from now on it may be fired.
    mutating func commit() { phase = .announcing }

    /// Ends a fire that was rejected, ignored or queued; one that was carried out has ended with its callbacks.
    mutating func endFire() {
        if case .deciding(let isNested) = phase { phase = isNested ? .announcing : .idle }
    }

    /// The last transition that was accepted and is still to be carried out: its destination is the expected state.
    var lastQueued: Transition? { queue.lastWaiting }

    /// The transitions that were accepted and are still to be carried out, in order.
    var waiting: [Transition] { queue.waiting }
}

// MARK: - Actions and notices

extension Turn {
    /// A place in the queue, before all that is queued after it was reserved.
    struct Place {
        fileprivate let index: Int
    }

    /// Begins an action, which may fire; within a callback it changes nothing.
    /// - Returns: The place at which observers are to hear of it: before what it fires.
    mutating func beginAction() -> Place {
        if phase == .idle { phase = .announcing }
        return Place(index: queue.count)
    }

    /// Queues something that observers are told when everyone has been called.
    ///
    /// What they cause themselves while they are told something is limited, or they could answer each rejection with a fire that
    /// is rejected.
    @discardableResult
    mutating func post(_ notice: Notice, at place: Place? = nil) -> Posting {
        queue.add(notice, at: place?.index, limit: Self.chainLimit)
    }

    /// Queues the notice that the limit was reached.
    mutating func postLast(_ notice: Notice) { _ = queue.add(notice, at: nil, limit: .max) }

    enum Posting: Equatable {
        case queued

        /// It was dropped as the first notice beyond the limit: observers are to hear that there are more.
        case limitReached

        /// It was dropped, as others before.
        case dropped
    }
}

// MARK: - Draining

extension Turn {
    enum Next {
        case carryOut(Transition)
        case tell(Notice)
    }

    /// Whether nothing is left to be done when everyone has been called; then the turn is idle.
    @inline(__always)
    mutating func isDone() -> Bool {
        if queue.isWaiting { return false }
        phase = .idle
        queue.endTelling()
        return true
    }

    /// What is to be done next, when everyone has been called; `nil` if nothing is, and the turn is idle.
    mutating func next() -> Next? {
        if isDone() { return nil }
        switch queue.removeFirst() {
        case .transition(let transition):
            phase = .deciding(isNested: false)
            return .carryOut(transition)
        case .notice(let notice):
            phase = .announcing
            return .tell(notice)
        }
    }
}

// MARK: - The queue

extension Turn {
    fileprivate enum Item {
        case transition(Transition)
        case notice(Notice)
    }

    /// What waits, in order.
    struct Queue {
        // `nil` in most turns, which queue nothing.
        private var items: [Item]?
        private var done = 0
        private var causedByTelling = 0

        fileprivate private(set) var acceptedCount = 0

        fileprivate var count: Int { items?.count ?? 0 }

        fileprivate var isEmpty: Bool { items == nil }

        /// Where the last transition is.
        private var lastTransition: Int?
        private var isTelling = false

        fileprivate var lastWaiting: Transition? {
            guard let items, let lastTransition, lastTransition >= done,
                case .transition(let transition) = items[lastTransition]
            else { return nil }
            return transition
        }

        fileprivate var waiting: [Transition] {
            guard let items else { return [] }
            return items.suffix(from: done).compactMap { if case .transition(let next) = $0 { next } else { nil } }
        }

        fileprivate mutating func add(_ transition: Transition) {
            acceptedCount += 1
            lastTransition = count
            items = items ?? []
            items?.append(.transition(transition))
        }

        fileprivate mutating func add(_ notice: Notice, at index: Int?, limit: Int) -> Posting {
            if isTelling {
                causedByTelling += 1
                if causedByTelling > limit { return causedByTelling == limit + 1 ? .limitReached : .dropped }
            }
            let index = index ?? count
            if let last = lastTransition, last >= index { lastTransition = last + 1 }
            items = items ?? []
            items?.insert(.notice(notice), at: index)
            return .queued
        }

        fileprivate mutating func endTelling() { isTelling = false }

        /// Whether anything is still to be done.
        fileprivate var isWaiting: Bool {
            guard let items else { return false }
            return done < items.count
        }

        fileprivate mutating func removeFirst() -> Item {
            guard let items else { preconditionFailure("Nothing waits.") }
            let item = items[done]
            done += 1
            isTelling = if case .notice = item { true } else { false }
            return item
        }
    }
}
