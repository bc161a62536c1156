import Testing

@testable import Heraclitus

@Suite("Phases of callbacks")
struct CallbackPhaseTests {
    /// The sets of a phase; a new phase does not compile before it is here.
    private func sets(of phase: CallbackPhase) -> [KeyPath<CallbackPhases.Type, CallbackPhases>] {
        switch phase {
        case .guards: [\.ofTransition, \.ofUpdate]
        case .willFire: [\.before, \.ofTransition, \.ofUpdate]
        case .willExit: [\.before, \.ofTransition]
        case .willEnter: [\.before, \.ofTransition, \.ofEntry]
        case .regions: [\.after, \.ofTransition, \.ofUpdate, \.ofEntry, \.ofRestoring, \.ofResumption]
        case .activityEnd: [\.after, \.ofTransition, \.ofUpdate]
        case .didExit: [\.after, \.ofTransition]
        case .didEnter: [\.after, \.ofTransition, \.ofEntry]
        case .didRestore: [\.after, \.ofRestoring]
        case .didFire, .observers: [\.after, \.ofTransition, \.ofUpdate]
        case .activityStart: [\.after, \.ofTransition, \.ofUpdate, \.ofEntry, \.ofRestoring, \.ofResumption]
        case .notices, .regionNotices: []
        }
    }

    @Test(
        "Each phase is in the sets of the transitions that call it, and in no other",
        arguments: CallbackPhase.allCases
    )
    func sets(_ phase: CallbackPhase) {
        let all: [KeyPath<CallbackPhases.Type, CallbackPhases>] = [
            \.before, \.after, \.ofTransition, \.ofUpdate, \.ofEntry, \.ofRestoring, \.ofResumption,
        ]
        let expected = sets(of: phase)
        for set in all {
            #expect(CallbackPhases.self[keyPath: set].contains(phase) == expected.contains(set), "\(phase) in \(set)")
        }
    }

    @Test("Each phase of a transition but the guards is called before or after the commit")
    func called() {
        let called = CallbackPhases.before.union(.after)
        #expect(called.union(.guards) == CallbackPhases.ofTransition.union(.didRestore))
        #expect(CallbackPhases.before.isDisjoint(with: .after))
    }

    @Test("Each phase has a bit of its own, in the order of the calls")
    func bits() {
        var phases = CallbackPhases(CallbackPhase.allCases)
        for phase in CallbackPhase.allCases {
            #expect(phases.first == phase)
            phases.removeAll(throughFirstOf: phases)
        }
        #expect(phases.isEmpty)
    }
}
