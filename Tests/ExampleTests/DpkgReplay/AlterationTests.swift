import Foundation
import Testing

@testable import DpkgReplayExample

@Suite("dpkg-replay: altered logs") struct AlterationTests {
    /// The pairs of neighbouring states that dpkg can bring about.
    ///
    /// Written down here once more, from dpkg(1) and the places
    /// in dpkg's sources that set a state, and not taken from the workflow.
    static let lawful: Set<String> = Set(
        """
        not-installed: not-installed half-installed
        config-files: config-files half-installed half-configured installed not-installed
        half-installed: half-installed unpacked config-files not-installed half-configured installed triggers-awaited
        unpacked: unpacked half-installed half-configured not-installed installed triggers-awaited
        half-configured: half-configured installed triggers-awaited unpacked half-installed not-installed
        triggers-awaited: triggers-awaited half-configured triggers-pending installed not-installed
        triggers-pending: triggers-pending half-configured triggers-awaited not-installed
        installed: installed half-configured triggers-pending triggers-awaited not-installed
        """.split(separator: "\n").flatMap { line in
            let parts = line.split(separator: ":")
            return parts[1].split(separator: " ").map { "\(parts[0]) \($0)" }
        }
    )

    /// Changes of dpkg's rollbacks after a failure: lawful, and absent from a log of successes.
    static let onlyInFailures: Set<String> = [
        "unpacked installed", "unpacked triggers-awaited", "half-installed installed",
        "half-installed triggers-awaited",
        "config-files installed", "config-files half-configured", "half-installed half-configured",
    ]

    static let states = [
        "not-installed", "config-files", "half-installed", "unpacked", "half-configured", "triggers-awaited",
        "triggers-pending", "installed",
    ]

    /// The numbers of the lines at which a package's neighbouring states are no pair of a set.
    static func unlawfulLines(_ lines: [String], by pairs: Set<String>) -> [Int] {
        var states: [String: String] = [:]
        var found: [Int] = []
        for (index, line) in lines.enumerated() {
            let fields = line.split(separator: " ").map(String.init)
            guard fields.count == 6, fields[2] == "status" else { continue }
            if let old = states[fields[4]], !pairs.contains("\(old) \(fields[3])") { found.append(index + 1) }
            states[fields[4]] = fields[3]
        }
        return found
    }

    /// A log in all ways in which one status line of it can be dropped, swapped with the package's next, doubled or forged.
    static func alterations(of lines: [String]) -> [[String]] {
        let statusLines = lines.indices.filter { lines[$0].contains(" status ") }
        return statusLines.enumerated().flatMap { number, index in
            var dropped = lines
            dropped.remove(at: index)
            var doubled = lines
            doubled.insert(lines[index], at: index)
            var swapped = lines
            if number + 1 < statusLines.count { swapped.swapAt(index, statusLines[number + 1]) }
            let forged = states.map { state in
                var fields = lines[index].split(separator: " ").map(String.init)
                fields[3] = state
                var forged = lines
                forged[index] = fields.joined(separator: " ")
                return forged
            }
            return [dropped, doubled, swapped] + forged
        }
    }

    /// Alters the lines of some packages in every way, and checks that each unlawful line is rejected.
    /// - Returns: How many alterations were unlawful.
    static func check(_ log: String, packagesAtMost count: Int = .max, onlySuccesses: Bool) throws -> Int {
        let lines = log.split(separator: "\n").map(String.init)
        let pairs = onlySuccesses ? lawful.subtracting(onlyInFailures) : lawful
        let packages = Dictionary(grouping: Set(lines.compactMap(package))) { $0.split(separator: ":")[0] }
        // A package that changes its architecture changes its name, which this test's own reading leaves out.
        let chosen = packages.values.filter { $0.count == 1 }.map { $0[0] }.shuffled().prefix(count)
        var unlawful = 0
        for name in chosen {
            let part = lines.filter { package(of: $0).map { $0 == name } ?? true }
            #expect(unlawfulLines(part, by: pairs) == [])
            for altered in alterations(of: part) {
                let expected = unlawfulLines(altered, by: pairs)
                guard !expected.isEmpty else { continue }
                let rejected = replay(altered.joined(separator: "\n") + "\n").rejections.map(\.place.line)
                for line in Set(expected).subtracting(rejected) {
                    Issue.record("line \(line) is not rejected: \(altered[line - 1])")
                }
                unlawful += 1
            }
        }
        return unlawful
    }

    /// The package that a line is about, if it is about one.
    static func package(of line: String) -> String? {
        let fields = line.split(separator: " ").map(String.init)
        guard fields.count == 6 else { return nil }
        return fields[2] == "status" ? fields[4] : fields[3]
    }

    @Test("In the sample, each alteration to a forbidden pair is rejected at its line")
    func sample() throws {
        let log = try String(contentsOfFile: packageFolder + "/Examples/DpkgReplay/Sample/dpkg.log", encoding: .utf8)
        #expect(try Self.check(log, onlySuccesses: false) > 500)
    }

    @Test("In random lives, each alteration to a forbidden pair is rejected", arguments: Scenario.all(in: "Random.txt"))
    func random(_ scenario: Scenario) throws {
        #expect(try Self.check(scenario.log, packagesAtMost: 1, onlySuccesses: false) > 0)
    }

    @Test(
        "In a whole machine's log of successes, each alteration to a forbidden pair is rejected at its line",
        .enabled(if: FileManager.default.fileExists(atPath: realLog))
    )
    func wholeMachine() throws {
        let log = try String(contentsOfFile: realLog, encoding: .utf8)
        #expect(try Self.check(log, packagesAtMost: 20, onlySuccesses: true) > 200)
    }
}
