import Heraclitus

// The states of a package, as dpkg(1) documents them, and what is known of a package while it is in one.

/// What dpkg's log and its database call a state.
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

/// What is known of a package while it is in a state.
struct Facts: Codable, Sendable {
    /// `libc6:amd64`; old logs have names without an architecture.
    var package: String
    /// `nil` where dpkg writes `<none>`.
    var version: String?
    /// Whether the state came with another version than was there before.
    var isOtherVersion = false
    /// When the state was entered, as the log has it: local time.
    var since: Timestamp
    /// On which line it was entered, counted from the beginning of the first log.
    var line: Int
    /// In which run of dpkg it was entered.
    var run: Run
    /// The state before this one, if that is known.
    var cameFrom: Status?
    /// How often the log has said so once more.
    var repeats = 0
    /// How many changes of state there were.
    var changes = 0
    /// The last action that dpkg announced for this very package.
    var action: Action?
}

/// An action line: what dpkg is about to do with a package.
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
    /// The version that is there; `nil` for `<none>`.
    let old: String?
    /// The version that is to be there, where there is to be another one.
    let new: String?
    let line: Int
    /// The number of the run of dpkg that announced it; it says nothing about later ones.
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
        /// The log does not have its beginning: it was rotated or damaged, or dpkg is older than 1.14.17.
        case unknown
        /// `startup archives …` installs, upgrades and configures, and removes what is in the way.
        case archives
        /// `startup packages configure` and `startup packages triggers-only`.
        case configuration
        /// `startup packages remove` and `startup packages purge`.
        case removal
    }

    var number = 0
    var purpose = Purpose.unknown

    /// Whether dpkg has announced to unpack a package and has not begun to: just then it deconfigures and removes what is in
    /// the way, without a line of its own.
    var isPreparing = false

    /// Whether the log has the beginning of the run, and so every action of it.
    var isKnown: Bool { purpose != .unknown }

    /// Whether it works on packages that are there, so that none is in the way of another.
    var isOfPackages: Bool { purpose == .configuration || purpose == .removal }

    /// Whether such a run can do that: packages are installed from archives, and removed by name.
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
/// Unchecked, because the compiler trusts no class that has subclasses; this one and they have nothing but constants.
class PackageState: WorkflowState, @unchecked Sendable {
    class var name: String { "any" }

    /// The state's name in the log; `nil` for the one that the log has no name for.
    class var status: Status? { Status(rawValue: name) }

    let facts: Facts

    required init(_ facts: Facts) { self.facts = facts }

    var status: Status? { Self.status }

    /// The states that the log has names for.
    static let all: [PackageState.Type] = Status.allCases.map(\.state)

    /// The action that the same run of dpkg has announced for this package, if any.
    func ownAction(in run: Run) -> Action? { facts.action.flatMap { $0.run == run.number ? $0 : nil } }
}

/// Nothing is known of the package yet but what dpkg has announced for it.
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

    /// Whether a version may be unpacked now: the one that was announced, or the old one again.
    func mayUnpack(_ version: String?, under action: Action?) -> Bool {
        version == facts.version || action == nil || version == action?.new
    }
}

final class UnpackedState: PackageState, @unchecked Sendable {
    override class var name: String { "unpacked" }
    override class var status: Status? { .unpacked }

    /// Whether the old version was put back because unpacking a new one failed.
    var isPutBack: Bool { facts.cameFrom == .halfInstalled && !facts.isOtherVersion }

    /// Whether this is the old version, which an upgrade deconfigures before it unpacks the new one.
    var isOldVersion: Bool { facts.cameFrom == .halfConfigured }
}

final class HalfConfiguredState: PackageState, @unchecked Sendable {
    override class var name: String { "half-configured" }
    override class var status: Status? { .halfConfigured }

    /// Whether the package was deconfigured because its own new version conflicts with what it depends on.
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
