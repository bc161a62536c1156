import Heraclitus
import Testing

private struct Talk: Codable, Sendable {
    var queue: [String] = []
    var failures = 0
}

private protocol ChatState: Updatable where Values == Talk {}

extension StateGroup where State == any ChatState {
    fileprivate static var chat: Self { Self { $0 is any ChatState.Type } }
}

private final class ConnectingState: ChatState {
    let values: Talk
    init(_ values: Talk) { self.values = values }
}

private final class AuthenticatingState: ChatState {
    let values: Talk
    init(_ values: Talk) { self.values = values }
}

private struct Chat: Workflow {
    static var initial: any ChatState { ConnectingState(Talk()) }

    let say = Event(updatingAny: .chat)
        .enters { chat, call in chat.updated { $0.queue.append(call.userInfo[.line] ?? "") } }
    let open = Event(from: ConnectingState.self, to: AuthenticatingState.self)
        .enters { connecting in AuthenticatingState(connecting.values) }
}

extension UserInfo.Key<String> { static var line: Self { Self("line") } }

@Suite("Data that all states share") struct SharedDataTests {
    @Test("An update of the group keeps the queue in every state, and the next state takes it over")
    func queue() throws {
        #expect(Chat.diagnostics.isEmpty)
        let machine = StateMachine<Chat>()
        try machine.fire.say(userInfo: UserInfo((.line, "hello")))
        try machine.fire.open()
        try machine.fire.say(userInfo: UserInfo((.line, "are you there?")))
        #expect(machine.state.values.queue == ["hello", "are you there?"])
        let restored = try StateMachine<Chat>(archive: machine.archive())
        #expect(restored.state is AuthenticatingState && restored.state.values.queue.count == 2)
    }
}
