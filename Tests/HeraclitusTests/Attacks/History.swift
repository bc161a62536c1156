import Heraclitus

/// What several threads have done to a machine and what came of it, as far as anybody could see from outside.
struct History: Sendable {
    var model: Model

    /// What the machine was when the threads began.
    var initial: Shown
    var initialRevision = 0

    /// Whether it was to enter its initial state first.
    var isNew = false

    /// Everything that was done, in any order.
    var operations: [Call] = []

    /// What somebody has heard who observed all along; `nil` if nobody did.
    var heard: [Told]?

    /// Those who observed for a while.
    var listeners: [Listener] = []

    /// Those who were added by callbacks of a transition.
    var latecomers: [Latecomer] = []
}

/// Something that a thread has done.
struct Call: Sendable {
    /// What came of it.
    enum Result: Sendable {
        /// A transition was made or, by a callback, accepted, to a state that was made for it.
        case made(Shown, from: Int?)
        case ignored
        case rejected(Rejection)
        case state(Shown)
        case revision(Int)
        case allowed([String])
        case can(Bool)

        /// A copy or an archive; a copy also knows the state before, -1 for none.
        case moment(Shown, revision: Int, previous: Int?)
        case performed(Shown, revision: Int)
        case notInState(String)
        case nothing
    }

    struct Rejection: Sendable {
        let reason: InvalidTransition.Reason
        let source: String
        let allowed: [String]

        /// The state in which a guard or a builder declined.
        let declinedIn: Int?

        /// Whether it was a builder.
        var isBuilders = false
    }

    let id: Int
    let attempt: Model.Attempt
    let result: Result

    /// Stamps: before it was begun and after it had returned, and when its object was made, which is in its turn.
    let begin: Int
    let end: Int
    var built: Int?

    /// The operation in whose callback it was done.
    var parent: Int?

    /// The outermost one.
    var root: Int

    /// Whether that callback was a guard, a builder or a will hook.
    var isPreparing = false
}

/// What an observer was told.
struct Told: Sendable {
    enum What: Sendable {
        case made(event: String?, from: Shown?, to: Shown, isUpdate: Bool)
        case rejected(InvalidTransition.Reason)
        case ignored
        case performed
        case activated
    }

    let what: What

    /// The operation; `nil` for one that passed nothing along.
    let operation: Int?

    /// The machine's revision at that moment.
    let revision: Int
    let stamp: Int

    /// Whether it was told on the thread that fired.
    var isOnItsThread = true
}

/// Somebody who observed transitions for a while.
struct Listener: Sendable {
    /// Stamps: before and after it was added, before and after it was cancelled.
    var addBegin: Int
    var addEnd: Int
    var cancelBegin = Int.max
    var cancelEnd = Int.max

    /// The state that was read when it had been added.
    var seen: Int

    /// The revisions that it was told, with the numbers of the states.
    var heard: [(revision: Int, number: Int)] = []
}

/// A phase of a transition in which somebody is called, in the order of the calls.
enum Phase: Int, Comparable, Sendable {
    case guards, willFire, willExit, willEnter, didExit, didEnter, didFire, observers

    static func < (one: Phase, other: Phase) -> Bool { one.rawValue < other.rawValue }
}

/// When in a transition somebody is called: in each phase the hooks of the definition come before the machine's own closures.
struct Moment: Sendable {
    var phase: Phase
    var isOwn: Bool
}

/// Somebody who was added by a callback of a transition, and counts how often that transition calls.
struct Latecomer: Sendable {
    /// When that callback was called.
    var added: Moment

    /// The phase that is listened to.
    var phase: Phase

    /// The number of the state that the transition leads to.
    var transition: Int
    var isUpdate: Bool
    var calls = 0
}
