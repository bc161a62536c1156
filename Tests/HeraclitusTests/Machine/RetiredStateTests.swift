import Heraclitus
import Testing

@testable import Fixtures

@Suite("Released states") struct RetiredStateTests {
    protocol FadingState: WorkflowState {}
    final class StartState: FadingState, EmptyState {}
    final class EndState: FadingState, EmptyState {}

    /// A state that runs a closure when it is released.
    final class MortalState: FadingState {
        let lastWill: @Sendable () -> Void

        init(_ lastWill: @escaping @Sendable () -> Void) { self.lastWill = lastWill }

        init(from decoder: any Decoder) { lastWill = {} }

        func encode(to encoder: any Encoder) {}

        deinit { lastWill() }
    }

    struct Fading: Workflow {
        static var initial: any FadingState { StartState() }
        let end = Event(from: StartState.self, to: EndState.self)
        let go = Event(to: [StartState.self, MortalState.self, EndState.self])
            .guarded { _, _, transition in
                if transition.userInfo["declined", as: Bool.self] == true { throw Objection() }
            }
        let stay = Event(from: StartState.self, to: StartState.self, EndState.self)
    }

    @Test(
        "A state that is not entered is released after the machine's turn: its fires begin a new turn",
        arguments: ["table", "guard", "rehearsal"]
    )
    func notEntered(because reason: String) {
        let journal = CallLog()
        let machine = StateMachine<Fading>()
        machine.activate()
        func mortal() -> MortalState {
            MortalState {
                do throws(InvalidTransition) { try machine.fire.end() } catch { journal.write("\(error.reason)") }
                journal.write("\(machine)")
            }
        }
        switch reason {
        case "table": #expect(throws: InvalidTransition.self) { try machine.fire.stay(mortal()) }
        case "guard":
            #expect(throws: InvalidTransition.self) { try machine.fire.go(mortal(), userInfo: ["declined": true]) }
        default: #expect(throws: Never.self) { try machine.rehearse.go(mortal()) }
        }
        #expect(journal.entries == ["Fading in EndState, revision 1"])
    }

    @Test("A state that the machine no longer retains is released after all callbacks")
    func keptNoLonger() throws {
        let journal = CallLog()
        let machine = StateMachine<Fading>()
        try machine.fire.go(MortalState { journal.write("gone") })
        machine.onTransition { transition in journal.write("\(transition)") }
        try machine.fire.go(StartState())
        #expect(journal.entries == ["go: MortalState → StartState"])
        try machine.fire.end()
        #expect(journal.entries == ["go: MortalState → StartState", "end: StartState → EndState", "gone"])
    }
}
