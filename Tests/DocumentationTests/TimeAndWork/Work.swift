import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

private protocol Network: Sendable {
    func connect(to host: String) async throws -> String
}

private struct FakeNetwork: Network {
    func connect(to host: String) async throws -> String { "Welcome to \(host)." }
}

private struct NoNetwork: Network {
    struct Unreachable: Error {}
    func connect(to host: String) async throws -> String { throw Unreachable() }
}

private final class DisconnectedState: EmptyState {}
private final class ConnectedState: WorkflowState {
    let host: String
    let greeting: String
    init(host: String, greeting: String) {
        self.host = host
        self.greeting = greeting
    }
}
private final class BackingOffState: WorkflowState {
    let host: String
    let attempt: Int
    let until: Date
    init(_ connecting: ConnectingState, until: Date) {
        host = connecting.host
        attempt = connecting.attempt
        self.until = until
    }
}

private final class ConnectingState: WorkflowState, Working {
    let host: String
    let attempt: Int

    init(host: String, attempt: Int = 1) {
        self.host = host
        self.attempt = attempt
    }

    func work(_ call: WorkCall<Session>) async throws {
        let greeting = try await call.context.connect(to: host)
        try call.fire.connected { connecting in ConnectedState(host: connecting.host, greeting: greeting) }
    }
}

private let backOff = BackOff(first: .seconds(1), limit: .seconds(60))

private struct Session: Workflow {
    typealias Context = any Network
    static var initial: any WorkflowState { DisconnectedState() }

    let connect = Event(from: DisconnectedState.self, to: ConnectingState.self)
    let connected = Event(from: ConnectingState.self, to: ConnectedState.self)
    let disconnect = Event(to: DisconnectedState.self)
    let fail = Event(from: ConnectingState.self, to: BackingOffState.self).whenFailed()
        .enters { connecting, call in
            BackingOffState(connecting, until: backOff.date(after: connecting.attempt, since: call.now))
        }
    let retry = Event(from: BackingOffState.self, to: ConnectingState.self).due(\.until)
        .enters { ConnectingState(host: $0.host, attempt: $0.attempt + 1) }
}

private struct Bytes: Sendable {
    func bytes(of url: String) -> AsyncThrowingStream<Int, any Error> {
        AsyncThrowingStream { continuation in
            for count in 1...3 { continuation.yield(count * 100) }
            continuation.finish()
        }
    }
}

private final class IdleState: EmptyState {}
private final class LoadedState: EmptyState {}
private final class LoadingState: WorkflowState, Working {
    let url: String
    let byteCount: Int

    init(url: String, byteCount: Int = 0) {
        self.url = url
        self.byteCount = byteCount
    }

    func work(_ call: WorkCall<Download>) async throws {
        for try await byteCount in call.context.bytes(of: url) {
            try call.fire.progress { current in LoadingState(url: current.url, byteCount: byteCount) }
        }
        try call.fire.finish()
    }

    func continuesWork(of old: LoadingState) -> Bool { url == old.url }
}

private struct Download: Workflow {
    typealias Context = Bytes
    static var initial: any WorkflowState { IdleState() }
    let load = Event(from: IdleState.self, to: LoadingState.self)
    let progress = Event(updating: LoadingState.self)
    let finish = Event(from: LoadingState.self, to: LoadedState.self)
}

/// A socket that answers each line.
private final class Socket: Sendable {
    let (lines, answers) = AsyncStream<String>.makeStream()
    func send(_ line: String) async throws { answers.yield("re: \(line)") }
}

private struct Room: Codable, Sendable {
    var queue: [String] = []
    var heard: [String] = []
}

private final class OpenState: Updatable, Working {
    let values: Room
    init(_ values: Room = Room()) { self.values = values }

    func work(_ call: WorkCall<Chat>) async throws {
        let socket = call.context
        guard let states = call.machine?.states() else { return }  // the machine was released
        try await withThrowingTaskGroup { group in
            group.addTask {
                for await line in socket.lines { try call.fire.hear { open in open.updated { $0.heard.append(line) } } }
            }
            group.addTask {
                for await _ in states {
                    while let line = (call.machine?.state as? OpenState)?.queue.first {
                        try await socket.send(line)
                        try call.fire.sent()  // an update that removes the first line
                    }
                }
            }
            try await group.next()  // one task has ended
            group.cancelAll()
        }
    }
}

private struct Chat: Workflow {
    typealias Context = Socket
    static var initial: any WorkflowState { OpenState() }
    let say = Event(updating: OpenState.self)
    let hear = Event(updating: OpenState.self)
    let sent = Event(updating: OpenState.self).enters { open in open.updated { $0.queue.removeFirst() } }
    let lose = Event(from: OpenState.self, to: IdleState.self).whenDone()
}

@Suite("Work", .timeLimit(.minutes(20))) struct WorkArticleTests {
    @Test("A test waits until a session has connected")
    func connects() async throws {
        let clock = ManualClock()
        let session = StateMachine<Session>(context: FakeNetwork(), scheduler: clock.scheduler)
        try session.fire.connect(ConnectingState(host: "example.org"))
        await clock.advance(by: .zero)
        #expect(session.isIn(ConnectedState.self))
    }

    @Test("A session that cannot connect backs off")
    func backsOff() async throws {
        let clock = ManualClock()
        let session = StateMachine<Session>(context: NoNetwork(), scheduler: clock.scheduler)
        try session.fire.connect(ConnectingState(host: "example.org"))
        await session.settled()
        let state = try #require(session.state as? BackingOffState)
        #expect(state.attempt == 1 && session.nextDeadline == state.until)
    }

    @Test("Work reads and sends at once, and ends with either task")
    func readsAndSends() async throws {
        let socket = Socket()
        let chat = StateMachine<Chat>(context: socket)
        let states = chat.states()
        chat.activate()
        for line in ["a", "b", "c"] { try chat.fire.say { open in open.updated { $0.queue.append(line) } } }
        for await case let open as OpenState in states where open.heard.count == 3 && open.queue.isEmpty {
            #expect(open.heard == ["re: a", "re: b", "re: c"])
            break
        }
        socket.answers.finish()
        _ = try await chat.wait(for: IdleState.self)
    }

    @Test("A download reports its progress, and runs to its end")
    func runs() async throws {
        let session = StateMachine<Download>(entering: LoadingState(url: "a"), context: Bytes())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await session.run() }
            try await group.waitForAll()
        }
        #expect(session.isIn(LoadedState.self) && session.revision == 4)
        #expect((session.previousState as? LoadingState)?.byteCount == 300)
    }
}
