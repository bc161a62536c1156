import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Live values of states", .timeLimit(.minutes(5))) struct LiveTests {
    final class Socket: Sendable {
        let number: Int
        let closed: Latch
        init(_ number: Int, _ closed: Latch = Latch()) {
            self.number = number
            self.closed = closed
        }
        deinit { closed.open() }
    }

    final class TalkingState: WorkflowState, Working {
        let room: String
        let socket: Live<Socket>
        init(room: String, _ socket: Live<Socket>) {
            self.room = room
            self.socket = socket
        }
        func work(_ call: WorkCall<Chat>) async throws { _ = try socket.get() }
    }
    final class OfflineState: WorkflowState {
        let reason: String
        init(reason: String) { self.reason = reason }
    }
    struct Chat: Workflow {
        static var initial: any WorkflowState { OfflineState(reason: "new") }
        let talk = Event(from: OfflineState.self, to: TalkingState.self)
        let move = Event(updating: TalkingState.self)
        let fail = Event(from: TalkingState.self, to: OfflineState.self).whenFailed()
            .enters { _, call in OfflineState(reason: call.failure?.localizedDescription ?? "") }
    }

    @Test("An archive leaves a live value out, and a restored one is empty")
    func archived() async throws {
        let machine = StateMachine<Chat>()
        try machine.fire.talk(TalkingState(room: "a", Live(Socket(1))))
        #expect((machine.state as? TalkingState)?.socket.value?.number == 1)
        let archive = try JSONValue(text: machine.archive())
        #expect(archive["data"] == ["room": "a"])
        let restored = try StateMachine<Chat>(archive: machine.archive())
        let state = try #require(restored.state as? TalkingState)
        #expect(state.room == "a" && state.socket.value == nil)
        let lost = #expect(throws: (any Error).self) { try state.socket.get() }
        #expect(lost.map { "\($0)" } == "The Socket has ended with the process that had it.")
        restored.activate()
        #expect(
            try await restored.wait(for: OfflineState.self).reason
                == "The Socket has ended with the process that had it."
        )
    }

    @Test("Foundation's JSON leaves it out, too, and an old archive with a value for it is readable")
    func foundation() throws {
        let state = TalkingState(room: "a", Live(Socket(1)))
        #expect(String(decoding: try JSONEncoder().encode(state), as: UTF8.self) == #"{"room":"a"}"#)
        let old = Data(#"{"room":"b","socket":{"port":7}}"#.utf8)
        let read = try JSONDecoder().decode(TalkingState.self, from: old)
        #expect(read.room == "b" && read.socket.value == nil)
        let list = try JSONEncoder().encode([Live(Socket(1))])
        #expect(String(decoding: list, as: UTF8.self) == "[{}]")
        #expect(try JSONDecoder().decode([Live<Socket>].self, from: list).count == 1)
    }

    @Test("An update passes it on, and it is released with its last state")
    func handedOn() async throws {
        let closed = Latch()
        var machine: StateMachine<Chat>? = StateMachine<Chat>()
        try machine?.fire.talk(TalkingState(room: "a", Live(Socket(1, closed))))
        try machine?.fire.move { TalkingState(room: "b", $0.socket) }
        #expect((machine?.state as? TalkingState)?.socket.value?.number == 1)
        await machine?.settled()
        machine = nil
        try await closed.wait()
    }

    @Test("The check of lost properties ignores it")
    func checked() throws { try expectArchives(TalkingState(room: "a", Live(Socket(1)))) }

    @Test("A value that an earlier class has written for a live property is in no later archive")
    func forgotten() throws {
        let old = """
            {"activated":true,"data":{"room":"a","socket":"s3cret"},"format":1,"revision":0,"state":"TalkingState",\
            "version":1,"workflow":"Chat"}
            """
        let chat = try StateMachine<Chat>(archive: Data(old.utf8))
        #expect(try JSONValue(text: chat.archive())["data"] == ["room": "a"])
        try chat.fire.move { TalkingState(room: "b", $0.socket) }
        #expect(try JSONValue(text: chat.archive())["data"] == ["room": "b"])
    }
}
