import Heraclitus
import Testing

@testable import Fixtures

@Suite("All or nothing") struct AllOrNothingTests {
    enum Decliner: CaseIterable {
        case event, exit, entry, own, builder, argument
    }

    @Test(
        "After any decline the machine is unchanged and usable, and the error comes back",
        arguments: Decliner.allCases
    )
    func declining(_ decliner: Decliner) throws {
        let journal = CallLog()
        let machine = StateMachine<Strict>(entering: AState(journal, declinesExit: decliner == .exit))
        machine.activate()
        journal.clear()
        let before = machine.state
        let own =
            decliner == .own ? machine.guarded(\.go) { _, _, _ in throw Objection(text: "own") } : nil

        let error = try #require(throws: InvalidTransition.self) {
            switch decliner {
            case .builder:
                try machine.fire.go(userInfo: ["key": 7]) { _ in throw Objection(text: "builder") }
            case .argument:
                func make() throws -> BState { throw Objection(text: "argument") }
                try machine.fire.go(make(), userInfo: ["key": 7])
            default:
                try machine.fire.go(
                    BState(journal, declinesEntry: decliner == .entry),
                    userInfo: ["key": 7, "decline": decliner == .event]
                )
            }
        }

        #expect(error.reason == .declined)
        #expect((error.underlyingError as? Objection)?.text == "\(decliner)")
        #expect(error.workflow == "Strict")
        #expect(error.event == "go")
        #expect(error.source == "A")
        #expect(error.destination == "B")
        #expect(error.userInfo["key", as: Int.self] == 7)
        #expect(machine.state === before)
        #expect(machine.revision == 0)
        #expect(machine.previousState == nil)
        #expect(journal.entries.allSatisfy { $0.contains("should") })
        own?.cancel()
        if decliner != .exit {
            try machine.fire.go(BState(journal))
            #expect(machine.stateName == "B")
        }
    }

    struct Strict: Workflow {
        static var initial: any HeardState { AState() }
        let go = Event(from: AState.self, to: BState.self).guarded { _, _, transition in
            if transition.userInfo["decline", as: Bool.self] == true { throw Objection(text: "event") }
        }
    }

    @Test("Each guard is asked exactly once, accepted or declined")
    func once() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(journal)
        try? machine.fire.go(BState(journal, declinesEntry: true))
        #expect(journal.entries == ["go.guard1", "go.guard2", "A.shouldExit", "B.shouldEnter"])
    }

    @Test("The builder of a rejected event does not run, nor is its argument made")
    func lazyArgument() throws {
        let machine = StateMachine<Heard>.active(CallLog())
        func make() -> CState {
            Issue.record("must not be made")
            return CState()
        }
        #expect(throws: InvalidTransition.self) { try machine.fire.onward(make()) }
        #expect(throws: InvalidTransition.self) { try machine.fire.onward { _ in make() } }
    }
}
