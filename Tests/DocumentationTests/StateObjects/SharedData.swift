import Heraclitus
import Testing

private struct Talk: Codable, Sendable {
    var queue: [String] = []
}

private protocol ChatState: WorkflowState {
    var talk: Talk { get }
    func with(_ talk: Talk) -> Self
}

extension ChatState {
    fileprivate func saying(_ line: String) -> Self {
        var talk = talk
        talk.queue.append(line)
        return with(talk)
    }
}

extension StateGroup where State == any ChatState {
    fileprivate static var chat: Self { Self { $0 is any ChatState.Type } }
}

private final class JoinedState: ChatState {
    let room: String
    let talk: Talk

    init(room: String, _ talk: Talk) {
        self.room = room
        self.talk = talk
    }

    func with(_ talk: Talk) -> JoinedState { JoinedState(room: room, talk) }
}

private struct Chat: Workflow {
    static var initial: any ChatState { ConnectingState(Talk()) }

    let say = Event(updatingAny: .chat)
    let join = Event(from: ConnectingState.self, to: JoinedState.self)
}

private final class ConnectingState: ChatState {
    let talk: Talk
    init(_ talk: Talk) { self.talk = talk }
    func with(_ talk: Talk) -> ConnectingState { ConnectingState(talk) }
}

@Suite("Data that all states share") struct SharedDataTests {
    @Test("An update of the group keeps each state's own data, and the next state takes the shared data over")
    func queue() throws {
        #expect(Chat.diagnostics.isEmpty)
        let machine = StateMachine<Chat>()
        try machine.fire.say { chat in chat.saying("hello") }
        try machine.fire.join { connecting in JoinedState(room: "tea", connecting.talk) }
        try machine.fire.say { chat in chat.saying("are you there?") }
        #expect(machine.state.talk.queue == ["hello", "are you there?"])
        let restored = try StateMachine<Chat>(archive: machine.archive())
        #expect((restored.state as? JoinedState)?.room == "tea" && restored.state.talk.queue.count == 2)
    }
}
