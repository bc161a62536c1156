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
