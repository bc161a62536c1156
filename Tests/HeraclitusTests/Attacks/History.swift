import Heraclitus

/// The operations of several threads on a machine with their results, as seen from outside.
struct History: Sendable {
    var model: Model

    /// The machine's state when the threads began.
    var initial: Shown
    var initialRevision = 0

    /// Whether the machine was still to enter its initial state.
    var isNew = false

    /// All operations, in any order.
    var operations: [Call] = []

    /// The occurrences told to a permanent observer; `nil` without one.
    var heard: [Told]?

    /// The temporary observers.
    var listeners: [Listener] = []

    /// The listeners added by callbacks of a transition.
    var latecomers: [Latecomer] = []
}

/// An operation of a thread.
struct Call: Sendable {
    /// The result of an operation.
    enum Result: Sendable {
        /// A transition was made, or accepted from a callback, to a state made for it.
        case made(Shown, from: Int?)
        case ignored
        case rejected(Rejection)
        case state(Shown)
        case revision(Int)
        case allowed([String])
        case can(Bool)

        /// A copy or an archive.
        ///
        /// A copy also has the previous state, -1 for none.
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

        /// Whether a builder declined.
        var isBuilders = false
    }

    let id: Int
    let attempt: Model.Attempt
    let result: Result

    /// Stamps: before the beginning, after the return, and at the making of its object, which is in its turn.
    let begin: Int
    let end: Int
    var built: Int?

    /// The operation whose callback did this one.
    var parent: Int?

    /// The outermost operation.
    var root: Int

    /// Whether the callback was a guard, a builder or a will hook.
    var isPreparing = false
}

/// An occurrence told to an observer.
struct Told: Sendable {
    enum What: Sendable {
        case made(event: String?, from: Shown?, to: Shown, isUpdate: Bool)
        case rejected(InvalidTransition.Reason)
        case ignored
        case performed
        case activated
    }

    let what: What

    /// The operation; `nil` for an operation without user info.
    let operation: Int?

    /// The machine's revision at that moment.
    let revision: Int
    let stamp: Int

    /// Whether the observer was called on the firing thread.
    var isOnItsThread = true
}

/// A temporary observer of transitions.
struct Listener: Sendable {
    /// Stamps before and after it was added, and before and after it was cancelled.
    var addBegin: Int
    var addEnd: Int
    var cancelBegin = Int.max
    var cancelEnd = Int.max

    /// The state read after it was added.
    var seen: Int

    /// The revisions that it was told, with the numbers of the states.
    var heard: [(revision: Int, number: Int)] = []
}

/// A phase of a transition with callbacks, in the order of the calls.
enum Phase: Int, Comparable, Sendable {
    case guards, willFire, willExit, willEnter, didExit, didEnter, didFire, observers

    static func < (one: Phase, other: Phase) -> Bool { one.rawValue < other.rawValue }
}

/// A moment of callbacks in a transition.
///
/// In each phase, hooks of the definition come before the machine's own closures.
struct Moment: Sendable {
    var phase: Phase
    var isOwn: Bool
}

/// A listener added by a callback of a transition, which counts the calls of that transition.
struct Latecomer: Sendable {
    /// The moment of that callback.
    var added: Moment

    /// The listener's phase.
    var phase: Phase

    /// The number of the transition's destination.
    var transition: Int
    var isUpdate: Bool
    var calls = 0
}
