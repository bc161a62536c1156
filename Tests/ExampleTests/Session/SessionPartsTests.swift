import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusTesting
import SessionSocketExample
import Testing

@testable import SessionExample

@Suite("Parts of session", .timeLimit(.minutes(20))) struct SessionPartsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A server in this process, which says what a test says.
    private func listener() throws -> (Socket, Network) {
        (try Socket(listeningAt: directory.file("river")), Network(path: directory.file("river"), patience: 600))
    }

    private func accepted(_ listener: Socket) async throws -> Socket {
        while true {
            if let client = try listener.accept() { return client }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Waits on a thread of its own, or a session that does not hang up would stop all tests.
    private func readLine(_ socket: Socket) async throws -> String? {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try socket.readLine() }) }
        }
    }

    @Test("Waiting reads block no task, and end with the cancellation of their tasks")
    func stalledReads() async throws {
        let (listener, network) = try listener()
        // More than there are threads for tasks.
        let reads = try (0..<40).map { _ in
            let line = try network.call()
            return Task { try await line.next() }
        }
        var clients: [Socket] = []
        for _ in reads { clients.append(try await accepted(listener)) }
        #expect(await Task.detached { 7 }.value == 7)
        for read in reads { read.cancel() }
        for read in reads { await #expect(throws: CancellationError.self) { try await read.value } }
        withExtendedLifetime(clients) {}
    }

    @Test("A released line hangs up")
    func hungUp() async throws {
        let (listener, network) = try listener()
        do { try network.call().say("after 0") }
        let client = try await accepted(listener)
        #expect(try await readLine(client) == "after 0")
        #expect(try await readLine(client) == nil)
    }

    @Test("A client knows without reading that the server hung up")
    func hungUpOn() async throws {
        let (listener, network) = try listener()
        let client: Socket
        do {
            let line = try network.call()
            client = try await accepted(listener)
            #expect(!client.isHungUp)
            withExtendedLifetime(line) {}
        }
        while !client.isHungUp { try await Task.sleep(for: .milliseconds(1)) }
        client.shutDown()
        #expect(client.isHungUp)
    }

    @Test(
        "An answer that makes no sense fails the session",
        arguments: [["hello"], ["welcome", "0"], ["welcome", "x Nature loves to hide."]]
    )
    func gibberish(answers: [String]) async throws {
        let (listener, network) = try listener()
        let session = StateMachine<Session>(context: network)
        try session.fire.connect()
        let server = try await accepted(listener)
        for answer in answers { try server.send(answer) }
        let failed = try await session.wait(for: FailedState.self)
        #expect(failed.reason == "the server says \"\(answers.last ?? "")\", which makes no sense")
    }

    @Test("A line without an end is an error, within constant memory")
    func endless() async throws {
        let (listener, network) = try listener()
        let line = try network.call()
        let server = try await accepted(listener)
        Thread.detachNewThread { try? server.send(String(repeating: "x", count: 1 << 20)) }
        await #expect(throws: SocketError.self) { try await line.next() }
    }

    @Test("A disconnected or released session hangs up", arguments: [false, true])
    func ends(isReleased: Bool) async throws {
        let (listener, network) = try listener()
        var session: StateMachine<Session>? = StateMachine<Session>(context: network)
        try session?.fire.connect(ConnectingState(after: 41, until: network.patienceEnds(from: Date())))
        let server = try await accepted(listener)
        #expect(try await readLine(server) == "after 41")
        try server.send("welcome")
        try server.send("42 Nature loves to hide.")
        if let states = session?.states() { for await state in states where state.heard == 42 { break } }
        if !isReleased { try session?.fire.disconnect() }
        session = nil
        #expect(try await readLine(server) == nil)
    }

    @Test("Back-off doubles each time up to a minute, with random jitter")
    func pauses() {
        for (failures, longest) in [(1, 0.5), (2, 1.0), (5, 8.0), (8, 60.0), (2_000, 60.0)] {
            let pauses = (0..<100).map { _ in Network.backOff.delay(after: failures) / .seconds(1) }
            #expect(pauses.allSatisfy { (longest / 2...longest).contains($0) })
            #expect(Set(pauses).count > 50)
        }
    }

    @Test("A session gives up a silent server after its patience, and retries after each back-off")
    func silence() async throws {
        let (listener, network) = try listener()
        let clock = ManualClock()
        let session = StateMachine<Session>(context: network, scheduler: clock.scheduler)
        try session.fire.connect()
        var clients: [Socket] = []
        for failures in 0..<3 {
            clients.append(try await accepted(listener))
            #expect((session.state as? ConnectingState)?.failures == failures)
            await clock.advance(by: .seconds(599))
            #expect(session.isIn(ConnectingState.self))
            await clock.advance(by: .seconds(1))
            let backingOff = try #require(session.state as? BackingOffState)
            #expect(backingOff.reason == "nothing came for 600 seconds")
            let pause = backingOff.until.timeIntervalSince(clock.date)
            let longest = 0.5 * Double(1 << failures)
            #expect((longest / 2...longest).contains(pause))
            await clock.advance(by: .seconds(pause))
        }
        #expect(session.isIn(ConnectingState.self))
        try session.fire.disconnect()
        #expect(session.isIn(DisconnectedState.self) && clock.scheduler.count == 0)
    }

    @Test("The session's definition is valid, and its states keep their data")
    func states() async throws {
        #expect(Session.diagnostics.isEmpty && Session.findings.isEmpty)
        let (listener, network) = try listener()
        let connecting = ConnectingState(after: 3, failures: 2, until: Date(timeIntervalSinceReferenceDate: 5))
        try expectArchives(connecting)
        let connected = ConnectedState(on: try network.call(), after: connecting, until: connecting.until)
        try expectArchives(connected)
        try expectArchives(BackingOffState(after: connecting, because: "no", until: connecting.until))
        try expectArchives(FailedState(after: connecting, because: "no"))
        try expectArchives(DisconnectedState(heard: 3))
        withExtendedLifetime(listener) {}
    }
}
