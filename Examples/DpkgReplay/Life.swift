import Foundation
import Heraclitus
import Synchronization

/// The life of the packages of one name, as their machines tell it.
final class Life: Sendable {
    /// What there is to tell.
    enum Chapter: Sendable {
        /// The package is seen for the first time, or after a line that was rejected.
        case begins(PackageState)
        case goesOn(StateTransition)
        case rejected(Replay.Rejection)
    }

    let package: String
    private let lines = Mutex<[String]>([])

    init(of package: String) { self.package = package }

    func add(_ chapter: Chapter) {
        let line =
            switch chapter {
            case .begins(let state): Self.line(state, "", "is \(Self.words(state))")
            case .goesOn(let transition): Self.line(transition)
            case .rejected(let rejection): Self.line(rejection)
            }
        lines.withLock { $0.append(line) }
    }

    func printAll(_ replay: Replay) throws {
        let machines = replay.packages.values.filter { Replay.isNamed(package, $0.state.facts.package) }
        guard !machines.isEmpty else { throw Refused("The log knows no package \(package).") }
        for line in lines.withLock({ $0 }) { print(line) }
        print("")
        for machine in machines.sorted(by: { $0.state.facts.package < $1.state.facts.package }) {
            print(String(decoding: try machine.archive(), as: UTF8.self))
        }
        print("")
    }

    private static func line(_ transition: StateTransition) -> String {
        guard let old = transition.source as? PackageState, let new = transition.destination as? PackageState else {
            return "\(transition)"
        }
        let event = transition.event ?? ""
        let at = transition.userInfo["line", as: Int.self] ?? new.facts.line
        let text = transition.userInfo["text", as: String.self] ?? ""
        let change =
            if type(of: old) != type(of: new) {
                "\(type(of: old).name) → \(words(new))"
            } else if let action = new.facts.action, action.line == at {
                "\(action.old ?? "<none>") → \(action.new ?? "<none>")"
            } else {
                words(new)
            }
        return row(at, String(text.prefix(19)), new.facts.package, event, change)
    }

    private static func line(_ rejection: Replay.Rejection) -> String {
        row(rejection.line, String(rejection.text.prefix(19)), rejection.package, "rejected", "\(rejection.error)")
    }

    private static func line(_ state: PackageState, _ event: String, _ change: String) -> String {
        row(state.facts.line, state.facts.since, state.facts.package, event, change)
    }

    private static func words(_ state: PackageState) -> String {
        "\(type(of: state).name)\(state.facts.version.map { " " + $0 } ?? "")"
    }

    private static func row(_ line: Int, _ time: String, _ package: String, _ event: String, _ change: String) -> String
    {
        let number = String(repeating: " ", count: max(0, 6 - "\(line)".count)) + "\(line)"
        let padded = event + String(repeating: " ", count: max(0, 18 - event.count))
        return "\(number)  \(time)  \(package)  \(padded)  \(change)"
    }
}
