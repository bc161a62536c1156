import Foundation
import Heraclitus
import Testing

@testable import SessionExample

@Suite("session", .timeLimit(.minutes(20))) struct SessionProgramTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A server that says something all the time.
    private func server() async throws -> RunningProgram {
        let server = try RunningProgram("session-server", ["river", "--every", "0.02"], in: directory)
        try await server.tells("serving at river")
        return server
    }

    /// A client that loses its patience only where it is said.
    private func client(patience: String = "600", _ more: String...) throws -> RunningProgram {
        try RunningProgram("session", ["river", "notes", "--patience", patience] + more, in: directory)
    }

    private func command(_ command: String, _ server: RunningProgram) async throws {
        let count = try server.lines.count
        try server.say(command)
        try await server.lines { $0.count > count }
        #expect(try server.lines.last == "done: \(command)")
    }

    /// Waits until a client has heard some more.
    private func hearsMore(_ client: RunningProgram) async throws {
        let count = numbers(try client.lines).count
        try await client.lines { numbers($0).count >= count + 3 }
    }

    /// The numbers of the received sayings: "12:00:01.000 17. Nature loves to hide."
    private func numbers(_ lines: [String]) -> [Int] {
        lines.compactMap { $0.wholeMatch(of: #/[0-9:.]+ (\d+)\. .+/#).flatMap { Int($0.1) } }
    }

    /// The printed lines, without the time of day.
    private func texts(_ lines: [String]) -> [String] { lines.map { String($0.drop { $0 != " " }.dropFirst()) } }

    private var kept: StateMachine<Session>? {
        FileManager.default.contents(atPath: directory.file("notes/session.json")).flatMap {
            try? StateMachine<Session>(archive: $0, context: Network(path: "river"))
        }
    }

    /// Disconnects, and expects that nothing was left out or heard twice.
    private func expectWhole(_ client: RunningProgram) async throws {
        #expect(try await client.stop(SIGINT) == 0)
        let lines = try client.lines
        #expect(texts(lines).last == "disconnected")
        #expect(numbers(lines) == Array(1...numbers(lines).count))
        #expect(kept?.state is DisconnectedState && kept?.state.heard == numbers(lines).count)
    }

    @Test("A dropped session resumes after the last message, any number of times")
    func dropped() async throws {
        let (server, client) = (try await server(), try client())
        for drops in 1...3 {
            try await hearsMore(client)
            try await command("drop", server)
            try await client.tells("the server has hung up; again at", times: drops)
            try await client.tells("connecting, attempt 2", times: drops)
        }
        try await hearsMore(client)
        try await expectWhole(client)
    }

    @Test("A session backs off from a stalled server until it speaks again")
    func stalled() async throws {
        let (server, client) = (try await server(), try client(patience: "0.5"))
        try await hearsMore(client)
        try await command("stall", server)
        // In the middle of the talk, and at the next attempt, which the server accepts and leaves unanswered.
        try await client.tells("nothing came for 0.5 seconds; again at")
        try await client.tells("connecting, attempt 2")
        try await client.tells("nothing came for 0.5 seconds; again at", times: 2)
        try await command("serve", server)
        try await hearsMore(client)
        try await expectWhole(client)
    }

    @Test("Back-off grows while a server refuses, and restarts after a connection")
    func refused() async throws {
        let (server, client) = (try await server(), try client())
        try await hearsMore(client)
        try await command("refuse", server)
        try await command("drop", server)
        try await client.tells("connecting, attempt 4")
        try await command("serve", server)
        try await hearsMore(client)
        let refusals = try client.lines.filter { $0.contains("cannot connect to river: Connection refused; again") }
        #expect(refusals.count >= 2)
        try await command("drop", server)
        try await client.tells("connecting, attempt 2", times: 2)
        try await hearsMore(client)
        try await expectWhole(client)
    }

    @Test("A session that is killed while connected resumes from its archive")
    func killed() async throws {
        let server = try await server()
        let first = try client()
        try await hearsMore(first)
        #expect(try await first.stop(SIGKILL) == -SIGKILL)
        let last = try #require(numbers(try first.lines).last)
        let machine = try #require(kept)
        #expect(machine.state is ConnectedState && [last - 1, last].contains(machine.state.heard))

        let second = try client()
        try await hearsMore(second)
        let lines = try second.lines
        #expect(texts(lines)[0] == "going on: \(machine.state.text)")
        #expect(texts(lines)[1].hasPrefix("the connection has ended with the program that had it; again at"))
        #expect(texts(lines)[2...3] == ["connecting, attempt 2", "connected"])
        #expect(numbers(lines).first == machine.state.heard + 1)
        try await second.stop(SIGTERM)
        #expect(kept?.state is DisconnectedState)
        withExtendedLifetime(server) {}
    }

    @Test("A session that is killed while backing off keeps its date and its attempts")
    func killedWhileBackingOff() async throws {
        let server = try await server()
        try await command("refuse", server)
        let first = try client()
        try await first.lines { _ in (self.kept?.state as? BackingOffState).map { $0.failures >= 3 } ?? false }
        try await first.stop(SIGKILL)
        let state = try #require(kept?.state as? BackingOffState)
        try await command("serve", server)

        let second = try client()
        try await hearsMore(second)
        let lines = try second.lines
        let refusal = "cannot connect to river: Connection refused; again at \(clock(state.until))"
        #expect(texts(lines)[0] == "going on: \(refusal)")
        #expect(texts(lines)[1...2] == ["connecting, attempt \(state.failures + 1)", "connected"])
        // Midnight may have passed.
        let (began, connected) = (lines[0].prefix { $0 != " " }, lines[1].prefix { $0 != " " })
        if began < clock(state.until) { #expect(connected >= clock(state.until)) }
        try await expectWhole(second)
    }

    @Test("A session outlives a killed server, and hears the next one")
    func serverKilled() async throws {
        let first = try await server()
        let client = try client()
        try await hearsMore(client)
        try await first.stop(SIGKILL)
        try await client.tells("Connection refused; again at")
        let second = try await server()
        try await hearsMore(client)
        try await expectWhole(client)
        withExtendedLifetime(second) {}
    }

    @Test("A session without a server fails after its attempts, and may connect again")
    func nobody() async throws {
        let alone = try client("--attempts", "2")
        #expect(try await alone.ended() == 1)
        let texts = texts(try alone.lines)
        #expect(texts.count == 4 && texts[0] == "connecting" && texts[2] == "connecting, attempt 2")
        #expect(texts[1].hasPrefix("cannot connect to river: No such file or directory; again at "))
        #expect(texts[3] == "failed, attempt 2: cannot connect to river: No such file or directory")
        #expect(kept?.state is FailedState)

        let server = try await server()
        let client = try client()
        try await hearsMore(client)
        try await expectWhole(client)
        withExtendedLifetime(server) {}
    }

    @Test("One process at a time holds a session, and wrong arguments begin none")
    func misused() async throws {
        let server = try await server()
        let client = try client()
        try await hearsMore(client)
        let other = try run("session", ["river", "notes"], in: directory.path)
        #expect(other.status == 1 && other.errors.hasSuffix("/notes: another program has it\n"), "\(other.errors)")
        try FileManager.default.createDirectory(atPath: directory.file("broken"), withIntermediateDirectories: false)
        let file = try directory.write("{", to: "broken/session.json")
        let broken = try run("session", ["river", "broken"], in: directory.path)
        #expect(broken.status == 1 && broken.errors.contains("there is no session in \(file): "), "\(broken.errors)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "{")
        let words = [
            [], ["river"], ["river", "notes", "--patience"], ["river", "notes", "--patience", "0"],
            ["river", "notes", "--attempts", "few"], ["river", "notes", "--fast", "1"],
        ]
        for words in words { #expect(try run("session", words, in: directory.path).status == 64, "\(words)") }
        for words in [[], ["river", "--every", "0"], ["river", "--slowly"], ["--slowly"]] {
            #expect(try run("session-server", words, in: directory.path).status == 64, "\(words)")
        }
        #expect(try run("session-server", ["river"], in: directory.path).errors.contains("Address already in use"))
        try server.say("sing")
        try await server.tells("there are serve, stall, drop and refuse")
        try await expectWhole(client)
    }
}
