import Heraclitus
import HeraclitusTesting
import Testing

private final class Socket: Sendable {
    let lines: AsyncStream<String>

    static func open(_ room: String) async throws -> Socket { Socket() }

    init() {
        lines = AsyncStream { continuation in
            // The stream stays open.
            for line in ["All flows.", "Nature loves to hide."] { continuation.yield(line) }
        }
    }
}

private final class ConnectingState: WorkflowState, Working {
    let room: String
    init(room: String) { self.room = room }

    func work(_ call: WorkCall<Chat>) async throws {
        let socket = try await Socket.open(room)
        try call.fire.connect { connecting in ConnectedState(room: connecting.room, on: Live(socket)) }
    }
}

private final class ConnectedState: WorkflowState, Working {
    let room: String
    let lineCount: Int
    let socket: Live<Socket>

    init(room: String, lineCount: Int = 0, on socket: Live<Socket>) {
        self.room = room
        self.lineCount = lineCount
        self.socket = socket
    }

    func work(_ call: WorkCall<Chat>) async throws {
        for await _ in try socket.get().lines {  // throws after a restoration
            try call.fire.hear { ConnectedState(room: $0.room, lineCount: $0.lineCount + 1, on: $0.socket) }
        }
    }
}

private struct Chat: Workflow {
    static var initial: any WorkflowState { ConnectingState(room: "river") }
    let connect = Event(from: ConnectingState.self, to: ConnectedState.self)
    let hear = Event(updating: ConnectedState.self)
    let reconnect = Event(from: ConnectedState.self, to: ConnectingState.self)
        .whenDone().whenFailed().enters { connected in ConnectingState(room: connected.room) }
}

@Suite("Live values", .timeLimit(.minutes(20))) struct LiveArticleTests {
    @Test("A restored chat connects again")
    func restored() async throws {
        let chat = StateMachine<Chat>(resumingIn: ConnectedState(room: "river", on: Live(Socket())))
        let restored = try StateMachine<Chat>(archive: chat.archive())
        #expect((restored.state as? ConnectedState)?.socket.value == nil)
        restored.activate()
        for await state in restored.states() where (state as? ConnectedState)?.lineCount == 2 { break }
        #expect(restored.revision == 4)
        try expectArchives(ConnectedState(room: "river", on: Live()))
    }
}
