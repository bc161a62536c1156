import Foundation

/// The report for programs: one JSON object.
struct JSONReport: Encodable {
    struct Counts: Encodable {
        let lines: Int
        let transitions: Int
        let repeated: Int
        let notUnderstood: Int
        let holes: Int
        let rejected: Int
    }

    struct Line: Encodable {
        let log: String
        let line: Int
        let text: String
        var time: String?
        var package: String?
        /// The problem, in a sentence.
        var problem: String
        /// The error of the state machine.
        var error: String?
    }

    struct Package: Encodable {
        let package: String
        let state: String
        let version: String?
        let since: String
        let changes: Int
    }

    struct Comparison: Encodable {
        let agree: Int
        let differences: [Findings.Difference]
        let notInLog: Int
    }

    private let logs: [String]
    /// The lines of this run.
    private let run: Counts
    /// The lines since the archive began; without an archive, the lines of this run.
    private let total: Counts
    private let packages: Int
    private let states: [String: Int]
    private let broken: [Package]
    private let changedMost: [Package]
    /// The first entries, limited by `--limit`.
    private let rejected: [Line]
    private let damaged: [Line]
    private let hasHalfLine: Bool
    private let comparison: Comparison?
    private let isWell: Bool

    init(_ findings: Findings) {
        let (now, before) = (findings.progress, findings.replay.beginning)
        logs = findings.logs
        total = Self.counts(now, since: Progress())
        run = Self.counts(now, since: before)
        packages = findings.states.count
        states = Dictionary(uniqueKeysWithValues: findings.counts.map { ($0.status.rawValue, $0.count) })
        broken = findings.broken.flatMap(\.packages).map(Self.package)
        changedMost = findings.changedMost.map(Self.package)
        rejected = findings.replay.rejections.map { rejection in
            var line = Self.line(rejection.place, rejection.sentence)
            line.package = rejection.package
            line.error = "\(rejection.error)"
            return line
        }
        damaged = findings.replay.damages.map { damage in
            Self.line(damage.place, damage.isHole ? "behind a hole of NUL bytes" : "not understood")
        }
        hasHalfLine = findings.isHalf
        comparison = findings.countOfOthers.map { others in
            Comparison(
                agree: findings.states.count - findings.differences.count,
                differences: findings.differences,
                notInLog: others
            )
        }
        isWell = findings.isWell
    }

    func print(to output: inout Output) throws(Refused) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            try output.line(String(decoding: encoder.encode(self), as: UTF8.self))
        } catch let error as Refused {
            throw error
        } catch {
            throw Refused("The report cannot be written as JSON: \(error)")
        }
    }

    private static func counts(_ now: Progress, since before: Progress) -> Counts {
        Counts(
            lines: now.lines - before.lines,
            transitions: now.transitions - before.transitions,
            repeated: now.repeats - before.repeats,
            notUnderstood: now.notUnderstood - before.notUnderstood,
            holes: now.holes - before.holes,
            rejected: now.rejections - before.rejections
        )
    }

    private static func package(_ state: PackageState) -> Package {
        Package(
            package: state.facts.package,
            state: type(of: state).name,
            version: state.facts.version,
            since: "\(state.facts.since)",
            changes: state.facts.changes
        )
    }

    private static func line(_ place: Place, _ problem: String) -> Line {
        Line(log: place.log, line: place.line, text: place.text, time: place.time.map { "\($0)" }, problem: problem)
    }
}
