import Foundation
import Testing

@Suite("dpkg-replay: logs") struct InputTests {
    private let directory: TemporaryDirectory
    private let text: String
    private let program = "'\(executable("dpkg-replay").path)'"

    init() throws {
        directory = try TemporaryDirectory()
        text = try String(contentsOfFile: DpkgReplayTests.sample, encoding: .utf8)
    }

    private func shell(_ command: String) throws -> Run {
        try run("/bin/bash", ["-c", command], in: directory.path)
    }

    /// The sample as `logrotate` would have left it: the newest in `dpkg.log`, the oldest compressed.
    private func rotate() throws {
        let lines = text.split(separator: "\n").map { $0 + "\n" }
        _ = try directory.write(lines[..<61].joined(), to: "dpkg.log.3")
        _ = try directory.write(lines[61..<140].joined(), to: "dpkg.log.2")
        _ = try directory.write(lines[140..<200].joined(), to: "dpkg.log.1")
        _ = try directory.write(lines[200...].joined(), to: "dpkg.log")
        #expect(try shell("gzip dpkg.log.3 dpkg.log.2").status == 0)
    }

    @Test(
        "A pipe, the standard input and a compressed file are read like a file",
        arguments: [
            "%program - < %sample", "cat %sample | %program -", "%program <(cat %sample)",
            "%program <(zcat dpkg.log.gz)",
            "%program dpkg.log.gz", "%program -- -", "mv dpkg.log.gz log && %program log",
        ]
    )
    func pipes(_ command: String) throws {
        #expect(try shell("gzip -c '\(DpkgReplayTests.sample)' > dpkg.log.gz").status == 0)
        let result = try shell(
            command.replacing("%program", with: program).replacing("%sample", with: "'\(DpkgReplayTests.sample)'")
                + (command.contains("--") ? " < '\(DpkgReplayTests.sample)'" : "")
        )
        #expect(result.status == 0 && result.errors == "")
        #expect(result.output.contains("\n262 lines, 15 packages, 155 transitions, 14 repeated"))
        #expect(result.lastLine == "agree -/15 rejected 0")
    }

    @Test("Several logs are read in the order of their times")
    func several() throws {
        try rotate()
        for arguments in [
            "dpkg.log*", "dpkg.log dpkg.log.1 dpkg.log.2.gz dpkg.log.3.gz",
            "<(zcat dpkg.log.2.gz) dpkg.log.1 dpkg.log dpkg.log.3.gz",
            "dpkg.log.1 - dpkg.log.2.gz dpkg.log < <(zcat dpkg.log.3.gz)",
        ] {
            let result = try shell("\(program) \(arguments) --status '\(DpkgReplayTests.status)'")
            #expect(result.status == 0, "\(arguments): \(result.errors)")
            #expect(result.lastLine == "agree 15/15 rejected 0")
            #expect(result.output.contains("\n262 lines, 15 packages"))
        }
        let twice = try shell("\(program) dpkg.log dpkg.log.1 dpkg.log")
        #expect(twice.status == 2 && twice.errors == "heraclitus-dpkg-replay: dpkg.log is given twice.\n")
    }

    @Test("A line of several logs is named with its log")
    func names() throws {
        let lines = try String(contentsOfFile: DpkgReplayTests.tamperedLog, encoding: .utf8).split(separator: "\n")
            .map { $0 + "\n" }
        _ = try directory.write(lines[..<140].joined(), to: "dpkg.log.1")
        _ = try directory.write(lines[140...].joined(), to: "dpkg.log")
        let result = try shell("\(program) dpkg.log dpkg.log.1")
        #expect(result.output.hasPrefix("dpkg.log.1\ndpkg.log\n\nline 118 of dpkg.log.1 is not understood"))
        #expect(result.output.contains("\nline 112 of dpkg.log.1: unpacked"))
        #expect(result.output.contains("\nline 2 of dpkg.log: unpacked without having been deconfigured: mailer:amd64"))
        #expect(result.lastLine == "agree -/15 rejected 6")
    }

    @Test("A line of 50 MB takes constant memory, and the next lines are read")
    func longLine() throws {
        let lines = text.split(separator: "\n").map { $0 + "\n" }
        let long = "2025-02-03 09:12:41 status installed " + String(repeating: "x", count: 50 << 20) + " 1\n"
        let log = try directory.write(lines[..<100].joined() + long + lines[100...].joined(), to: "dpkg.log")
        let result = try Self.measured(["dpkg-replay", log])
        #expect(
            result.run.output.contains("\n263 lines, 15 packages, 155 transitions, 14 repeated, 1 not understood, 0")
        )
        #expect(result.run.output.contains("\nline 101 is not understood: 2025-02-03 09:12:41 status installed xxx"))
        #expect(result.megabytes < 60)
    }

    @Test("A large log is read in constant memory, with the counts of Python")
    func large() throws {
        let (small, log) = (directory.file("small.log"), directory.file("dpkg.log"))
        try SyntheticLog.write(lines: 10_000, to: small)
        try SyntheticLog.write(lines: 80_000, to: log)
        let base = try Self.measured(["dpkg-replay", small]).megabytes
        let result = try Self.measured(["dpkg-replay", log])
        #expect(result.run.status == 0)
        #expect(result.run.lastLine == "agree -/300 rejected 0")
        #expect(result.megabytes < base + 10)
        let python = try run("/usr/bin/env", ["python3", Self.script, log])
        // Both reports count the same lines, packages, changes and repetitions.
        let counts = try #require(python.output.split(separator: ", 0 not").first)
        #expect(result.run.output.contains("\n\(counts)"))
    }

    @Test(
        "The program takes at most 1.5 times as long as Python",
        .enabled(if: ProcessInfo.processInfo.environment["DPKG_REPLAY_RELEASE"] != nil)
    )
    func pace() throws {
        let program = try #require(ProcessInfo.processInfo.environment["DPKG_REPLAY_RELEASE"])
        let log = directory.file("dpkg.log")
        try SyntheticLog.write(lines: 1_000_000, to: log)
        /// The processor time of finished child processes, which other programs leave alone.
        func computed() -> Double {
            var usage = rusage()
            // RUSAGE_CHILDREN, which each system's C library gives another type.
            #expect(unsafe getrusage(-1, &usage) == 0)
            var seconds = Double(usage.ru_utime.tv_sec) + Double(usage.ru_stime.tv_sec)
            seconds += Double(usage.ru_utime.tv_usec) / 1e6
            return seconds + Double(usage.ru_stime.tv_usec) / 1e6
        }
        func seconds(_ body: () throws -> Run) throws -> Double {
            let start = computed()
            #expect(try body().status == 0)
            return computed() - start
        }
        // A busy machine makes a run longer, never shorter: the least time of several runs is nearest to the program's.
        var (ours, pythons) = (Double.infinity, Double.infinity)
        for _ in 0..<7 {
            ours = min(ours, try seconds { try run(program, [log]) })
            pythons = min(pythons, try seconds { try run("/usr/bin/env", ["python3", Self.script, log]) })
        }
        print("dpkg-replay takes \(ours) s, and Python \(pythons) s")
        #expect(ours / pythons <= 1.5)
    }

    private static let script = packageFolder + "/Tests/ExampleTests/DpkgReplay/line_by_line.py"

    /// Runs a program, and sees how much memory it takes at most.
    static func measured(_ arguments: [String]) throws -> (run: Run, megabytes: Int) {
        let code = """
            import resource, subprocess, sys
            code = subprocess.run(sys.argv[1:]).returncode
            unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // unit, file=sys.stderr)
            sys.exit(code)
            """
        let run = try run(
            "/usr/bin/env",
            ["python3", "-c", code, executable(arguments[0]).path] + arguments.dropFirst()
        )
        return (run, try #require(Int(run.errors.split(separator: "\n").last ?? "")))
    }
}

/// A log as long as one likes, of a machine whose packages are installed and upgraded by dozens.
enum SyntheticLog {
    static func write(lines count: Int, to path: String) throws {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let file = try #require(FileHandle(forWritingAtPath: path))
        var text = ""
        var (lines, round) = (0, 0)
        var versions: [String: String] = [:]
        func add(_ line: String) {
            text += "2025-03-04 10:20:30 \(line)\n"
            lines += 1
        }
        while lines < count {
            let names = (0..<30).map { "lib-of-\((round * 30 + $0) % 300):\($0 % 3 == 0 ? "all" : "amd64")" }
            round += 1
            add("startup archives unpack")
            for name in names {
                let new = "1:2.\(round)-3+deb12u1"
                if let old = versions[name] {
                    add("upgrade \(name) \(old) \(new)")
                    add("status half-configured \(name) \(old)")
                    add("status unpacked \(name) \(old)")
                    add("status half-installed \(name) \(old)")
                } else {
                    add("install \(name) <none> \(new)")
                    add("status half-installed \(name) \(new)")
                }
                add("status unpacked \(name) \(new)")
                versions[name] = new
            }
            add("startup packages configure")
            for name in names {
                let version = versions[name] ?? ""
                add("configure \(name) \(version) <none>")
                add("status unpacked \(name) \(version)")
                add("status half-configured \(name) \(version)")
                add("status installed \(name) \(version)")
            }
            try file.write(contentsOf: Data(text.utf8))
            text = ""
        }
        try file.close()
    }
}
