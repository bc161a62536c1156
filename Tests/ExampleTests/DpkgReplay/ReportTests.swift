import Foundation
import Testing

@Suite("dpkg-replay: report") struct ReportTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A package that is installed although it was never unpacked, so many times.
    private static func rejections(_ count: Int) -> String {
        "2025-01-01 10:00:00 startup archives install\n"
            + (1...count).map {
                "2025-01-01 10:00:00 install p\($0):all <none> 1\n2025-01-01 10:00:00 status installed p\($0):all 1\n"
            }.joined()
    }

    @Test("The exit status tells of rejected lines and of packages that disagree")
    func status() throws {
        let status = DpkgReplayTests.status
        #expect(try run("dpkg-replay", [DpkgReplayTests.sample, "--status", status]).status == 0)
        #expect(try run("dpkg-replay", [DpkgReplayTests.tamperedLog]).status == 1)
        let other = try String(contentsOfFile: status, encoding: .utf8).replacing("1.9-1", with: "1.9-2")
        let disagreeing = try run(
            "dpkg-replay",
            [DpkgReplayTests.sample, "--status", directory.write(other, to: "status")]
        )
        #expect(disagreeing.status == 1)
        #expect(disagreeing.output.contains("calc:amd64 ended as installed 1.9-1, dpkg says installed 1.9-2\n"))
        #expect(disagreeing.lastLine == "agree 14/15 rejected 0")
    }

    @Test("The report names broken packages before the most changed ones, the worst first")
    func broken() throws {
        let log = """
            2025-01-01 10:00:00 startup archives unpack
            2025-01-01 10:00:00 install done:all <none> 1
            2025-01-01 10:00:00 status half-installed done:all 1
            2025-01-01 10:00:00 status unpacked done:all 1
            2025-01-01 10:00:00 install half:all <none> 1
            2025-01-01 10:00:00 status half-installed half:all 1
            2025-01-01 10:00:01 startup archives unpack
            2025-01-01 10:00:01 install only-unpacked:all <none> 2
            2025-01-01 10:00:01 status half-installed only-unpacked:all 2
            2025-01-01 10:00:01 status unpacked only-unpacked:all 2
            2025-01-01 10:00:02 startup packages configure
            2025-01-01 10:00:02 configure done:all 1 <none>
            2025-01-01 10:00:02 status half-configured done:all 1
            2025-01-01 10:00:02 status installed done:all 1
            2025-01-01 10:00:02 status triggers-pending done:all 1

            """
        let run = try DpkgReplayTests.replayed(log, in: directory)
        #expect(run.status == 0)
        #expect(
            run.output.contains(
                """

                only half installed, because the installation or the removal did not end
                  half:all 1, since 2025-01-01 10:00:00

                unpacked and not configured yet
                  only-unpacked:all 2, since 2025-01-01 10:00:01

                with triggers that are still to be processed
                  done:all 1, since 2025-01-01 10:00:02

                changed most

                """
            )
        )
    }

    @Test("The report names as many as the limit, and counts all")
    func limit() throws {
        let log = Self.rejections(120) + String(repeating: "nonsense\n", count: 70)
        let usual = try DpkgReplayTests.replayed(log, in: directory)
        #expect(usual.output.matches(of: /configured without having been unpacked: p/).count == 50)
        #expect(usual.output.contains("\nand 70 more rejected lines; --limit 120 names them\n"))
        #expect(usual.output.matches(of: /is not understood/).count == 50)
        #expect(usual.output.contains("\nand 20 more damaged lines; --limit 70 names them\n"))
        #expect(usual.lastLine == "agree -/120 rejected 120")
        let all = try DpkgReplayTests.replayed(log, in: directory, "--limit", "120")
        #expect(all.output.matches(of: /configured without having been unpacked: p/).count == 120)
        #expect(!all.output.contains("more rejected"))
        let none = try DpkgReplayTests.replayed(log, in: directory, "--limit", "0")
        #expect(none.output.contains("\nand 120 more rejected lines; --limit 120 names them\n"))
    }

    @Test("The report counts packages of the database that the log omits")
    func others() throws {
        let status = try String(contentsOfFile: DpkgReplayTests.status, encoding: .utf8)
        let more = ["one", "two"].map { "\nPackage: \($0)\nStatus: install ok installed\nVersion: 1\n" }.joined()
        let gone = "\nPackage: three\nStatus: purge ok not-installed\n"
        let result = try run(
            "dpkg-replay",
            [DpkgReplayTests.sample, "--status", directory.write(status + more + gone, to: "status")]
        )
        #expect(result.status == 0)
        #expect(result.output.hasSuffix("\n2 packages of the database are not in the log\nagree 15/15 rejected 0\n"))
    }

    @Test("The JSON object has the content of the report")
    func json() throws {
        let result = try run(
            "dpkg-replay",
            [DpkgReplayTests.tamperedLog, "--status", DpkgReplayTests.status, "--json", "--limit", "3"]
        )
        #expect(result.status == 1)
        #expect(result.output.filter { $0 == "\n" }.count == 1)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        )
        #expect(report["isWell"] as? Bool == false)
        #expect(report["packages"] as? Int == 15)
        #expect((report["total"] as? [String: Int])?["rejected"] == 6)
        #expect((report["run"] as? [String: Int])?["lines"] == 260)
        #expect((report["states"] as? [String: Int])?["installed"] == 10)
        let rejected = try #require(report["rejected"] as? [[String: Any]])
        #expect(rejected.map { $0["line"] as? Int } == [36, 39, 112])
        #expect(
            rejected[0]["problem"] as? String
                == "installed without having been configured: editor:amd64 2:9.0.1378-2"
        )
        #expect(rejected[0]["package"] as? String == "editor:amd64")
        let comparison = try #require(report["comparison"] as? [String: Any])
        #expect(comparison["agree"] as? Int == 13)
        #expect((comparison["differences"] as? [[String: String]])?.count == 2)
    }

    @Test(
        "Control characters of a log never reach a terminal",
        arguments: [[], ["--verbose"], ["--json"], ["--package", "evil\u{1B}[31m:all"]]
    )
    func controlCharacters(_ options: [String]) throws {
        let nasty = "\u{1B}[31m\u{7}\u{9B}2J\u{202E}\u{7F}\u{2028}"
        let log = """
            2025-01-01 10:00:00 startup archives install
            2025-01-01 10:00:00 install evil\u{1B}[31m:all <none> 1\(nasty)
            2025-01-01 10:00:00 status installed evil\u{1B}[31m:all 1\(nasty)
            nonsense \(nasty)

            """
        let result = try run(
            "dpkg-replay",
            [directory.write(log, to: "dpkg\u{1B}.log"), "--status", directory.write("", to: "status")] + options
        )
        #expect(result.status == 1)
        #expect(result.output.contains("\\u001b[31m"))
        for scalar in result.output.unicodeScalars where scalar != "\n" {
            let category = scalar.properties.generalCategory
            #expect(category != .control && category != .format && category != .lineSeparator, "\(scalar.value)")
        }
        let refused = try run("dpkg-replay", ["/nowhere/\u{1B}[31m"])
        let text = "/nowhere/\\u001b[31m cannot be read: No such file or directory."
        #expect(refused.errors == "heraclitus-dpkg-replay: \(text)\n")
    }

    @Test(
        "A full disk under the report is an error",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))
    )
    func full() throws {
        for options in ["", "--json", "--help", "--package calc"] {
            let result = try run(
                "/bin/sh",
                ["-c", "'\(executable("dpkg-replay").path)' '\(DpkgReplayTests.sample)' \(options) > /dev/full"]
            )
            #expect(result.status == 2)
            let text = "The standard output cannot be written: No space left on device."
            #expect(result.errors == "heraclitus-dpkg-replay: \(text)\n")
        }
    }

    @Test("A resumed run names its counts, and ends with its own status")
    func resumed() throws {
        let archive = directory.file("archive")
        let first = try run("dpkg-replay", [DpkgReplayTests.tamperedLog, "--archive", archive, "--stop-after", "250"])
        #expect(first.status == 1 && !first.output.contains("in this run"))
        let second = try run("dpkg-replay", [DpkgReplayTests.tamperedLog, "--archive", archive])
        #expect(second.status == 1)
        #expect(
            second.output.contains(
                """
                line 260: removed without having been taken apart: backup-tool:all 1.0-1, 2025-02-21 10:01:14
                in this run 10 lines, 5 transitions, 0 repeated, 0 not understood, 1 rejected
                since the archive began
                260 lines, 15 packages, 144 transitions, 16 repeated, 1 not understood, 6 rejected

                """
            )
        )
        let third = try run("dpkg-replay", [DpkgReplayTests.tamperedLog, "--archive", archive])
        #expect(third.status == 0)
        #expect(third.output.contains("in this run 0 lines, 0 transitions, 0 repeated, 0 not understood, 0 rejected"))
        #expect(third.lastLine == "agree -/15 rejected 6")
    }
}
