import Foundation
import Testing

@Suite("dpkg-replay: archives") struct ReplayArchiveTests {
    private let directory: TemporaryDirectory
    private let lines: [String]
    private let archive: String

    init() throws {
        directory = try TemporaryDirectory()
        let text = try String(contentsOfFile: DpkgReplayTests.sample, encoding: .utf8)
        lines = text.split(separator: "\n").map { $0 + "\n" }
        archive = directory.file("archive")
    }

    private func replay(_ more: String...) throws -> Run {
        try run("dpkg-replay", [directory.file("dpkg.log"), "--archive", archive] + more)
    }

    /// The states of the packages in the archive, without the lines and the runs, which are counted from where it began.
    private func packages() throws -> [String: String] {
        let content = try String(contentsOfFile: archive, encoding: .utf8)
        var states: [String: String] = [:]
        for line in content.split(separator: "\n").dropFirst() {
            let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let facts = (json?["data"] as? [String: Any])?["facts"] as? [String: Any]
            let name = try #require(facts?["package"] as? String)
            states[name] = "\(json?["state"] ?? "") \(facts?["version"] ?? "") \(facts?["changes"] ?? "")"
        }
        return states
    }

    @Test(
        "After a rotation the replay reads the rest of the old log, then the new one",
        arguments: [false, true]
    )
    func rotated(isCompressed: Bool) throws {
        let whole = try DpkgReplayTests.whole(DpkgReplayTests.sample)
        try whole.write(to: URL(fileURLWithPath: archive))
        let expected = try packages()
        try FileManager.default.removeItem(atPath: archive)

        _ = try directory.write(lines[..<100].joined(), to: "dpkg.log")
        #expect(try replay().status == 0)
        // Two months later.
        _ = try directory.write(lines[..<150].joined(), to: "dpkg.log.2")
        _ = try directory.write(lines[150..<200].joined(), to: "dpkg.log.1")
        _ = try directory.write(lines[200...].joined(), to: "dpkg.log")
        if isCompressed { #expect(try run("/usr/bin/env", ["gzip", directory.file("dpkg.log.2")]).status == 0) }
        let result = try replay("--status", DpkgReplayTests.status)
        #expect(result.status == 0 && result.errors == "")
        #expect(result.output.contains("\nin this run 162 lines, "))
        #expect(result.output.contains("\n262 lines, 15 packages, 155 transitions, 14 repeated"))
        #expect(result.lastLine == "agree 15/15 rejected 0")
        #expect(try packages() == expected)
        let again = try replay()
        #expect(again.output.contains("\nin this run 0 lines, "))
    }

    @Test("The replay reads on in a log that begins later, and reports the gap")
    func later() throws {
        _ = try directory.write(lines[..<100].joined(), to: "dpkg.log")
        #expect(try replay().status == 0)
        _ = try directory.write(lines[100...].joined(), to: "dpkg.log")
        let result = try replay("--status", DpkgReplayTests.status)
        #expect(result.status == 0)
        #expect(result.errors.contains("begins later. What was between is not checked."))
        #expect(result.lastLine == "agree 15/15 rejected 0")
    }

    @Test("A log that was just rotated is empty, and the next run reads on in it")
    func empty() throws {
        _ = try directory.write(lines[..<100].joined(), to: "dpkg.log")
        #expect(try replay().status == 0)
        _ = try directory.write(lines[..<100].joined(), to: "dpkg.log.1")
        _ = try directory.write("", to: "dpkg.log")
        let result = try replay()
        #expect(result.status == 0 && result.errors == "")
        #expect(result.output.contains("\nin this run 0 lines, "))
        _ = try directory.write(lines[100...].joined(), to: "dpkg.log")
        #expect(try replay("--status", DpkgReplayTests.status).lastLine == "agree 15/15 rejected 0")
    }

    @Test("The replay reads on in a log that is piped in again")
    func pipe() throws {
        let log = try directory.write(lines[..<100].joined(), to: "dpkg.log")
        let program = executable("dpkg-replay").path
        func piped() throws -> Run {
            try run("/bin/sh", ["-c", "cat '\(log)' | '\(program)' - --archive '\(archive)'"])
        }
        #expect(try piped().status == 0)
        _ = try directory.write(lines.joined(), to: "dpkg.log")
        #expect(try piped().output.contains("\nin this run 162 lines, "))
        #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == DpkgReplayTests.whole(DpkgReplayTests.sample))
        _ = try directory.write(lines[..<99].joined(), to: "dpkg.log")
        let cut = try piped()
        #expect(cut.status == 2 && cut.errors.contains("belongs to another log"))
    }

    @Test(
        "An archive with an impossible count is refused as damaged",
        arguments: [Int.max, Int.max / 2, -1]
    )
    func overflow(number: Int) throws {
        _ = try directory.write(lines[..<100].joined(), to: "dpkg.log")
        #expect(try replay().status == 0)
        let kept = try String(contentsOfFile: archive, encoding: .utf8)
        // The first is that of the replay's own line.
        let place = try #require(kept.firstMatch(of: /"number":\d+/)?.range)
        _ = try directory.write(kept.replacingCharacters(in: place, with: "\"number\":\(number)"), to: "archive")
        _ = try directory.write(lines.joined(), to: "dpkg.log")
        let result = try replay()
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("heraclitus-dpkg-replay: Line 1 of the archive \(archive) is damaged"))
    }

    @Test("A killed replay keeps everything up to its last checkpoint")
    func killed() async throws {
        let (fifo, program) = (directory.file("fifo"), executable("dpkg-replay"))
        #expect(try run("/bin/sh", ["-c", "mkfifo '\(fifo)'"]).status == 0)
        let process = Process()
        process.executableURL = program
        process.arguments = [fifo, "--archive", archive, "--checkpoint", "1"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let writer = try #require(FileHandle(forWritingAtPath: fifo))
        try writer.write(contentsOf: Data(lines[..<100].joined().utf8))
        // The checkpoint comes although nothing more does.
        for _ in 0..<3_000 where !FileManager.default.fileExists(atPath: archive) {
            try await Task.sleep(for: .milliseconds(100))
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? writer.close()
        _ = try directory.write(lines.joined(), to: "dpkg.log")
        let result = try replay()
        #expect(result.status == 0)
        #expect(result.output.contains("\nin this run 162 lines, "))
        #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == DpkgReplayTests.whole(DpkgReplayTests.sample))
    }

    @Test("The next write removes the rest of a killed one")
    func leftovers() throws {
        _ = try directory.write(lines.joined(), to: "dpkg.log")
        _ = try directory.write("half an arch", to: "archive.dpkg-replay-new")
        #expect(try replay().status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.sorted() == ["archive", "dpkg.log"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == DpkgReplayTests.whole(DpkgReplayTests.sample))
    }

    @Test("An archive keeps its mode and its symbolic link")
    func modeAndLink() throws {
        _ = try directory.write(lines[..<100].joined(), to: "dpkg.log")
        #expect(try replay().status == 0)
        let real = directory.file("real")
        try FileManager.default.moveItem(atPath: archive, toPath: real)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: real)
        try FileManager.default.createSymbolicLink(atPath: archive, withDestinationPath: "real")
        _ = try directory.write(lines.joined(), to: "dpkg.log")
        #expect(try replay().status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: archive) == "real")
        let attributes = try FileManager.default.attributesOfItem(atPath: real)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
        #expect(try Data(contentsOf: URL(fileURLWithPath: real)) == DpkgReplayTests.whole(DpkgReplayTests.sample))
    }

    @Test("A read-only archive is refused before the log is read, also for root")
    func readOnly() throws {
        _ = try directory.write(lines[..<100].joined(), to: "dpkg.log")
        #expect(try replay().status == 0)
        let kept = try Data(contentsOf: URL(fileURLWithPath: archive))
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: archive)
        _ = try directory.write(lines.joined(), to: "dpkg.log")
        let result = try replay()
        #expect(result.status == 2 && result.output == "")
        #expect(result.errors == "heraclitus-dpkg-replay: The archive \(archive) is read-only.\n")
        #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == kept)
    }
}
