import Foundation
import Heraclitus

/// What the tool prints of a replay.
struct Report {
    let replay: Replay
    let database: StatusDatabase?

    private var states: [PackageState] { replay.packages.values.map(\.state) }

    private var differences: [(package: String, difference: String)] {
        guard let database else { return [] }
        return states.sorted { $0.facts.package < $1.facts.package }.compactMap { state in
            database.difference(from: state).map { (state.facts.package, $0) }
        }
    }

    func printRejections() {
        for (line, text) in replay.notUnderstood { print("line \(line) is not understood: \(text)") }
        for rejection in replay.rejections {
            print("line \(rejection.line) is rejected: \(rejection.text)")
            print("    \(rejection.error)")
        }
    }

    func printSummary() {
        let progress = replay.progress
        print(
            "\(progress.lines) lines, \(replay.packages.count) packages, \(progress.transitions) transitions, "
                + "\(progress.repeats) repeated, \(progress.notUnderstood) not understood, \(progress.rejections) rejected"
        )
        print("\npackages per state")
        let counts = Dictionary(grouping: states) { type(of: $0).name }.mapValues(\.count)
        for state in PackageState.all {
            print("  \(Self.pad(state.name, 18))\(Self.pad(counts[state.name] ?? 0, 6))")
        }
        print("\nchanged most")
        let most = states.sorted {
            ($1.facts.changes, $0.facts.package) < ($0.facts.changes, $1.facts.package)
        }
        for state in most.prefix(10) {
            print("\(Self.pad(state.facts.changes, 6))  \(state.facts.package)")
        }
        print("")
    }

    func printComparison() {
        for (package, difference) in differences { print("\(package) \(difference)") }
    }

    func printLastLine() {
        let agree = database.map { _ in "\(replay.packages.count - differences.count)" } ?? "-"
        print("agree \(agree)/\(replay.packages.count) rejected \(replay.progress.rejections)")
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func pad(_ number: Int, _ width: Int) -> String {
        let text = "\(number)"
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
