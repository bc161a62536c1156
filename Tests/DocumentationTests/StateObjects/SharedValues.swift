import Heraclitus
import Testing

private struct Talk: Codable, Sendable {
    var queue: [String] = []
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

    let greet = Event(updatingAny: .chat).enters { chat in chat.updated { $0.queue.append("hello") } }
    let open = Event(from: ConnectingState.self, to: AuthenticatingState.self)
        .enters { connecting in AuthenticatingState(connecting.values) }
}

@Suite("Data that is one struct in all states") struct SharedValuesTests {
    @Test("An update of the group changes the struct that is the data of every state")
    func values() throws {
        #expect(Chat.diagnostics.isEmpty)
        let machine = StateMachine<Chat>()
        try machine.fire.greet()
        try machine.fire.open()
        try machine.fire.greet()
        #expect(machine.state.values.queue == ["hello", "hello"])
        let restored = try StateMachine<Chat>(archive: machine.archive())
        #expect(restored.state is AuthenticatingState && restored.state.values.queue.count == 2)
    }
}
