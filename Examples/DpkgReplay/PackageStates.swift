import Heraclitus

/// What is known of a package while it is in a state.
struct Facts: Codable, Sendable {
    /// `libc6:amd64`; old logs have names without an architecture.
    var package: String
    /// `nil` where dpkg writes `<none>`.
    var version: String?
    /// The version that was there before, where the state came with another one.
    var replaces: String?
    /// When the state was entered, as the log has it: local time.
    var since: String
    /// On which line of the log it was entered.
    var line: Int
    /// In which run of dpkg it was entered.
    var process: Int
    /// The state before this one, if that is known.
    var cameFrom: String?
    /// How often the log has said so once more.
    var repeats = 0
    /// How many changes of state there were.
    var changes = 0
    /// The last action that dpkg announced for this very package.
    var action: Action?
}

/// An action line: what dpkg is about to do with a package.
struct Action: Codable, Sendable {
    enum Kind: String, Codable, Sendable, CaseIterable {
        case install
        case upgrade
        case configure
        case trigproc
        case remove
        case purge
        case disappear
    }

    var kind: Kind
    /// The version that is there; `nil` for `<none>`.
    var old: String?
    /// The version that is to be there, where there is to be another one.
    var new: String?
    var line: Int
    /// The run of dpkg that announced it; it says nothing about later ones.
    var process: Int
}

/// One of the eight states that dpkg(1) documents.
///
/// Unchecked, because the compiler trusts no class that has subclasses; this one and they have nothing but constants.
class PackageState: WorkflowState, @unchecked Sendable {
    class var name: String { "any" }

    let facts: Facts

    required init(_ facts: Facts) { self.facts = facts }

    /// The classes by the words of the log.
    static let byWord = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    static let all: [PackageState.Type] = [
        NotInstalledState.self, ConfigFilesState.self, HalfInstalledState.self, UnpackedState.self,
        HalfConfiguredState.self, TriggersAwaitedState.self, TriggersPendingState.self, InstalledState.self,
    ]

    /// The action that the same run of dpkg has announced for this package, if any.
    func ownAction(in process: Int) -> Action? { facts.action.flatMap { $0.process == process ? $0 : nil } }

    /// Whether the state was entered before the action was announced.
    func isOlder(than action: Action) -> Bool { facts.line < action.line }
}

final class NotInstalledState: PackageState, @unchecked Sendable {
    override class var name: String { "not-installed" }
}

final class ConfigFilesState: PackageState, @unchecked Sendable {
    override class var name: String { "config-files" }
}

final class HalfInstalledState: PackageState, @unchecked Sendable {
    override class var name: String { "half-installed" }

    /// Whether a version may be unpacked now: the one that was announced, or the old one again.
    func mayUnpack(_ version: String?, under action: Action?) -> Bool {
        version == facts.version || action == nil || version == action?.new
    }
}

final class UnpackedState: PackageState, @unchecked Sendable {
    override class var name: String { "unpacked" }

    /// Whether the old version was put back because unpacking a new one failed.
    var isPutBack: Bool { facts.cameFrom == HalfInstalledState.name && facts.replaces == nil }
}

final class HalfConfiguredState: PackageState, @unchecked Sendable {
    override class var name: String { "half-configured" }

    /// Whether the package was deconfigured because its own new version conflicts with what it depends on.
    var isOwnConflict: Bool {
        [UnpackedState.name, HalfInstalledState.name, ConfigFilesState.name].contains(facts.cameFrom)
    }
}

final class TriggersAwaitedState: PackageState, @unchecked Sendable {
    override class var name: String { "triggers-awaited" }
}

final class TriggersPendingState: PackageState, @unchecked Sendable {
    override class var name: String { "triggers-pending" }
}

final class InstalledState: PackageState, @unchecked Sendable {
    override class var name: String { "installed" }
}
