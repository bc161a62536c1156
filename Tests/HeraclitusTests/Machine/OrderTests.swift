import Heraclitus
import Testing

@testable import Fixtures

@Suite("Order") struct OrderTests {
    @Test("A transition calls each callback once in the promised order, the machine's closures after the definition's")
    func order() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(journal)
        @Sendable func note(_ line: String, _ machine: StateMachine<Heard>?) {
            journal.write("\(line) in \(machine?.stateName ?? "?")")
        }
        machine.onTransition { note("own.observer", $0.machine(as: Heard.self)) }
        machine.didFire(\.go) { _, _, t in note("own.didFire", t.machine(as: Heard.self)) }
        machine.didEnter(BState.self) { _, t in note("own.didEnter", t.machine(as: Heard.self)) }
        machine.didExit(AState.self) { _, t in note("own.didExit", t.machine(as: Heard.self)) }
        machine.willEnter(BState.self) { _, t in note("own.willEnter", t.machine(as: Heard.self)) }
        machine.willExit(AState.self) { _, t in note("own.willExit", t.machine(as: Heard.self)) }
        machine.willFire(\.go) { _, _, t in note("own.willFire", t.machine(as: Heard.self)) }
        machine.guarded(\.go) { _, _, _ in journal.write("own.guard1") }
        machine.guarded(\.go) { _, _, _ in journal.write("own.guard2") }

        try machine.fire.go(BState(journal))

        #expect(
            journal.entries == [
                "go.guard1", "go.guard2", "A.shouldExit", "B.shouldEnter",
                "own.guard1", "own.guard2",
                "go.willFire", "own.willFire in A",
                "A.willExit", "own.willExit in A",
                "B.willEnter", "own.willEnter in A",
                "A.didExit", "own.didExit in B",
                "B.didEnter", "own.didEnter in B",
                "go.didFire", "own.didFire in B",
                "own.observer in B",
            ]
        )
        #expect(machine.revision == 1)
        #expect((machine.previousState as? AState) != nil)
    }

    @Test("Closures of one place are called in the order of adding")
    func ownOrder() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(CallLog())
        for number in 0..<20 { machine.didEnter(BState.self) { _, _ in journal.write("\(number)") } }
        try machine.fire.go(BState())
        #expect(journal.entries == (0..<20).map { "\($0)" })
    }

    @Test("An update calls the event's hooks without exit and entry, and counts")
    func update() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(journal)
        let old = machine.state
        machine.willExit(AState.self) { _, _ in journal.write("own.willExit") }
        machine.didEnter(AState.self) { _, _ in journal.write("own.didEnter") }
        machine.guarded(\.touch) { _, _, _ in journal.write("own.guard") }
        machine.onTransition { _ in journal.write("own.observer") }
        try machine.fire.touch { _ in AState(journal) }
        #expect(journal.entries == ["touch.guard", "own.guard", "touch.willFire", "touch.didFire", "own.observer"])
        #expect(machine.revision == 1)
        #expect(machine.state !== old)
        #expect(machine.previousState === old)
    }

    @Test("A transition of a state to itself leaves and enters it")
    func selfTransition() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(journal)
        try machine.fire.again(AState(journal))
        #expect(
            journal.entries == [
                "A.shouldExit", "A.shouldEnter", "A.willExit", "A.willEnter", "A.didExit", "A.didEnter",
            ]
        )
    }

    @Test("An ignored event changes nothing and is no error")
    func ignored() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(journal)
        try machine.fire.go(BState(journal))
        journal.clear()
        let before = machine.state
        try machine.fire.nudge { _ in
            Issue.record("the builder of an ignored event must not run")
            return CState(journal)
        }
        #expect(machine.state === before)
        #expect(machine.revision == 1)
        #expect(journal.entries.isEmpty)
        #expect(machine.can.nudge)
    }
}
