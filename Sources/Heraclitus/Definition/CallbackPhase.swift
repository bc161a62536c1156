// The phases of a transition.

/// A phase of a transition with callbacks, in the order of the calls.
package enum CallbackPhase: UInt16, CaseIterable, Sendable {
    case guards
    case willFire
    case willExit
    case willEnter

    /// Leaves the machines of the old state, and takes on those of the new one.
    case regions

    /// Ends deadlines and work of the old state, or hands the work to the new data of an updated state.
    case activityEnd
    case didExit
    case didEnter
    case didRestore
    case didFire
    case observers

    /// Begins deadlines and work of the new state, or continues with the new data of an updated state.
    case activityStart

    /// Other occurrences: rejections, ignored events, actions, announcements.
    case notices

    /// All occurrences of the machines in the state, including transitions.
    case regionNotices
}

/// Some phases of a transition.
struct CallbackPhases: OptionSet, Sendable {
    // If you widen it for more phases, widen the note of `Lock` with it.
    let rawValue: UInt16

    init(rawValue: UInt16) { self.rawValue = rawValue }

    @inline(__always)
    init(_ phase: CallbackPhase) { self.init(rawValue: 1 << phase.rawValue) }

    init(_ phases: some Sequence<CallbackPhase>) { self = phases.reduce(into: []) { $0.insert(CallbackPhases($1)) } }

    /// The phases in which a part of a definition has hooks.
    init(_ hasHooks: KeyValuePairs<CallbackPhase, Bool>) { self.init(hasHooks.compactMap { $1 ? $0 : nil }) }

    @inline(__always)
    func contains(_ phase: CallbackPhase) -> Bool { !isDisjoint(with: CallbackPhases(phase)) }

    /// The first phase in the order of the calls.
    @inline(__always)
    var first: CallbackPhase? {
        rawValue == 0 ? nil : CallbackPhase(rawValue: UInt16(truncatingIfNeeded: rawValue.trailingZeroBitCount))
    }

    /// Removes the first phase of a set, and all phases before it.
    @inline(__always)
    mutating func removeAll(throughFirstOf phases: CallbackPhases) {
        self = CallbackPhases(rawValue: rawValue & ~(phases.rawValue ^ (phases.rawValue &- 1)))
    }
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

    // A new phase belongs to some of these sets. `CallbackPhaseTests` has to say which ones, and compares. A phase with
    // hooks of states or events also belongs to the lists of `StateHooks` or `CompiledEvent`.

    /// The phases before the commit, when the transition is certain.
    static var before: CallbackPhases { [.willFire, .willExit, .willEnter] }

    /// The phases after the commit.
    static var after: CallbackPhases {
        [.regions, .activityEnd, .didExit, .didEnter, .didRestore, .didFire, .observers, .activityStart]
    }

    /// All phases of a transition between two states.
    static var ofTransition: CallbackPhases { before.union(after).union(.guards).subtracting(.didRestore) }

    /// The phases of an update, without exit and entry.
    static var ofUpdate: CallbackPhases {
        [.guards, .willFire, .regions, .activityEnd, .didFire, .observers, .activityStart]
    }

    /// The phases of entering the initial state.
    static var ofEntry: CallbackPhases { [.willEnter, .regions, .didEnter, .activityStart] }

    /// The phases of a restored machine.
    static var ofRestoring: CallbackPhases { [.regions, .didRestore, .activityStart] }

    /// The phases of an active machine's copy.
    static var ofResumption: CallbackPhases { [.regions, .activityStart] }
}
