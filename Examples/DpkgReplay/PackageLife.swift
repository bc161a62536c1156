import Heraclitus

/// The life of a package, as dpkg leads it: which changes are lawful, and by which event.
///
/// The first group are dpkg's action lines. They change nothing but what is known of the package's future, and so they
/// update its state. The others are its status lines. Every pair of states belongs to one event at most; what is no pair
/// of any event, dpkg cannot do. Written after the steps in dpkg(1) and the places in its sources that set a state.
struct PackageLife: Workflow {
    static var initial: PackageState {
        NotInstalledState(Facts(package: "", since: "", line: 0, process: 0))
    }

    // MARK: Announced

    let install = Event(updating: NotInstalledState.self, ConfigFilesState.self)
    let upgrade = Event(updating: Self.present)
    let configure = Event(updating: UnpackedState.self, HalfConfiguredState.self)
    let trigproc = Event(updating: TriggersAwaitedState.self, TriggersPendingState.self)
    let remove = Event(updating: Self.present)
    let purge = Event(updating: Self.present + [ConfigFilesState.self])
    let disappear = Event(updating: Self.present)

    /// The same state once more: each run of dpkg says it anew, old ones say it several times.
    let repeated = Event(updating: PackageState.all).guarded { old, new, _ in
        try require(new.facts.version == old.facts.version, "the version was \(old.facts.version ?? "none")")
    }

    // MARK: Installed and upgraded

    let beginInstalling = Event(from: NotInstalledState.self, ConfigFilesState.self, to: HalfInstalledState.self)
        .guarded { old, new, _ in
            let action = try old.action(for: new, among: .install)
            guard action != nil || old.facts.version != nil else { return }
            try require(
                new.facts.version == action?.new || new.facts.version == old.facts.version,
                "version \(action?.new ?? "of the config files") was to be installed"
            )
        }

    let beginUpgrading = Event(from: HalfConfiguredState.self, to: UnpackedState.self)
        .guarded { old, new, _ in
            _ = try old.action(for: new, among: .upgrade)
            try requireSameVersion(old, new)
        }

    let replace = Event(from: UnpackedState.self, to: HalfInstalledState.self)
        .guarded { old, new, _ in
            _ = try old.action(for: new, among: .install, .upgrade, .remove, .purge)
            try requireSameVersion(old, new)
        }

    let unpack = Event(from: HalfInstalledState.self, to: UnpackedState.self)
        .guarded { old, new, _ in
            let action = try old.action(for: new, among: .install, .upgrade)
            try require(
                old.mayUnpack(new.facts.version, under: action),
                "version \(action?.new ?? "none") was to be unpacked"
            )
        }

    let abandonInstalling = Event(from: HalfInstalledState.self, to: NotInstalledState.self)
        .guarded { old, new, _ in
            _ = try old.action(for: new, among: .install, .disappear)
            try requireNoVersion(new)
        }

    // MARK: Configured

    let beginConfiguring = Event(from: UnpackedState.self, to: HalfConfiguredState.self)
        .guarded { old, new, _ in
            _ = try old.action(for: new, among: .configure, .install, .upgrade)
            try requireSameVersion(old, new)
        }

    let finishConfiguring = Event(from: HalfConfiguredState.self, to: InstalledState.self, TriggersAwaitedState.self)
        .guarded { old, new, _ in try requireSameVersion(old, new) }

    let deconfigure = Event(from: InstalledState.self, to: HalfConfiguredState.self)
        .guarded { old, new, _ in
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
            try require(isRemoved || old.isOwnConflict, "an upgrade unpacks the old version first")
            try requireSameVersion(old, new)
        }

    let keepConfigFiles = Event(from: HalfInstalledState.self, to: ConfigFilesState.self)
        .guarded { old, new, _ in
            _ = try old.action(for: new, among: .remove, .purge, .install, .upgrade)
            try requireSameVersion(old, new)
        }

    let forget = Event(from: ConfigFilesState.self, to: NotInstalledState.self)
        .guarded { _, new, _ in try requireNoVersion(new) }

    /// Another package has taken over every file.
    let vanish = Event(
        from: UnpackedState.self,
        HalfConfiguredState.self,
        TriggersAwaitedState.self,
        TriggersPendingState.self,
        InstalledState.self,
        to: NotInstalledState.self
    ).guarded { old, new, _ in
        try old.requireAction(for: new, among: .disappear)
        try requireNoVersion(new)
    }

    // MARK: Failed and put back

    /// The new version could not be unpacked and the old one is in force again, without being configured anew.
    ///
    /// Or it was not even tried, because another package was to be removed for it and was not: then the log has that in
    /// between.
    let putBack = Event(from: UnpackedState.self, to: InstalledState.self, TriggersAwaitedState.self)
        .guarded { old, new, _ in
            try old.requireAction(for: new, among: .upgrade)
            let isCalledOff =
                old.facts.cameFrom == HalfConfiguredState.name && new.facts.line > old.facts.line + 1
            try require(old.isPutBack || isCalledOff, "it has not been configured")
            try requireSameVersion(old, new)
        }

    /// A removal in favour of another package was called off because that one failed.
    let keep = Event(from: HalfInstalledState.self, to: InstalledState.self, TriggersAwaitedState.self)
        .guarded { old, new, _ in
            let action = try old.action(for: new, among: .upgrade, .trigproc)
            try require(
                old.facts.process == new.facts.process && old.facts.cameFrom != nil
                    && (action == nil || old.facts.cameFrom == HalfConfiguredState.name),
                "it has not been unpacked"
            )
            try requireSameVersion(old, new)
        }

    /// What it depends on conflicts with its own new version, and so it is deconfigured before that is unpacked.
    let stepAside = Event(from: ConfigFilesState.self, HalfInstalledState.self, to: HalfConfiguredState.self)
        .guarded { old, new, _ in
            let action = try old.requireAction(for: new, among: .install, .upgrade)
            try require(action.map(old.isOlder) ?? true, "it has not been unpacked")
            try require(old.facts.cameFrom != nil, "nothing is known of what was before")
            try requireSameVersion(old, new)
        }

    /// The same, when the new version could not be unpacked.
    let stepBack = Event(from: ConfigFilesState.self, to: InstalledState.self)
        .guarded { old, new, _ in
            try old.requireAction(for: new, among: .install)
            try require(
                old.facts.cameFrom == HalfInstalledState.name && old.facts.process == new.facts.process,
                "it has not been unpacked"
            )
            try requireSameVersion(old, new)
        }

    /// The states in which there is something that can be upgraded or removed.
    private static let present: [PackageState.Type] = PackageState.all.filter {
        $0 != NotInstalledState.self && $0 != ConfigFilesState.self
    }
}

// MARK: - What guards require

/// Why dpkg cannot have done what a line says, though the two states are a lawful pair.
struct Unlawful: Error, CustomStringConvertible {
    let description: String
}

private func require(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws(Unlawful) {
    guard condition else { throw Unlawful(description: otherwise()) }
}

private func requireSameVersion(_ old: PackageState, _ new: PackageState) throws(Unlawful) {
    try require(new.facts.version == old.facts.version, "the version was \(old.facts.version ?? "none")")
}

private func requireNoVersion(_ new: PackageState) throws(Unlawful) {
    try require(new.facts.version == nil, "what is not installed has no version")
}

extension PackageState {
    /// The package's own action of this run of dpkg, if there is one: it must be one of some kinds.
    ///
    /// Much happens to packages without an action of their own, because of what is done with others.
    fileprivate func action(for new: PackageState, among kinds: Action.Kind...) throws(Unlawful) -> Action? {
        guard let action = ownAction(in: new.facts.process) else { return nil }
        try require(kinds.contains(action.kind), "dpkg is about to \(action.kind.rawValue) it")
        return action
    }

    /// The package's own action of this run of dpkg: there must be one, and of some kinds.
    ///
    /// Before the first run of which the log has the beginning there may be one that the log has no more.
    @discardableResult
    fileprivate func requireAction(
        for new: PackageState,
        among kinds: Action.Kind...
    ) throws(Unlawful) -> Action? {
        let names = kinds.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        guard let action = ownAction(in: new.facts.process) else {
            try require(new.facts.process == 0, "that takes an action \(names)")
            return nil
        }
        try require(
            kinds.contains(action.kind),
            "that takes an action \(names), and dpkg is about to \(action.kind.rawValue) it"
        )
        return action
    }
}
