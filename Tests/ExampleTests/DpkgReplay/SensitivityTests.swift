import Foundation
import Testing

@testable import DpkgReplayExample

/// Missing and swapped lines that the replay notices: the table of the README.
@Suite("dpkg-replay: noticed mistakes") struct SensitivityTests {
    struct Tally {
        var count = 0
        var rejected = 0
        /// The noticed lines with the help of the database.
        var noticed = 0
    }

    private struct Log {
        let lines: [String]
        let database: StatusDatabase
    }

    private static func logs() throws -> [Log] {
        let directory = try TemporaryDirectory()
        let chosen = ["fuzzC_nokill_502_12", "fuzz_nokill_501_11"]
        let random = try Scenario.all(in: "Random.txt").filter { chosen.contains($0.name) }.map { scenario in
            Log(
                lines: scenario.log.split(separator: "\n").map(String.init),
                database: try StatusDatabase(path: directory.write(scenario.status, to: "status"))
            )
        }
        let sample = try String(contentsOfFile: DpkgReplayTests.sample, encoding: .utf8)
        return try random + [
            Log(
                lines: sample.split(separator: "\n").map(String.init),
                database: StatusDatabase(path: DpkgReplayTests.status)
            )
        ]
    }

    /// All ways in which one thing can be wrong with a log, each with its name.
    private static func mutations(of lines: [String]) -> [(name: String, lines: [String])] {
        var mutations: [(String, [String])] = []
        var states: [String: String] = [:]
        var last: [String: Int] = [:]
        for (index, line) in lines.enumerated() {
            let fields = line.split(separator: " ").map(String.init)
            var dropped: [String] { lines.enumerated().filter { $0.offset != index }.map(\.element) }
            if Action.Kind(rawValue: fields[2]) != nil { mutations.append(("`\(fields[2])` dropped", dropped)) }
            guard fields[2] == "status", states[fields[4]] != fields[3] else { continue }
            states[fields[4]] = fields[3]
            mutations.append(("a change of state dropped", dropped))
            if let before = last[fields[4]] {
                var swapped = lines
                var other = lines[before].split(separator: " ").map(String.init)
                var own = fields
                (other[3], own[3]) = (own[3], other[3])
                swapped[before] = other.joined(separator: " ")
                swapped[index] = own.joined(separator: " ")
                mutations.append(("two states of a package swapped", swapped))
            }
            last[fields[4]] = index
        }
        return mutations
    }

    @Test("The README's table has the counts, and the replay notices each missing action that dpkg always announces")
    func table() throws {
        var tallies: [String: Tally] = [:]
        for log in try Self.logs() {
            for (name, lines) in Self.mutations(of: log.lines) {
                let replay = replay(lines.joined(separator: "\n") + "\n")
                let disagrees = replay.packages.known.contains { log.database.difference(from: $0) != nil }
                tallies[name, default: Tally()].count += 1
                if !replay.rejections.isEmpty { tallies[name]?.rejected += 1 }
                if !replay.rejections.isEmpty || disagrees { tallies[name]?.noticed += 1 }
            }
        }
        let readme = try String(contentsOfFile: packageFolder + "/Examples/DpkgReplay/README.md", encoding: .utf8)
        for (name, tally) in tallies {
            let row = "| \(name) | \(tally.rejected) of \(tally.count) | \(tally.noticed) of \(tally.count) |"
            #expect(readme.contains(row), "\(row)")
        }
        for kind in ["install", "configure", "remove"] {
            let tally = try #require(tallies["`\(kind)` dropped"])
            #expect(Double(tally.rejected) >= 0.95 * Double(tally.count), "\(kind)")
        }
        let changes = try #require(tallies["a change of state dropped"])
        #expect(Double(changes.rejected) >= 0.7 * Double(changes.count))
    }
}
