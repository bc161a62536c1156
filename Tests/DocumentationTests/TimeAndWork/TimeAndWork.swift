import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Synchronization
import Testing

private protocol Server: Sendable {
    func send(_ file: String, from byteCount: Int) -> AsyncThrowingStream<Int, any Error>
}

/// A server that takes 512 bytes, and then ends or fails.
private final class TestServer: Server {
    private struct Unreachable: Error {}
    private let calls = Mutex<[Int]>([])
    private let isWell: Bool

    init(isWell: Bool) { self.isWell = isWell }

    /// The offsets of all uploads.
    var beginnings: [Int] { calls.withLock { $0 } }

    func send(_ file: String, from byteCount: Int) -> AsyncThrowingStream<Int, any Error> {
        calls.withLock { $0.append(byteCount) }
        return AsyncThrowingStream { continuation in
            continuation.yield(512)
            continuation.finish(throwing: isWell ? nil : Unreachable())
        }
    }
}

private protocol UploadState: WorkflowState { var giveUpAt: Date? { get } }

private final class UploadingState: UploadState, Working {
    let file: String
    let sent: Int
    let giveUpAt: Date?

    init(_ file: String, sent: Int = 0, giveUpAt: Date?) {
        self.file = file
        self.sent = sent
        self.giveUpAt = giveUpAt
    }

    func work(_ call: WorkCall<Upload>) async throws {
        for try await sent in call.context.send(file, from: sent) {
            try call.fire.progress { UploadingState($0.file, sent: sent, giveUpAt: $0.giveUpAt) }
        }
        try call.fire.finish()
    }
}

private final class PausedState: UploadState {
    let file: String
    let sent: Int
    let giveUpAt: Date?

    init(_ uploading: UploadingState) {
        file = uploading.file
        sent = uploading.sent
        giveUpAt = uploading.giveUpAt
    }
}

private struct Upload: Workflow {
    typealias Context = any Server
    static var initial: any UploadState { IdleState() }

    let begin = Event(from: IdleState.self, to: UploadingState.self)
    let progress = Event(updating: UploadingState.self)
    let finish = Event(from: UploadingState.self, to: DoneState.self)
    let pause = Event(from: UploadingState.self, to: PausedState.self)
        .whenFailed { uploading, _ in PausedState(uploading) }
    let resume = Event(from: PausedState.self, to: UploadingState.self)
        .due(after: .seconds(60)).enters { UploadingState($0.file, sent: $0.sent, giveUpAt: $0.giveUpAt) }
    let giveUp = Event(from: UploadingState.self, PausedState.self, to: AbandonedState.self)
        .due(\.giveUpAt)
}

extension UploadState { fileprivate var giveUpAt: Date? { nil } }

private final class IdleState: UploadState, EmptyState {}
private final class DoneState: UploadState, EmptyState {}
private final class AbandonedState: UploadState, EmptyState {}

@Suite("Time and work in archives", .timeLimit(.minutes(20))) struct TimeAndWorkArticleTests {
    private let clock = ManualClock(at: Date(timeIntervalSince1970: 1_800_000_000))
    private var giveUpAt: Date { Date(timeIntervalSince1970: 1_800_003_600) }

    private func upload(_ state: any UploadState, to server: TestServer) -> StateMachine<Upload> {
        StateMachine<Upload>(entering: state, context: server, scheduler: clock.scheduler)
    }

    @Test("Archives have the state's data, and the date of entry only if a deadline depends on it")
    func archives() async throws {
        let idle = upload(IdleState(), to: TestServer(isWell: false))
        let seen = Mutex<[String]>([])
        idle.didFire(\.progress) { _, _, transition in
            let archive = transition.machine(as: Upload.self).flatMap { try? $0.archive() }
            seen.withLock { $0.append(String(decoding: archive ?? Data(), as: UTF8.self)) }
        }
        await clock.advance(by: .seconds(5))
        try idle.fire.begin(UploadingState("a.mov", giveUpAt: giveUpAt))
        await idle.settled()
        let progress = try #require(seen.withLock { $0.first })
        #expect(progress.contains(#""sent":512}"#) && !progress.contains("entered"))
        #expect(idle.isIn(PausedState.self))
        #expect(String(decoding: try idle.archive(), as: UTF8.self).contains(#""entered":"2027-01-15T08:00:05Z""#))
    }

    @Test("Overdue events fire in order at activation, and work of a state that they leave never begins")
    func overdue() async throws {
        let first = upload(IdleState(), to: TestServer(isWell: false))
        try first.fire.begin(UploadingState("a.mov", giveUpAt: giveUpAt))
        await first.settled()
        let archive = try first.archive()
        let server = TestServer(isWell: true)
        let told = Mutex<[String]>([])
        @Sendable func print(_ words: Any...) { told.withLock { $0.append("\(words[0])") } }

        let restored = try StateMachine<Upload>(archive: archive, context: server, scheduler: clock.scheduler)
        restored.onTransition { print($0.event ?? "", $0.due ?? "") }
        clock.setDate(to: clock.date + 3_600)
        restored.activate()  // resume, giveUp
        #expect(restored.isIn(AbandonedState.self))

        await restored.settled()
        #expect(told.withLock { $0 } == ["resume", "giveUp"])
        #expect(server.beginnings == [])
    }

    @Test("Work begins again from the latest update")
    func again() async throws {
        let server = TestServer(isWell: true)
        let restored = StateMachine<Upload>(
            resumingIn: UploadingState("a.mov", sent: 300, giveUpAt: giveUpAt),
            context: server,
            scheduler: clock.scheduler
        )
        restored.activate()
        await restored.settled()
        #expect(restored.isIn(DoneState.self) && server.beginnings == [300])
    }

    @Test("A unit of work starts no deadline and no work; the store fires due events, and a program does the work")
    func units() async throws {
        let store = Archive.inMemory()
        let server = TestServer(isWell: true)
        let uploads = store.workflow(Upload.self, context: server)
        try await uploads.update("42") { upload in
            try upload.fire.begin(UploadingState("a.mov", giveUpAt: giveUpAt))
        }
        try await uploads.fireDue(by: giveUpAt)
        #expect(server.beginnings == [])
        #expect(try await uploads.ids(in: [AbandonedState.self]) == ["42"])

        let waiting = StateMachine<Upload>(resumingIn: UploadingState("a.mov", giveUpAt: nil), context: server)
        try await uploads.save(waiting, as: "43", expecting: 0)
        if let stored = try await store.load("43") {
            let upload = try StateMachine<Upload>(archive: stored.archive, context: server)
            upload.activate()
            _ = try await upload.wait(for: DoneState.self)
            try await uploads.save(upload, as: "43", expecting: stored.revision)
        }
        #expect(server.beginnings == [0])
        #expect(try await uploads.ids(in: [DoneState.self]) == ["43"])
    }
}
