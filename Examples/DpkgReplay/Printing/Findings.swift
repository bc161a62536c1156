/// The results of a replay, for all reports.
struct Findings {
    struct Difference: Encodable {
        let package: String
        let difference: String
    }

    let replay: Replay
    let logs: [String]
    let database: StatusDatabase?
    /// Whether the last log ends in the middle of a line.
    let isHalf: Bool
    let limit: Int

    /// The packages with their states, sorted by name.
    let states: [PackageState]
    let differences: [Difference]
    let countOfOthers: Int?

    init(_ replay: Replay, of logs: [String], against database: StatusDatabase?, isHalf: Bool, limit: Int) {
        self.replay = replay
        self.logs = logs
        self.database = database
        self.isHalf = isHalf
        self.limit = limit
        let states = replay.packages.known
        self.states = states
        differences = states.compactMap { state in
            database?.difference(from: state).map { Difference(package: state.facts.package, difference: $0) }
        }
        countOfOthers = database?.countOfOthers(than: states)
    }

    var progress: Progress { replay.progress }

    /// Whether the archive had results of earlier runs.
    var isResumed: Bool { replay.beginning.lines > 0 }

    /// The broken packages, with the worst first.
    var broken: [(status: Status, packages: [PackageState])] {
        let troubles: [Status] = [.halfInstalled, .halfConfigured, .unpacked, .triggersAwaited, .triggersPending]
        return troubles.compactMap { status in
            let packages = states.filter { $0.status == status }
            return packages.isEmpty ? nil : (status, packages)
        }
    }

    var changedMost: [PackageState] {
        Array(states.sorted { ($1.facts.changes, $0.facts.package) < ($0.facts.changes, $1.facts.package) }.prefix(10))
    }

    var counts: [(status: Status, count: Int)] {
        Status.allCases.map { status in (status, states.count { $0.status == status }) }
    }

    /// Whether this run and the current packages have no problems.
    var isWell: Bool { progress.rejections == replay.beginning.rejections && differences.isEmpty }
}
