import Foundation
import Testing

@Suite("dpkg-replay") struct DpkgReplayTests {
    static let folder = packageFolder + "/Examples/DpkgReplay/Sample"
    static let sample = folder + "/dpkg.log"
    static let status = folder + "/status"
    static let tamperedLog = folder + "/tampered.log"

    @Test("The sample agrees with dpkg's database in each package, and the report counts and ranks")
    func agrees() throws {
        let result = try run("dpkg-replay", [Self.sample, "--status", Self.status])
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(
            result.output.hasSuffix(
                """
                262 lines, 15 packages, 155 transitions, 14 repeated, 0 not understood, 0 rejected

                packages per state
                  not-installed          3
                  config-files           1
                  half-installed         0
                  unpacked               0
                  half-configured        1
                  triggers-awaited       0
                  triggers-pending       0
                  installed             10

                only half configured, because the configuration failed or did not end
                  backup-tool:all 1.0-1, since 2025-02-21 10:01:14

                changed most
                    19  fonts-common:all
                    16  libtext2:amd64
                    15  mailer:amd64
                    13  font-cache:amd64
                    11  notes:amd64
                    10  calc:amd64
                    10  editor:amd64
                    10  libtext2:i386
                    10  mailer-data:all
                    10  man-index:amd64

                agree 15/15 rejected 0

                """
            )
        )
    }

    @Test("Each altered line of the tampered sample is rejected with a sentence, and the replay goes on")
    func tampered() throws {
        let result = try run("dpkg-replay", [Self.tamperedLog, "--status", Self.status])
        #expect(result.status == 1)
        #expect(
            result.output.contains(
                """
                line 118 is not understood: 2025-02-09 14:11:07 status instaled calc:all 1.8-1
                line 36: installed without having been configured: editor:amd64 2:9.0.1378-2, 2025-02-03 09:20:06
                line 39: installed with its triggers still pending: font-cache:amd64 2.14.1-4, 2025-02-03 09:20:07
                line 112: unpacked without its installation having begun: notes:amd64 0.4~rc2-1, 2025-02-09 14:11:06
                line 142: unpacked without having been deconfigured: mailer:amd64 4.96-15, 2025-02-12 07:15:20
                line 164: installed in another version than before, which was 1.9-1: calc:amd64 1.9-2, 2025-02-12 20:40:45
                line 260: removed without having been taken apart: backup-tool:all 1.0-1, 2025-02-21 10:01:14
                260 lines, 15 packages, 144 transitions, 16 repeated, 1 not understood, 6 rejected

                """
            )
        )
        #expect(result.output.contains("calc:amd64 ended as installed 1.9-2, dpkg says installed 1.9-1\n"))
        #expect(result.lastLine == "agree 13/15 rejected 6")
        let verbose = try run("dpkg-replay", [Self.tamperedLog, "--verbose"])
        #expect(
            verbose.output.contains(
                """
                line 39: installed with its triggers still pending: font-cache:amd64 2.14.1-4, 2025-02-03 09:20:07
                    2025-02-03 09:20:07 status installed font-cache:amd64 2.14.1-4
                    PackageLife cannot enter installed in triggers-pending: no event leads there from triggers-pending. Allowed:
                """
            )
        )
    }

    @Test("The last line says that the database is missing")
    func withoutStatus() throws {
        #expect(try run("dpkg-replay", [Self.sample]).lastLine == "agree -/15 rejected 0")
    }

    @Test("Without arguments the program replays the system's log or the sample")
    func withoutArguments() throws {
        let result = try run("dpkg-replay", [])
        #expect(result.status == 0 || result.status == 1)
        #expect(result.lastLine.wholeMatch(of: /agree (\d+|-)\/\d+ rejected \d+/) != nil)
    }

    @Test("`--package` prints the life of a package line by line, with its archive")
    func package() throws {
        let result = try run("dpkg-replay", [Self.sample, "--package", "calc"])
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.first?.contains("calc:all                      is not-installed") == true)
        #expect(lines.contains { $0.contains("calc:amd64  finishConfiguring   half-configured → installed 1.9-1") })
        #expect(lines.dropLast().last?.hasPrefix("{\"activated\":true,") == true)
        #expect(lines.dropLast().last?.contains("\"package\":\"calc:amd64\"") == true)
        let exact = try run("dpkg-replay", [Self.sample, "--package", "libtext2:i386"])
        #expect(exact.output.contains("libtext2:i386"))
        #expect(!exact.output.contains("libtext2:amd64"))
        let unknown = try run("dpkg-replay", [Self.sample, "--package", "nobody"])
        #expect(unknown.status == 2)
        #expect(unknown.errors == "heraclitus-dpkg-replay: The log knows no package nobody.\n")
    }

    // MARK: Archives

    /// The archive of an uninterrupted run.
    static func whole(_ log: String) throws -> Data {
        let directory = try TemporaryDirectory()
        _ = try run("dpkg-replay", [log, "--archive", directory.file("whole")])
        return try Data(contentsOf: URL(fileURLWithPath: directory.file("whole")))
    }

    @Test(
        "A run that is stopped after any line and resumed has the archive of an uninterrupted run",
        arguments: [sample, tamperedLog]
    )
    func resumed(_ log: String) throws {
        let whole = try Self.whole(log)
        let directory = try TemporaryDirectory()
        for stop in [0, 1, 35, 39, 40, 112, 118, 142, 164, 260, 261, 262, 999] {
            let archive = directory.file("archive-\(stop)")
            let first = try run("dpkg-replay", [log, "--archive", archive, "--stop-after", "\(stop)"])
            #expect(first.status < 2)
            let second = try run("dpkg-replay", [log, "--archive", archive])
            #expect(second.status < 2)
            #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == whole, "stopped after \(stop)")
        }
    }

    @Test("A run that is stopped every few lines has the archive of an uninterrupted run")
    func inSteps() throws {
        let directory = try TemporaryDirectory()
        let archive = directory.file("archive")
        for _ in 0..<38 {
            _ = try run("dpkg-replay", [Self.tamperedLog, "--archive", archive, "--stop-after", "7"])
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == Self.whole(Self.tamperedLog))
        let last = try run("dpkg-replay", [Self.tamperedLog, "--status", Self.status, "--archive", archive])
        #expect(last.lastLine == "agree 13/15 rejected 6")
    }

    @Test("An archive has a line for the replay, then a line for each machine")
    func archiveLines() throws {
        let lines = String(decoding: try Self.whole(Self.sample), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 16)
        #expect(lines[0].contains("\"workflow\":\"ReplayProgress\""))
        #expect(lines[0].contains("\"lines\":262"))
        #expect(lines.dropFirst().allSatisfy { $0.contains("\"workflow\":\"PackageLife\"") })
    }

    @Test("A grown log is read on, and a changed or cut log is refused")
    func otherLog() throws {
        let directory = try TemporaryDirectory()
        let text = try String(contentsOfFile: Self.sample, encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0 + "\n" }
        let archive = directory.file("archive")
        let log = try directory.write(lines[..<100].joined(), to: "dpkg.log")
        #expect(try run("dpkg-replay", [log, "--archive", archive]).status == 0)
        let kept = try Data(contentsOf: URL(fileURLWithPath: archive))
        for other in [lines[..<99].joined(), lines[..<99].joined() + "x" + lines[99...].joined()] {
            _ = try directory.write(other, to: "dpkg.log")
            let refused = try run("dpkg-replay", [log, "--archive", archive])
            #expect(refused.status == 2)
            #expect(refused.errors.contains("belongs to another log"))
            #expect(refused.errors.filter { $0 == "\n" }.count == 1)
            #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == kept)
        }
        _ = try directory.write(text, to: "dpkg.log")
        #expect(try run("dpkg-replay", [log, "--archive", archive]).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == Self.whole(Self.sample))
    }

    @Test(
        "A file that is not an archive is refused and stays unchanged",
        arguments: ["", "{}\n", "nonsense", "{\"format\":1}\n", "\n\n", "[1,2]\n{}\n"]
    )
    func badArchive(_ content: String) throws {
        let directory = try TemporaryDirectory()
        let archive = try directory.write(content, to: "archive")
        let result = try run("dpkg-replay", [Self.sample, "--archive", archive])
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("heraclitus-dpkg-replay: "))
        #expect(try String(contentsOfFile: archive, encoding: .utf8) == content)
    }

    @Test("An archive in a missing folder is an error")
    func unwritableArchive() throws {
        let result = try run("dpkg-replay", [Self.sample, "--archive", "/nowhere/at/all"])
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("heraclitus-dpkg-replay: The archive /nowhere/at/all cannot be written: "))
    }

    // MARK: Bad input

    @Test("Half a last line is read when it is whole")
    func halfLine() throws {
        let directory = try TemporaryDirectory()
        let text = try String(contentsOfFile: Self.sample, encoding: .utf8)
        let log = try directory.write(String(text.dropLast(20)), to: "dpkg.log")
        let archive = directory.file("archive")
        let half = try run("dpkg-replay", [log, "--archive", archive])
        #expect(half.status == 0)
        #expect(half.output.contains("line 262 has no end and was left unread"))
        #expect(half.lastLine == "agree -/15 rejected 0")
        _ = try directory.write(text, to: "dpkg.log")
        #expect(try run("dpkg-replay", [log, "--archive", archive]).status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == Self.whole(Self.sample))
    }

    @Test("Unknown lines are counted and named, and the rest is read")
    func unknownWords() throws {
        let directory = try TemporaryDirectory()
        let text = try String(contentsOfFile: Self.sample, encoding: .utf8)
        let strange =
            "2025-02-03 09:12:41 reticulate splines\nnot a line\n\n2025-02-03 status installed a 1\n"
            + "2025-02-03 09:12:41 status installed a\n2025-02-03 09:12:41 status  installed a 1\n\u{0}\u{0}\n"
        let log = try directory.write(strange + text + strange, to: "dpkg.log")
        let result = try run("dpkg-replay", [log, "--status", Self.status])
        #expect(result.status == 0)
        #expect(result.output.contains("14 not understood"))
        #expect(result.output.contains("line 1 is not understood: 2025-02-03 09:12:41 reticulate splines"))
        #expect(result.lastLine == "agree 15/15 rejected 0")
    }

    @Test("A name that gains an architecture stays the same package")
    func names() throws {
        let directory = try TemporaryDirectory()
        let log = try directory.write(
            """
            2012-01-01 10:00:00 startup archives unpack
            2012-01-01 10:00:00 status installed dpkg 1.15
            2012-01-02 10:00:00 startup archives unpack
            2012-01-02 10:00:00 upgrade dpkg:amd64 1.15 1.16
            2012-01-02 10:00:00 status half-configured dpkg:amd64 1.15
            2012-01-02 10:00:00 status unpacked dpkg:amd64 1.15
            2012-01-02 10:00:00 status half-installed dpkg:amd64 1.15
            2012-01-02 10:00:00 status unpacked dpkg:amd64 1.16

            """,
            to: "dpkg.log"
        )
        let status = try directory.write(
            "Package: dpkg\nStatus: install ok unpacked\nArchitecture: amd64\nVersion: 1.16\n",
            to: "status"
        )
        #expect(try run("dpkg-replay", [log, "--status", status]).lastLine == "agree 1/1 rejected 0")
    }

    @Test("A file that is not a log of dpkg is refused with one sentence")
    func noLog() throws {
        let directory = try TemporaryDirectory()
        let binary = directory.file("binary")
        try Data((0..<100_000).map { _ in UInt8.random(in: 0...255) }).write(to: URL(fileURLWithPath: binary))
        let paths = [
            try directory.write("Once upon a time\nthere was a text.\n", to: "text"),
            try directory.write("Once upon a time", to: "half"),
            try directory.write(String(repeating: "no log\n", count: 500), to: "long"),
            try directory.write("\u{1F}\u{8B}", to: "unicode"),
            try directory.write(String(repeating: "x", count: 1 << 20), to: "one-line"),
            binary, directory.path, directory.file("missing"), "/dev/null/x",
        ]
        for path in paths {
            let result = try run("dpkg-replay", [path])
            #expect(result.status == 2, "\(path)")
            #expect(result.output.isEmpty, "\(path)")
            #expect(result.errors.hasPrefix("heraclitus-dpkg-replay: \(path) "), "\(path): \(result.errors)")
            #expect(result.errors.filter { $0 == "\n" }.count == 1, "\(path): \(result.errors)")
        }
        try Data([0x1F, 0x8B, 8, 0, 0]).write(to: URL(fileURLWithPath: directory.file("dpkg.log.2.gz")))
        let damaged = try run("dpkg-replay", [directory.file("dpkg.log.2.gz")])
        #expect(damaged.errors.contains("gzip found that it is damaged"))
        #expect(damaged.status == 2 && damaged.output.isEmpty)
        try Data([0xFD, 0x37, 0x7A, 0x58]).write(to: URL(fileURLWithPath: directory.file("dpkg.log.3.xz")))
        let compressed = try run("dpkg-replay", [directory.file("dpkg.log.3.xz")])
        #expect(compressed.errors.contains("is compressed"))
        #expect(compressed.status == 2)
    }

    @Test("An empty log is a log that was just rotated")
    func empty() throws {
        let directory = try TemporaryDirectory()
        let result = try run("dpkg-replay", [directory.write("", to: "dpkg.log")])
        #expect(result.status == 0)
        #expect(result.lastLine == "agree -/0 rejected 0")
    }

    @Test(
        "Wrong arguments are refused with one sentence and the usage",
        arguments: [
            ["--status"], ["--stop-after", "x", sample], ["--stop-after", "-1", sample], ["--what"],
            ["--package", "", sample], ["--limit", "many", sample], ["--checkpoint", "1.5", sample],
            ["--json", "--package", "calc", sample],
        ]
    )
    func wrongArguments(_ arguments: [String]) throws {
        let result = try run("dpkg-replay", arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("heraclitus-dpkg-replay: "))
        #expect(result.errors.contains("\nusage: heraclitus-dpkg-replay"))
    }

    @Test(
        "Wrong files are refused with one sentence",
        arguments: [[sample, sample], ["--status", "/nowhere", sample], ["--status", sample, sample]]
    )
    func wrongFiles(_ arguments: [String]) throws {
        let result = try run("dpkg-replay", arguments)
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("heraclitus-dpkg-replay: "))
        #expect(result.errors.filter { $0 == "\n" }.count == 1)
    }

    @Test("The interval of checkpoints may be huge", arguments: ["10000000000000000", "\(Int.max)"])
    func lateCheckpoint(seconds: String) throws {
        let directory = try TemporaryDirectory()
        let result = try run(
            "dpkg-replay",
            [Self.sample, "--archive", directory.file("archive"), "--checkpoint", seconds]
        )
        #expect(result.status == 0 && result.errors == "")
    }

    @Test("The help lists every option")
    func help() throws {
        let result = try run("dpkg-replay", ["--help"])
        #expect(result.status == 0)
        for option in [
            "--status", "--archive", "--checkpoint", "--stop-after", "--package", "--limit", "--verbose", "--json",
            "Exit status",
        ] { #expect(result.output.contains(option)) }
    }

    /// Runs the program on a text.
    static func replayed(_ log: String, in directory: TemporaryDirectory, _ more: String...) throws -> Run {
        try run("dpkg-replay", [directory.write(log, to: "dpkg.log")] + more)
    }
}
