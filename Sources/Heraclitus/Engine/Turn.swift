// The decisions of a turn.

/// The decisions of a turn: one run to completion of a machine, from the outermost call to its return.
///
/// It is a value without locks, addresses and calls of user code. Its functions return decisions, which the engine
/// carries out.
///
/// A turn begins idle. A fire begins the deciding stage: builder, guards and `will…` hooks run, and must not fire the
/// machine. The commit begins the open stage: `did…` hooks and observers run. Their fires are decided at once, against
/// the state that all accepted transitions lead to, and queued. The queue is carried out in order, after all
/// callbacks.
///
/// | function | stage before | stage after |
/// | --- | --- | --- |
/// | `beginFire` | idle, open | deciding |
/// | `commit` | deciding | open |
/// | `endFire` | deciding | open for a nested fire, or else idle |
/// | `beginAction` | idle | open |
/// | `next` | any | deciding for a transition, open for a notice |
/// | `endIfNothingWaits` | any | idle if the queue is empty, or else the same |
struct Turn<Transition, Notice> {
    enum Stage: Equatable {
        /// No user code runs.
        case idle

        /// A builder, a guard or a `will…` hook runs, from the beginning of a fire to its commit.
        ///
        /// The machine must not be fired.
        case deciding(isNested: Bool)

        /// A `did…` hook, an observer or an action runs, and may fire the machine.
        case open
    }

    /// The number of callbacks' fires that a turn carries out.
    static var chainLimit: Int { 10_000 }

    private(set) var stage = Stage.idle

    /// The number of the state that all accepted transitions lead to.
    private(set) var expected: Int

    private var queue = Queue()

    init(in state: Int) { expected = state }

    /// Whether a builder, a guard or a `will…` hook runs.
    var isDeciding: Bool { if case .deciding = stage { true } else { false } }

    /// Begins a new turn after a completed one.
    mutating func restart(in state: Int) {
        stage = .idle
        expected = state
    }

    /// Whether the turn has a queue.
    var hasQueue: Bool { !queue.isEmpty }

    /// Takes the completed queue, for the caller to release.
    mutating func takeQueue() -> Queue { exchange(&queue, with: Queue()) }
}

// MARK: - Fires

extension Turn {
    /// Begins a fire.
    /// - Returns: `nil` if the fire may be decided, against the ``expected`` state. Otherwise the reason to reject it:
    ///   a builder, a guard or a `will…` hook has fired, or callbacks have fired more often than the limit allows.
    mutating func beginFire() -> InvalidTransition.Reason? {
        switch stage {
        case .deciding: return .transitionInProgress
        case .open where queue.acceptedCount >= Self.chainLimit: return .endlessChain
        case .idle, .open:
            stage = .deciding(isNested: stage == .open)
            return nil
        }
    }

    /// Records that the fire is certain to become a transition to a state.
    /// - Returns: Whether the transition waits for the callbacks of the one under way. Otherwise it is made now.
    mutating func accept(leadingTo state: Int) -> Bool {
        expected = state
        return stage == .deciding(isNested: true)
    }

    /// Queues an accepted transition.
    mutating func enqueue(_ transition: Transition) { queue.add(transition) }

    /// Records that the machine shows the destination.
    ///
    /// It may be fired from now on.
    mutating func commit() { stage = .open }

    /// Ends a rejected, ignored or queued fire.
    ///
    /// Other fires end with their callbacks.
    mutating func endFire() {
        if case .deciding(let isNested) = stage { stage = isNested ? .open : .idle }
    }

    /// The last queued transition.
    ///
    /// Its destination is the expected state.
    var lastQueued: Transition? { queue.lastWaiting }

    /// The queued transitions, in order.
    var waiting: some Sequence<Transition> { queue.waiting }
}

// MARK: - Actions and notices

extension Turn {
    /// Begins an action, which may fire.
    ///
    /// Within a callback it changes nothing.
    /// - Returns: The place in the queue that is reserved for the action's notice: before the action's fires.
    mutating func beginAction() -> Int {
        if stage == .idle { stage = .open }
        return queue.count
    }

    /// Queues a notice for observers, told after all callbacks.
    ///
    /// The number of notices that observers cause themselves is limited. Otherwise an observer could answer each
    /// rejection with another rejected fire.
    /// - Returns: Whether this notice is the first one to be dropped. The caller then posts one about the limit.
    @discardableResult
    mutating func post(_ notice: Notice, at place: Int? = nil) -> Bool {
        queue.add(notice, at: place, limit: Self.chainLimit)
    }

    /// Queues the notice that the limit was reached.
    mutating func postLast(_ notice: Notice) { _ = queue.add(notice, at: nil, limit: .max) }
}

// MARK: - Draining

extension Turn {
    /// An item of the queue, which is the next step after all callbacks.
    enum Item {
        /// The transition is carried out.
        case transition(Transition)

        /// Observers are told.
        case notice(Notice)
    }

    /// Ends the turn after all callbacks, unless an item waits.
    /// - Returns: Whether the turn has ended.
    @inline(__always)
    mutating func endIfNothingWaits() -> Bool {
        if queue.isWaiting { return false }
        stage = .idle
        queue.isTelling = false
        return true
    }

    /// The next step after all callbacks; `nil` if the turn is complete and idle.
    mutating func next() -> Item? {
        if endIfNothingWaits() { return nil }
        let item = queue.removeFirst()
        stage = if case .transition = item { .deciding(isNested: false) } else { .open }
        return item
    }
}

// MARK: - The queue

extension Turn {
    /// The queued items, in order.
    struct Queue {
        // `nil` in most turns, which have no queue.
        private var items: [Item]?
        private var done = 0
        private var causedByTelling = 0

        fileprivate private(set) var acceptedCount = 0

        fileprivate var count: Int { items?.count ?? 0 }

        fileprivate var isEmpty: Bool { items == nil }

        /// The index of the last transition.
        private var lastTransition: Int?
        fileprivate var isTelling = false

        fileprivate var lastWaiting: Transition? {
            guard let items, let lastTransition, lastTransition >= done,
                case .transition(let transition) = items[lastTransition]
            else { return nil }
            return transition
        }

        // Lazily, because many fires look for one transition.
        fileprivate var waiting: some Sequence<Transition> {
            (items ?? []).dropFirst(done).lazy.compactMap { if case .transition(let next) = $0 { next } else { nil } }
        }

        fileprivate mutating func add(_ transition: Transition) {
            acceptedCount += 1
            lastTransition = count
            items = items ?? []
            items?.append(.transition(transition))
        }

        fileprivate mutating func add(_ notice: Notice, at index: Int?, limit: Int) -> Bool {
            if isTelling {
                causedByTelling += 1
                if causedByTelling > limit { return causedByTelling == limit + 1 }
            }
            let index = index ?? count
            if let last = lastTransition, last >= index { lastTransition = last + 1 }
            items = items ?? []
            items?.insert(.notice(notice), at: index)
            return false
        }

        /// Whether an item is still to be done.
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
