import Heraclitus
import Synchronization

/// The life of the packages with one name, as reported by their machines.
final class Life: Sendable {
    /// An entry of the life.
    enum Chapter: Sendable {
        /// The package appears for the first time, or after a rejected line.
        case begins(PackageState)
        case goesOn(StateTransition)
        case rejected(Replay.Rejection)
    }

    let package: String
    private let lines = Mutex<[String]>([])

    init(of package: String) { self.package = package }

    func add(_ chapter: Chapter) {
        let line: String? =
            switch chapter {
            case .begins(let state) where state is UnseenState: nil
            case .begins(let state): Self.line(state, "", "is \(Self.words(state))")
            case .goesOn(let transition): Self.line(transition)
            case .rejected(let rejection): Self.line(rejection)
            }
        if let line { lines.withLock { $0.append(line) } }
    }

    func print(_ replay: Replay, to output: inout Output) throws {
        let states = replay.packages.known.filter {
            $0.facts.package == package || Packages.bare($0.facts.package) == package
        }
        guard !states.isEmpty else { throw Refused("The log knows no package \(package).") }
        for line in lines.withLock({ $0 }) { try output.line(line) }
        try output.line()
        for state in states {
            guard let machine = replay.packages[state.facts.package] else { continue }
            try output.line(String(decoding: try machine.archive(), as: UTF8.self))
        }
        try output.line()
    }

    private static func line(_ transition: StateTransition) -> String {
        guard let old = transition.source as? PackageState, let new = transition.destination as? PackageState else {
            return "\(transition)"
        }
        let at = transition.userInfo["line", as: Int.self] ?? new.facts.line
        let time = transition.userInfo["time", as: String.self] ?? "\(new.facts.since)"
        let change =
            if old is UnseenState, !(new is UnseenState) {
                "is \(words(new))"
            } else if type(of: old) != type(of: new) {
                "\(type(of: old).name) → \(words(new))"
            } else if let action = new.facts.action, action.line == at {
                "\(action.old ?? "<none>") → \(action.new ?? "<none>")"
            } else {
                words(new)
            }
        return row(at, time, new.facts.package, transition.event ?? "", change)
    }

    private static func line(_ rejection: Replay.Rejection) -> String {
        row(
            rejection.number,
            rejection.place.time?.description ?? "",
            rejection.package,
            "rejected",
            rejection.sentence
        )
    }

    private static func line(_ state: PackageState, _ event: String, _ change: String) -> String {
        row(state.facts.line, "\(state.facts.since)", state.facts.package, event, change)
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
