// When in the course of a transition is somebody called?

/// A phase of a transition in which callbacks are called, in the order of the calls.
enum CallbackPhase: UInt16, Sendable {
    case guards
    case willFire
    case willExit
    case willEnter

    /// Leaves the machines of the state before, and takes on those of the new one.
    case regions

    /// What goes on in the state that is left ends; the work of one that is updated is handed over to the new data.
    case activityEnd
    case didExit
    case didEnter
    case didRestore
    case didFire
    case observers

    /// What goes on in the state that was entered begins, or goes on with the new data of one that was updated.
    case activityStart

    /// Beside transitions: what was rejected, ignored, refused, performed or announced.
    case notices

    /// The same, and transitions, of the machines in the state.
    case regionNotices

    /// Everything that happens is written into the machine's journal, which calls nobody.
    case journal
}

/// Some phases of a transition.
struct CallbackPhases: OptionSet, Sendable {
    let rawValue: UInt16

    init(rawValue: UInt16) { self.rawValue = rawValue }

    @inline(__always)
    init(_ phase: CallbackPhase) { self.init(rawValue: 1 << phase.rawValue) }

    init(_ phases: some Sequence<CallbackPhase>) { self = phases.reduce(into: []) { $0.insert(CallbackPhases($1)) } }

    /// Those that somebody listens to.
    init(listening phases: [(CallbackPhase, Bool)]) { self.init(phases.lazy.filter { $0.1 }.map(\.0)) }

    @inline(__always)
    func contains(_ phase: CallbackPhase) -> Bool { !isDisjoint(with: CallbackPhases(phase)) }
}

extension CallbackPhases {
    static var guards: CallbackPhases { CallbackPhases(.guards) }
    static var willFire: CallbackPhases { CallbackPhases(.willFire) }
    static var willExit: CallbackPhases { CallbackPhases(.willExit) }
    static var willEnter: CallbackPhases { CallbackPhases(.willEnter) }
    static var regions: CallbackPhases { CallbackPhases(.regions) }
    static var activityEnd: CallbackPhases { CallbackPhases(.activityEnd) }
    static var didExit: CallbackPhases { CallbackPhases(.didExit) }
    static var didEnter: CallbackPhases { CallbackPhases(.didEnter) }
    static var didRestore: CallbackPhases { CallbackPhases(.didRestore) }
    static var didFire: CallbackPhases { CallbackPhases(.didFire) }
    static var observers: CallbackPhases { CallbackPhases(.observers) }
    static var activityStart: CallbackPhases { CallbackPhases(.activityStart) }
    static var notices: CallbackPhases { CallbackPhases(.notices) }
    static var regionNotices: CallbackPhases { CallbackPhases(.regionNotices) }
    static var journal: CallbackPhases { CallbackPhases(.journal) }
}

extension CallbackPhases {
    /// Before the machine shows the destination, when the transition is certain.
    static var before: CallbackPhases { [.willFire, .willExit, .willEnter] }

    /// When the machine shows the destination.
    static var after: CallbackPhases {
        [.regions, .activityEnd, .didExit, .didEnter, .didRestore, .didFire, .observers, .activityStart]
    }

    /// All that a transition from a state to a state goes through.
    static var ofTransition: CallbackPhases { before.union(after).union(.guards).subtracting(.didRestore) }

    /// Those in which no state is left or entered.
    static var ofUpdate: CallbackPhases {
        [.guards, .willFire, .regions, .activityEnd, .didFire, .observers, .activityStart]
    }

    /// Those of a new machine that enters the state in which it begins.
    static var ofEntry: CallbackPhases { [.willEnter, .regions, .didEnter, .activityStart] }

    /// Those of a machine that was restored.
    static var ofRestoring: CallbackPhases { [.regions, .didRestore, .activityStart] }

    /// Those of a copy of a machine that was active.
    static var ofResumption: CallbackPhases { [.regions, .activityStart] }
}

extension CallbackPhases {
    /// The phase that comes first in the order of the calls.
    @inline(__always)
    var first: CallbackPhase? {
        rawValue == 0 ? nil : CallbackPhase(rawValue: UInt16(truncatingIfNeeded: rawValue.trailingZeroBitCount))
    }

    /// Removes the first phase of some, and all that come before it.
    @inline(__always)
    mutating func removeAll(throughFirstOf phases: CallbackPhases) {
        self = CallbackPhases(rawValue: rawValue & ~(phases.rawValue ^ (phases.rawValue &- 1)))
    }
}
