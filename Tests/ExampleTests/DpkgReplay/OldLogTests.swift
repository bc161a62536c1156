import Foundation
import Testing

@testable import DpkgReplayExample

/// Excerpts made by hand after logs of other machines.
@Suite("dpkg-replay: old and damaged logs") struct OldLogTests {
    @Test("Logs of old versions of dpkg are accepted without leftover packages", arguments: Scenario.all(in: "Old.txt"))
    func old(_ scenario: Scenario) throws {
        #expect(try ScenarioTests.objections(scenario.log, status: scenario.status) == [])
        let names = replay(scenario.log).packages.known.filter { !($0 is NotInstalledState) }.map(\.facts.package)
        #expect(names.sorted() == scenario.packages.map { $0[0] }.sorted())
    }

    @Test("The folder has the excerpts")
    func files() { #expect(Scenario.all(in: "Old.txt").count == 5) }

    static let log = """
        2021-03-04 09:00:00 startup archives unpack
        2021-03-04 09:00:00 install sl:amd64 <none> 5.02-1
        2021-03-04 09:00:00 status half-installed sl:amd64 5.02-1
        2021-03-04 09:00:00 status unpacked sl:amd64 5.02-1
        2021-03-04 09:00:01 startup packages configure
        2021-03-04 09:00:01 configure sl:amd64 5.02-1 <none>
        2021-03-04 09:00:01 status half-configured sl:amd64 5.02-1
        2021-03-04 09:00:01 status installed sl:amd64 5.02-1

        """

    @Test(
        "The line behind NUL bytes is read, and lost lines cause no rejection",
        arguments: [1, 3_000, 70_000, 1 << 20]
    )
    func hole(of length: Int) throws {
        let directory = try TemporaryDirectory()
        let lines = Self.log.split(separator: "\n").map(String.init)
        let zeros = String(repeating: "\u{0}", count: length)
        // The line "startup" is there no more, and of the line "unpacked" only the beginning.
        let damaged =
            lines[..<3].joined(separator: "\n") + "\n2021-03-04 09:00:00 status unpa" + zeros
            + lines[5...].joined(separator: "\n") + "\n"
        let result = try DpkgReplayTests.replayed(damaged, in: directory)
        #expect(result.output.contains("line 4 is behind a hole of NUL bytes: lines may be missing there\n"))
        // The replay still sees that the package was never unpacked.
        #expect(result.output.contains("line 4: announced to be configured while it is half-installed: sl:amd64"))
        #expect(result.output.contains("\n6 lines, 1 packages, "))
        let whole =
            lines[..<4].joined(separator: "\n") + "\n" + zeros + lines[5...].joined(separator: "\n") + "\n"
        let accepted = try DpkgReplayTests.replayed(whole, in: directory)
        #expect(accepted.status == 0 && accepted.lastLine == "agree -/1 rejected 0")
        #expect(accepted.output.contains("0 not understood"))
    }

    @Test("A log with the line ends of Windows has the same report")
    func carriageReturns() throws {
        let directory = try TemporaryDirectory()
        let run = try DpkgReplayTests.replayed(Self.log.replacing("\n", with: "\r\n"), in: directory)
        #expect(run.status == 0)
        #expect(run.lastLine == "agree -/1 rejected 0")
        #expect(run.output.contains("8 lines, 1 packages, 4 transitions, 0 repeated, 0 not understood"))
    }

    @Test("A new architecture belongs to the package while the old one is installed")
    func otherInstance() throws {
        let log = """
            2014-06-02 08:00:00 startup archives unpack
            2014-06-02 08:00:00 upgrade libz:amd64 1.1 1.2
            2014-06-02 08:00:00 status half-configured libz:amd64 1.1
            2014-06-02 08:00:00 status unpacked libz:amd64 1.1
            2014-06-02 08:00:00 status half-installed libz:amd64 1.1
            2014-06-02 08:00:00 status unpacked libz:amd64 1.2
            2014-06-02 08:00:01 startup packages configure
            2014-06-02 08:00:01 configure libz:amd64 1.2 <none>
            2014-06-02 08:00:01 status half-configured libz:amd64 1.2
            2014-06-02 08:00:01 status installed libz:amd64 1.2
            2014-06-02 08:00:02 startup packages configure
            2014-06-02 08:00:02 configure libz:i386 1.2 <none>
            2014-06-02 08:00:02 status half-configured libz:i386 1.2
            2014-06-02 08:00:02 status installed libz:i386 1.2

            """
        let replay = replay(log)
        #expect(replay.rejections.isEmpty)
        #expect(replay.packages.known.map(\.facts.package) == ["libz:amd64", "libz:i386"])
    }
}
