import Foundation
import Testing

@testable import DpkgReplay

@Suite("dpkg-replay: altered logs") struct AlterationTests {
    /// The pairs of neighbouring states that dpkg can bring about. Written down here once more, from dpkg(1) and the places
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

    /// What dpkg does only when something fails and it puts back what was: lawful, but never in a log of successes.
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

    /// A log with one status line dropped, swapped with the package's next, doubled or forged.
    static func altered(_ lines: [String], _ random: inout some RandomNumberGenerator) -> [String] {
        let statusLines = lines.indices.filter { lines[$0].contains(" status ") }
        var lines = lines
        guard let index = statusLines.randomElement(using: &random) else { return lines }
        var fields = lines[index].split(separator: " ").map(String.init)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            lines.remove(at: index)
        case 1:
            let next = statusLines.first { $0 > index && lines[$0].contains(" \(fields[4]) ") }
            if let next { lines.swapAt(index, next) }
        case 2:
            lines.insert(lines[index], at: index)
        default:
            fields[3] = states.filter { $0 != fields[3] }.randomElement(using: &random) ?? ""
            lines[index] = fields.joined(separator: " ")
        }
        return lines
    }

    /// Alters a log many times and looks whether what is unlawful is rejected.
    /// - Parameters:
    ///   - packagesAtOnce: How many of its packages, chosen anew each time, the replayed part of the log is about.
    /// - Returns: How many alterations were unlawful.
    static func check(_ log: String, times: Int, packagesAtOnce: Int = .max, onlySuccesses: Bool) throws -> Int {
        let lines = log.split(separator: "\n").map(String.init)
        let pairs = onlySuccesses ? lawful.subtracting(onlyInFailures) : lawful
        #expect(unlawfulLines(lines, by: pairs) == [])
        let packages = Set(lines.compactMap(package))
        var random = SystemRandomNumberGenerator()
        var unlawful = 0
        for _ in 0..<times {
            let chosen = Set(packages.shuffled(using: &random).prefix(packagesAtOnce))
            let part = lines.filter { package(of: $0).map(chosen.contains) ?? true }
            let altered = altered(part, &random)
            let expected = unlawfulLines(altered, by: pairs)
            let rejected = try replay(altered.joined(separator: "\n") + "\n").rejections.map(\.line)
            for line in Set(expected).subtracting(rejected) {
                Issue.record("line \(line) is not rejected: \(altered[line - 1])")
            }
            unlawful += expected.isEmpty ? 0 : 1
        }
        return unlawful
    }

    /// The package that a line is about, if it is about one.
    static func package(of line: String) -> String? {
        let fields = line.split(separator: " ").map(String.init)
        guard fields.count == 6 else { return nil }
        return fields[2] == "status" ? fields[4] : fields[3]
    }

    @Test("In the sample, each alteration to an unlawful pair is rejected at that line")
    func sample() throws {
        let log = try String(contentsOfFile: packageFolder + "/Examples/DpkgReplay/Sample/dpkg.log", encoding: .utf8)
        #expect(try Self.check(log, times: 300, onlySuccesses: false) > 50)
    }

    @Test("So it is in long random lives", arguments: Scenario.all(in: "Random.txt"))
    func random(_ scenario: Scenario) throws {
        // A package that changes its architecture changes its name, which this test's own reading does not follow.
        let lines = scenario.log.split(separator: "\n").map(String.init)
        let names = Dictionary(grouping: Set(lines.compactMap(Self.package))) { $0.split(separator: ":")[0] }
        let log = lines.filter { line in
            Self.package(of: line).map { names[$0.split(separator: ":")[0]]?.count == 1 } ?? true
        }
        #expect(try Self.check(log.joined(separator: "\n"), times: 40, onlySuccesses: false) > 2)
    }

    @Test(
        "So it is in a whole machine's log, where nothing failed and no rollback is taken for an excuse",
        .enabled(if: FileManager.default.fileExists(atPath: realLog))
    )
    func wholeMachine() throws {
        let log = try String(contentsOfFile: realLog, encoding: .utf8)
        #expect(try Self.check(log, times: 400, packagesAtOnce: 25, onlySuccesses: true) > 80)
    }
}
