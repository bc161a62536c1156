import Heraclitus
import Testing

@testable import Fixtures

@Suite("Class inheritance") struct HierarchyTests {
    class ProblemState: WorkflowState, @unchecked Sendable {
        let code: Int
        init(code: Int) { self.code = code }
    }

    /// A subclass with data and hooks that its superclass lacks.
    final class SlowState: ProblemState, ExitGuarding, ExitPreparing, Entering, Restoring, @unchecked Sendable {
        let seconds: Double
        let journal = CallLog()
        init(seconds: Double) {
            self.seconds = seconds
            super.init(code: 408)
        }
        private enum Key: CodingKey { case seconds }
        required init(from decoder: any Decoder) throws {
            seconds = try decoder.container(keyedBy: Key.self).decode(Double.self, forKey: .seconds)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(seconds, forKey: .seconds)
        }
        func shouldExit(_ transition: StateTransition) throws {
            journal.write("shouldExit")
            if transition.userInfo["stay", as: Bool.self] == true { throw Objection() }
        }
        func willExit(_ transition: StateTransition) { journal.write("willExit") }
        func didEnter(_ transition: StateTransition) { journal.write("didEnter") }
        func didRestore(_ transition: StateTransition) { journal.write("didRestore") }
    }

    final class FineState: WorkflowState, EmptyState {}

    struct Trouble: Workflow {
        static var initial: any WorkflowState { FineState() }
        static var states: [any WorkflowState.Type] { [SlowState.self] }
        let fail = Event(from: FineState.self, to: ProblemState.self)
        let recover = Event(from: ProblemState.self, to: FineState.self)
            .didFire { problem, _, transition in
                #expect(transition.userInfo["code", as: Int.self] == problem.code)
            }
    }

    @Test("An event of a state also leads from and to its subclasses, whose own hooks are called")
    func subclass() throws {
        let machine = StateMachine<Trouble>()
        let slow = SlowState(seconds: 1.5)
        try machine.fire.fail(slow)
        #expect(machine.isIn(SlowState.self))
        #expect(machine.isIn(ProblemState.self))
        #expect(!machine.isIn(FineState.self))
        #expect(machine.isIn(named: "SlowState"))
        #expect(machine.isIn(named: "ProblemState"))
        #expect(!machine.isIn(named: "FineState"))
        #expect(!machine.isIn(named: "NoState"))
        #expect(machine.can.recover)
        #expect(throws: InvalidTransition.self) { try machine.fire.recover(userInfo: ["stay": true]) }
        try machine.fire.recover(userInfo: ["code": 408])
        #expect(slow.journal.entries == ["didEnter", "shouldExit", "shouldExit", "willExit"])
    }

    @Test("An object of the superclass has none of the subclass's hooks")
    func superclass() throws {
        let machine = StateMachine<Trouble>()
        try machine.fire.fail(ProblemState(code: 1))
        try machine.fire.recover(userInfo: ["stay": true, "code": 1])
        #expect(machine.isIn(FineState.self))
    }

    @Test("A subclass keeps its class and its data in an archive, and its own restoring hook is called")
    func archive() throws {
        let machine = StateMachine<Trouble>()
        try machine.fire.fail(SlowState(seconds: 1.5))
        let restored = try StateMachine<Trouble>(archive: machine.archive())
        let slow = try #require(restored.state as? SlowState)
        #expect(slow.seconds == 1.5)
        #expect(slow.code == 408)
        restored.activate()
        #expect(slow.journal.entries == ["didRestore"])
    }
}
