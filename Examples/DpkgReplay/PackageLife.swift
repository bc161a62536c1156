import Heraclitus

/// The life of a package in dpkg: the allowed changes, and their events.
///
/// The first group of events are dpkg's action lines. They change only the knowledge of the package's future, so they
/// update its state. The other events are status lines. Each pair of states belongs to at most one event, and dpkg
/// cannot make any other change. The sources are the steps in dpkg(1), and the code of dpkg that sets a state.
struct PackageLife: Workflow {
    static var initial: PackageState {
        UnseenState(Facts(package: "", since: Timestamp(), line: 0, run: Run()))
    }

    // MARK: Announced

    let install = announcement(in: [NotInstalledState.self, ConfigFilesState.self])
    let upgrade = announcement(in: Self.present)
    let configure = announcement(in: [UnpackedState.self, HalfConfiguredState.self])
    let trigproc = announcement(in: [TriggersAwaitedState.self, TriggersPendingState.self])
    /// Before 1.18.11 dpkg announces a purge also for config files alone.
    let remove = announcement(in: Self.present + [ConfigFilesState.self])
    let purge = announcement(in: Self.present + [ConfigFilesState.self])
    let disappear = announcement(in: Self.present)

    // MARK: Seen

    /// The first line of the log about the package.
    let appear = Event(from: UnseenState.self, to: PackageState.all)
        .guarded { old, new, _ in try requireExpected(new, after: old) }

    /// The state is repeated: each run of dpkg repeats it, and old runs repeat it several times.
    let repeated = Event(updating: PackageState.all).guarded { old, new, _ in try requireSameVersion(old, new) }

    // MARK: Installed and upgraded

    let beginInstalling = Event(from: NotInstalledState.self, ConfigFilesState.self, to: HalfInstalledState.self)
        .guarded { old, new, _ in
            let action = try old.requireAction(for: new, among: .install)
            guard action != nil || old.facts.version != nil else { return }
            try require(
                new.facts.version == action?.new || new.facts.version == old.facts.version,
                "in another version than was announced, which was \(action?.new ?? "none")"
            )
        }

    let beginUpgrading = Event(from: HalfConfiguredState.self, to: UnpackedState.self)
        .guarded { old, new, _ in
            try old.requireAction(for: new, among: .upgrade)
            try requireSameVersion(old, new)
        }

    let replace = Event(from: UnpackedState.self, to: HalfInstalledState.self)
        .guarded { old, new, _ in
            _ = try old.action(for: new, among: .install, .upgrade, .remove, .purge)
            if new.facts.run.purpose == .removal { try old.requireAction(for: new, among: .remove) }
            try requireSameVersion(old, new)
        }

    let unpack = Event(from: HalfInstalledState.self, to: UnpackedState.self)
        .guarded { old, new, _ in
            let action = try old.requireAction(for: new, among: .install, .upgrade)
            try require(
                old.mayUnpack(new.facts.version, under: action),
                "in another version than was announced, which was \(action?.new ?? "none")"
            )
        }

    let abandonInstalling = Event(from: HalfInstalledState.self, to: NotInstalledState.self)
        .guarded { old, new, _ in
            try old.requireAction(for: new, among: .install, .disappear)
            try requireNoVersion(new)
        }

    // MARK: Configured

    let beginConfiguring = Event(from: UnpackedState.self, to: HalfConfiguredState.self)
        .guarded { old, new, _ in
            // Or this package is in the way of another that dpkg is about to unpack.
            if !new.facts.run.isPreparing { try old.requireAction(for: new, among: .configure) }
            _ = try old.action(for: new, among: .configure, .install, .upgrade)
            try requireSameVersion(old, new)
        }

    let finishConfiguring = Event(from: HalfConfiguredState.self, to: InstalledState.self, TriggersAwaitedState.self)
        .guarded { old, new, _ in
            // Without its own action, only a package is configured that was deconfigured in favour of a failed package.
            let isOld = old.facts.run.number < new.facts.run.number
            if new.facts.run.purpose != .archives || !isOld && !old.facts.run.isPreparing {
                try old.requireAnyAction(for: new)
            }
            try requireSameVersion(old, new)
        }

    let deconfigure = Event(from: InstalledState.self, to: HalfConfiguredState.self)
        .guarded { old, new, _ in
            if !new.facts.run.isPreparing { try old.requireAction(for: new, among: .remove) }
            _ = try old.action(for: new, among: .install, .upgrade, .remove, .purge)
            try requireSameVersion(old, new)
        }

    // MARK: Triggered

    let trigger = Event(from: InstalledState.self, TriggersAwaitedState.self, to: TriggersPendingState.self)
        .guarded { old, new, _ in try requireSameVersion(old, new) }

    let awaitTriggers = Event(from: InstalledState.self, TriggersPendingState.self, to: TriggersAwaitedState.self)
        .guarded { old, new, _ in try requireSameVersion(old, new) }

    let triggersDone = Event(from: TriggersAwaitedState.self, to: InstalledState.self)
        .guarded { old, new, _ in try requireSameVersion(old, new) }

    /// Also without a line of its own: dpkg gives up on circular triggers.
    let processTriggers = Event(
        from: TriggersAwaitedState.self,
        TriggersPendingState.self,
        to: HalfConfiguredState.self
    ).guarded { old, new, _ in try requireSameVersion(old, new) }

    // MARK: Removed

    let beginRemoving = Event(from: HalfConfiguredState.self, to: HalfInstalledState.self)
        .guarded { old, new, _ in
            let action = try old.action(for: new, among: .remove, .purge, .install, .upgrade)
            let isRemoved = action == nil || action?.kind == .remove || action?.kind == .purge
            try require(isRemoved || old.isOwnConflict, "without its old version having been unpacked")
            if !new.facts.run.isPreparing { try old.requireAction(for: new, among: .remove, .purge) }
            try requireSameVersion(old, new)
        }

    let keepConfigFiles = Event(from: HalfInstalledState.self, to: ConfigFilesState.self)
        .guarded { old, new, _ in
            _ = try old.action(for: new, among: .remove, .purge, .install, .upgrade)
            if new.facts.run.isOfPackages { try old.requireAction(for: new, among: .remove, .purge) }
            try requireSameVersion(old, new)
        }

    let forget = Event(from: ConfigFilesState.self, to: NotInstalledState.self)
        .guarded { _, new, _ in try requireNoVersion(new) }

    /// Another package has replaced every file.
    let vanish = Event(
        from: UnpackedState.self,
        HalfConfiguredState.self,
        TriggersAwaitedState.self,
        TriggersPendingState.self,
        InstalledState.self,
        to: NotInstalledState.self
    ).guarded { old, new, _ in
        try old.requireAction(for: new, among: .disappear, or: "without having been removed")
        try requireNoVersion(new)
    }

    // MARK: Failed and put back

    /// The new version failed to unpack.
    ///
    /// The old version is in force again, and is not configured again.
    ///
    /// Or dpkg never tried, because a package in the way could not be removed. The log then has that removal in
    /// between.
    let putBack = Event(from: UnpackedState.self, to: InstalledState.self, TriggersAwaitedState.self)
        .guarded { old, new, _ in
            try old.requireAction(for: new, among: .upgrade, or: "without having been configured")
            let isCalledOff = old.isOldVersion && new.facts.line > old.facts.line + 1
            let isPossible = old.isPutBack || isCalledOff || old.isBeyondBeginning(of: new)
            try require(isPossible, "without having been configured")
            try requireSameVersion(old, new)
        }

    /// dpkg called off a removal in favour of another package, because that package failed.
    let keep = Event(from: HalfInstalledState.self, to: InstalledState.self, TriggersAwaitedState.self)
        .guarded { old, new, _ in
            let action = try old.action(for: new, among: .upgrade, .trigproc)
            try require(
                old.isBeyondBeginning(of: new)
                    || old.facts.run.number == new.facts.run.number && old.facts.cameFrom != nil
                        && (action == nil || old.facts.cameFrom == .halfConfigured),
                "without having been unpacked"
            )
            try requireSameVersion(old, new)
        }

    /// A dependency conflicts with the package's new version, so dpkg deconfigures the package before it unpacks the
    /// new version.
    let stepAside = Event(from: ConfigFilesState.self, HalfInstalledState.self, to: HalfConfiguredState.self)
        .guarded { old, new, _ in
            let unpackedNever = "without having been unpacked"
            let action = try old.requireAction(for: new, among: .install, .upgrade, or: unpackedNever)
            try require(action.map { old.facts.line < $0.line } ?? true, unpackedNever)
            try require(old.facts.cameFrom != nil || old.isBeyondBeginning(of: new), unpackedNever)
            try requireSameVersion(old, new)
        }

    /// The same change, after the new version failed to unpack.
    let stepBack = Event(from: ConfigFilesState.self, to: InstalledState.self)
        .guarded { old, new, _ in
            let unpackedNever = "without having been unpacked"
            try old.requireAction(for: new, among: .install, or: unpackedNever)
            try require(
                old.isBeyondBeginning(of: new)
                    || old.facts.cameFrom == .halfInstalled && old.facts.run.number == new.facts.run.number,
                unpackedNever
            )
            try requireSameVersion(old, new)
        }

    /// The states in which a package can be upgraded or removed.
    private static let present: [PackageState.Type] = PackageState.all.filter {
        $0 != NotInstalledState.self && $0 != ConfigFilesState.self
    }

    /// An action line, which names the current version.
    private static func announcement(in states: [PackageState.Type]) -> Event<PackageState, PackageState> {
        Event(updating: [UnseenState.self] + states).guarded { old, new, _ in
            guard !(old is UnseenState), let action = new.facts.action else { return }
            // Or the files of another architecture are there, of which the log has no line.
            if action.kind == .install, old is NotInstalledState, old.facts.package.contains(":") { return }
            try require(
                action.old == old.facts.version,
                "in another version than is there, which is \(old.facts.version ?? "none")"
            )
        }
    }
}

// MARK: - What guards require

/// The reason why dpkg cannot have written a line, although its pair of states is allowed.
struct Unlawful: Error, CustomStringConvertible {
    private let words: @Sendable () -> String

    /// Makes the sentence on request, because most problems of a damaged log are only counted.
    init(_ words: @escaping @Sendable @autoclosure () -> String) { self.words = words }

    /// The problem, in words that follow the action: `without having been unpacked`.
    var description: String { words() }
}

private func require(
    _ condition: Bool,
    _ otherwise: @escaping @Sendable @autoclosure () -> String
) throws(Unlawful) {
    guard condition else { throw Unlawful(otherwise()) }
}

private func requireSameVersion(_ old: PackageState, _ new: PackageState) throws(Unlawful) {
    try require(
        new.facts.version == old.facts.version,
        "in another version than before, which was \(old.facts.version ?? "none")"
    )
}

private func requireNoVersion(_ new: PackageState) throws(Unlawful) {
    try require(new.facts.version == nil, "and yet in a version")
}

/// The possible states in a package's first status line, after an action line named it first: its state before,
/// repeated, or the destination of the action.
private func requireExpected(_ new: PackageState, after old: UnseenState) throws(Unlawful) {
    guard new.facts.run.isKnown, let action = old.ownAction(in: new.facts.run), let status = new.status else { return }
    let isExpected =
        switch action.kind {
        case .install: [.notInstalled, .configFiles, .halfInstalled, .halfConfigured].contains(status)
        case .upgrade: status != .notInstalled && status != .configFiles
        case .configure: status != .notInstalled && status != .configFiles && status != .halfInstalled
        case .trigproc: [.triggersAwaited, .triggersPending, .halfConfigured].contains(status)
        case .remove, .purge, .disappear: true
        }
    try require(isExpected, "out of turn after the line \"\(action.kind.rawValue)\"")
    try require(
        status == .notInstalled || new.facts.version == action.old,
        "in another version than is there, which is \(action.old ?? "none")"
    )
}

extension PackageState {
    /// Returns the package's action of this run, if any, which must be of one of the kinds.
    ///
    /// dpkg also changes packages without their own action, because of other packages.
    fileprivate func action(for new: PackageState, among kinds: Action.Kind...) throws(Unlawful) -> Action? {
        guard let action = ownAction(in: new.facts.run) else { return nil }
        try require(kinds.contains(action.kind), "out of turn after the line \"\(action.kind.rawValue)\"")
        return action
    }

    /// Requires an action of this run for the package, of one of the kinds.
    ///
    /// A run without its beginning in the log may have announced the action there.
    @discardableResult
    fileprivate func requireAction(
        for new: PackageState,
        among kinds: Action.Kind...,
        or otherwise: String? = nil
    ) throws(Unlawful) -> Action? {
        let action = ownAction(in: new.facts.run)
        if action == nil, !new.facts.run.isKnown { return nil }
        guard let action, kinds.contains(action.kind) else {
            throw Unlawful(otherwise ?? "without the line \(Self.words(kinds)) that dpkg writes before")
        }
        return action
    }

    /// Whether the log lacks the cause of the package's state, because it begins in the middle of this run.
    fileprivate func isBeyondBeginning(of new: PackageState) -> Bool {
        facts.cameFrom == nil && facts.run.number == new.facts.run.number && !new.facts.run.isKnown
    }

    /// Requires an action of this run for the package, of any kind.
    fileprivate func requireAnyAction(for new: PackageState) throws(Unlawful) {
        guard ownAction(in: new.facts.run) == nil, new.facts.run.isKnown else { return }
        throw Unlawful("without the line \"configure\" or \"trigproc\" that dpkg writes before")
    }

    private static func words(_ kinds: [Action.Kind]) -> String {
        kinds.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    }
}
