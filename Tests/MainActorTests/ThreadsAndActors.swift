import Heraclitus
import Testing

private nonisolated protocol MessageState: WorkflowState { var reader: String? { get } }
nonisolated extension MessageState { var reader: String? { nil } }

private final class UnreadState: MessageState, EmptyState {}
private final class ReadState: MessageState, Entering {
    let by: String
    var reader: String? { by }
    init(by reader: String) { by = reader }
    func didEnter(_ transition: StateTransition) { print("read") }
}

private struct Message: Workflow {
    static var initial: any MessageState { UnreadState() }
    let view = Event(from: UnreadState.self, to: ReadState.self)
}

@Suite("Modules of the main actor") struct MainActorArticleTests {
    @Test("The article's message is read")
    func message() throws {
        let message = StateMachine<Message>()
        try message.fire.view(ReadState(by: "Ada"))
        #expect(message.state.reader == "Ada")
    }
}

// Work in a module of the main actor. Only the protocol of the states says `nonisolated`.

private nonisolated protocol TimerState: WorkflowState {}

private final class StoppedState: TimerState, EmptyState {}
private final class RunningState: TimerState, Working {
    let seconds: Int
    init(seconds: Int) { self.seconds = seconds }
    func work(_ call: WorkCall<Timer>) async throws {
        await call.context.ring(seconds)
        try call.fire.stop()
    }
}

/// A bell of the main actor, rung by timers.
private final class Bell {
    var rings: [Int] = []
    func ring(_ seconds: Int) { rings.append(seconds) }
}

private struct Timer: Workflow {
    typealias Context = Bell
    static var initial: any TimerState { StoppedState() }
    let start = Event(from: StoppedState.self, to: RunningState.self)
    let stop = Event(from: RunningState.self, to: StoppedState.self)
}

@Suite("Work in modules of the main actor", .timeLimit(.minutes(20))) struct MainActorWorkTests {
    @Test("Work uses a context of the main actor, and the test waits for the work there")
    func work() async throws {
        let bell = Bell()
        let machine = StateMachine<Timer>(context: bell)
        try machine.fire.start(RunningState(seconds: 3))
        await machine.settled()
        #expect(bell.rings == [3] && machine.isIn(StoppedState.self))
    }
}
