import Heraclitus

// The states of a package according to dpkg(1), with the replay's knowledge of the package.

/// The name of a state in dpkg's log and database.
enum Status: String, Codable, Sendable, CaseIterable {
    case notInstalled = "not-installed"
    case configFiles = "config-files"
    case halfInstalled = "half-installed"
    case unpacked = "unpacked"
    case halfConfigured = "half-configured"
    case triggersAwaited = "triggers-awaited"
    case triggersPending = "triggers-pending"
    case installed = "installed"

    /// The class of the state's objects.
    var state: PackageState.Type {
        switch self {
        case .notInstalled: NotInstalledState.self
        case .configFiles: ConfigFilesState.self
        case .halfInstalled: HalfInstalledState.self
        case .unpacked: UnpackedState.self
        case .halfConfigured: HalfConfiguredState.self
        case .triggersAwaited: TriggersAwaitedState.self
        case .triggersPending: TriggersPendingState.self
        case .installed: InstalledState.self
        }
    }
}

/// The knowledge of a package in a state.
struct Facts: Codable, Sendable {
    /// `libc6:amd64`; names in old logs lack the architecture.
    var package: String
    /// `nil` where dpkg writes `<none>`.
    var version: String?
    /// Whether the state came with another version than before.
    var isOtherVersion = false
    /// The entry into the state according to the log, in local time.
    var since: Timestamp
    /// The line of the entry, counted from the beginning of the first log.
    var line: Int
    /// The run of dpkg that entered the state.
    var run: Run
    /// The previous state, if it is known.
    var cameFrom: Status?
    /// How often the log has repeated the state.
    var repeats = 0
    /// The number of state changes.
    var changes = 0
    /// dpkg's last announced action for the package.
    var action: Action?
}

/// An action line, in which dpkg announces its next step for a package.
final class Action: Codable, Sendable {
    enum Kind: String, Codable, Sendable, CaseIterable {
        case install
        case upgrade
        case configure
        case trigproc
        case remove
        case purge
        case disappear
    }

    let kind: Kind
    /// The current version; `nil` for `<none>`.
    let old: String?
    /// The planned version, if it differs.
    let new: String?
    let line: Int
    /// The run of dpkg that announced the action; the action does not apply to later runs.
    let run: Int

    init(kind: Kind, old: String?, new: String?, line: Int, run: Int) {
        self.kind = kind
        self.old = old
        self.new = new
        self.line = line
        self.run = run
    }
}

/// One run of dpkg, from its `startup` line to the next.
struct Run: Codable, Sendable {
    enum Purpose: String, Codable, Sendable {
        /// The log lacks the beginning: it was rotated or damaged, or dpkg is older than 1.14.17.
        case unknown
        /// `startup archives …` installs, upgrades and configures, and removes packages in the way.
        case archives
        /// `startup packages configure` and `startup packages triggers-only`.
        case configuration
        /// `startup packages remove` and `startup packages purge`.
        case removal
    }

    var number = 0
    var purpose = Purpose.unknown

    /// Whether dpkg has announced an unpacking and not begun it.
    ///
    /// Only then it deconfigures and removes packages in the way, without lines.
    var isPreparing = false

    /// Whether the log has the beginning of the run, and so all its actions.
    var isKnown: Bool { purpose != .unknown }

    /// Whether the run works on installed packages, so that none is in the way of another.
    var isOfPackages: Bool { purpose == .configuration || purpose == .removal }

    /// Whether a run of this kind can do the action: archives install packages, and names remove them.
    func allows(_ kind: Action.Kind) -> Bool {
        switch purpose {
        case .unknown: true
        case .archives: kind != .remove
        case .configuration: kind == .configure || kind == .trigproc
        case .removal: kind == .remove || kind == .purge || kind == .trigproc
        }
    }
}

/// A state of a package.
///
/// Unchecked because of subclasses; all properties are constants.
class PackageState: WorkflowState, @unchecked Sendable {
    class var name: String { "any" }

    /// The state's name in the log; `nil` for the state without a name.
    class var status: Status? { Status(rawValue: name) }

    let facts: Facts

    required init(_ facts: Facts) { self.facts = facts }

    var status: Status? { Self.status }

    /// The states with names in the log.
    static let all: [PackageState.Type] = Status.allCases.map(\.state)

    /// The action that this run of dpkg has announced for the package, if any.
    func ownAction(in run: Run) -> Action? { facts.action.flatMap { $0.run == run.number ? $0 : nil } }
}

/// The log has only an announcement for the package.
final class UnseenState: PackageState, @unchecked Sendable {
    override class var name: String { "unseen" }
    override class var status: Status? { nil }
}

final class NotInstalledState: PackageState, @unchecked Sendable {
    override class var name: String { "not-installed" }
    override class var status: Status? { .notInstalled }
}

final class ConfigFilesState: PackageState, @unchecked Sendable {
    override class var name: String { "config-files" }
    override class var status: Status? { .configFiles }
}

final class HalfInstalledState: PackageState, @unchecked Sendable {
    override class var name: String { "half-installed" }
    override class var status: Status? { .halfInstalled }

    /// Whether a version may be unpacked now: the announced version, or the old version again.
    func mayUnpack(_ version: String?, under action: Action?) -> Bool {
        version == facts.version || action == nil || version == action?.new
    }
}

final class UnpackedState: PackageState, @unchecked Sendable {
    override class var name: String { "unpacked" }
    override class var status: Status? { .unpacked }

    /// Whether the old version was restored because the new one failed to unpack.
    var isPutBack: Bool { facts.cameFrom == .halfInstalled && !facts.isOtherVersion }

    /// Whether this is the old version, which an upgrade deconfigures before it unpacks the new version.
    var isOldVersion: Bool { facts.cameFrom == .halfConfigured }
}

final class HalfConfiguredState: PackageState, @unchecked Sendable {
    override class var name: String { "half-configured" }
    override class var status: Status? { .halfConfigured }

    /// Whether dpkg deconfigured the package because its new version conflicts with a dependency.
    var isOwnConflict: Bool {
        [.unpacked, .halfInstalled, .configFiles].contains(facts.cameFrom)
    }
}

final class TriggersAwaitedState: PackageState, @unchecked Sendable {
    override class var name: String { "triggers-awaited" }
    override class var status: Status? { .triggersAwaited }
}

final class TriggersPendingState: PackageState, @unchecked Sendable {
    override class var name: String { "triggers-pending" }
    override class var status: Status? { .triggersPending }
}

final class InstalledState: PackageState, @unchecked Sendable {
    override class var name: String { "installed" }
    override class var status: Status? { .installed }
}
