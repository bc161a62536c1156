import Foundation
import Heraclitus
import Testing

@testable import DpkgReplayExample

@Suite("dpkg-replay: real logs") struct ScenarioTests {
    /// The disagreements of a replay with dpkg: rejected lines, and packages with another end.
    static func objections(_ log: String, status: String) throws -> [String] {
        let directory = try TemporaryDirectory()
        let database = try StatusDatabase(path: directory.write(status, to: "status"))
        let replay = replay(log)
        return replay.rejections.map { "line \($0.place.line): \($0.place.text): \($0.error)" }
            + replay.damages.map { "line \($0.place.line): \($0.place.text)" }
            + replay.packages.known.compactMap { database.difference(from: $0) }
    }

    @Test(
        "Each life under dpkg is accepted, and ends where dpkg ended",
        arguments: Scenario.all(in: "Scenarios.txt")
    )
    func scenario(_ scenario: Scenario) throws {
        #expect(try Self.objections(scenario.log, status: scenario.status) == [])
    }

    @Test("Each life under an old dpkg, which repeats lines, is accepted", arguments: Scenario.all(in: "Legacy.txt"))
    func legacy(_ scenario: Scenario) throws {
        #expect(try Self.objections(scenario.log, status: scenario.status) == [])
    }

    @Test("The replay accepts long random lives of packages", arguments: Scenario.all(in: "Random.txt"))
    func random(_ scenario: Scenario) throws {
        #expect(try Self.objections(scenario.log, status: scenario.status) == [])
    }

    @Test("The files have all recorded scenarios")
    func files() {
        #expect(Scenario.all(in: "Scenarios.txt").count == 139)
        #expect(Scenario.all(in: "Legacy.txt").count == 25)
        #expect(Scenario.all(in: "Random.txt").count == 12)
    }

    @Test(
        "A log that was cut anywhere, as rotation does, has nothing to reject",
        arguments: Scenario.all(in: "Random.txt")
    )
    func rotated(_ scenario: Scenario) throws {
        let lines = scenario.log.split(separator: "\n")
        for start in stride(from: 1, to: lines.count, by: 17) {
            let rest = lines[start...].map { $0 + "\n" }.joined()
            for rejection in replay(rest).rejections {
                Issue.record("from \(start), line \(rejection.place.line): \(rejection.place.text): \(rejection.error)")
            }
        }
    }

    @Test(
        "A whole machine's log agrees in every package",
        .enabled(if: FileManager.default.fileExists(atPath: realLog))
    )
    func wholeMachine() throws {
        let result = try run("dpkg-replay", [realLog, "--status", realStatus])
        #expect(result.status == 0)
        #expect(result.lastLine == "agree 623/623 rejected 0")
        #expect(result.output.contains("4832 lines, 623 packages, "))
    }
}

/// A whole machine's log, which is too large to be kept here.
let realLog = packageFolder + "/../shared/data/dpkg/dpkg.log"
let realStatus = packageFolder + "/../shared/data/dpkg/status"

/// Replays a text.
func replay(_ text: String) -> Replay {
    var replay = Replay()
    let bytes = Array(text.utf8)
    for line in bytes.indices.split(omittingEmptySubsequences: false, whereSeparator: { bytes[$0] == 10 }).dropLast() {
        replay.read(bytes, line.startIndex..<line.endIndex)
    }
    return replay
}
