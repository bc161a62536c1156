import Heraclitus

/// The machines of all packages, by dpkg's names.
///
/// A package may change its name.
struct Packages {
    private var machinesByName: [String: StateMachine<PackageLife>] = [:]
    /// The full names of a package, one for each architecture.
    private var namesByBareName: [Substring: [String]] = [:]

    /// All names, in order.
    var names: [String] { machinesByName.keys.sorted() }

    /// The packages with a state in the log, by name.
    var known: [PackageState] {
        names.compactMap { machinesByName[$0]?.state }.filter { !($0 is UnseenState) }
    }

    subscript(package: String) -> StateMachine<PackageLife>? {
        get { machinesByName[package] }
        set {
            let old = machinesByName.updateOrRemove(newValue, for: package)
            let bare = Self.bare(package)
            guard bare.endIndex != package.endIndex, (old == nil) != (newValue == nil) else { return }
            if newValue == nil {
                namesByBareName[bare]?.removeAll { $0 == package }
            } else {
                namesByBareName[bare, default: []].append(package)
            }
        }
    }

    /// A package's name without its architecture.
    static func bare(_ package: String) -> Substring {
        package.utf8.lastIndex(of: UInt8(ascii: ":")).map { package[..<$0] } ?? package[...]
    }

    private static func architecture(_ package: String) -> Substring { package[bare(package).endIndex...].dropFirst() }

    private func siblings(of package: String) -> [StateMachine<PackageLife>] {
        let names = namesByBareName[Self.bare(package)] ?? []
        guard names.count > 1 || names.first != package else { return [] }
        return names.filter { $0 != package }.sorted().compactMap { machinesByName[$0] }
    }
}

extension Dictionary {
    /// Sets or removes a value.
    /// - Returns: The previous machine.
    fileprivate mutating func updateOrRemove(_ value: Value?, for key: Key) -> Value? {
        if let value { updateValue(value, forKey: key) } else { removeValue(forKey: key) }
    }
}

// MARK: - Architectures

extension Packages {
    /// `dpkg` and `dpkg:amd64` are one package, because early versions of dpkg wrote names without an architecture.
    /// - Returns: The machine, if it has a new name now. The next two methods return the same.
    mutating func gainArchitecture(_ package: String) -> StateMachine<PackageLife>? {
        guard case let bare = Self.bare(package), bare.endIndex != package.endIndex, let machine = self[String(bare)]
        else { return nil }
        return rename(machine, to: package)
    }

    /// A package changes its architecture, and its name, when its new version is unpacked.
    mutating func changeArchitecture(
        _ package: String,
        entering status: Status,
        _ version: String?,
        in run: Run
    ) -> StateMachine<PackageLife>? {
        guard status == .unpacked || status == .halfConfigured, isFree(package) else { return nil }
        let announced = self[package]?.state.ownAction(in: run)
        func action(for machine: StateMachine<PackageLife>) -> Action? {
            [announced, machine.state.ownAction(in: run)].compactMap(\.self).max { $0.line < $1.line }
        }
        let sibling = siblings(of: package).first { machine in
            guard status == .unpacked, machine.isIn(HalfInstalledState.self) else { return false }
            // A log without the beginning of the run may lack the action too.
            guard let action = action(for: machine) else { return !run.isKnown }
            return action.kind == .install || action.kind == .upgrade
        }
        if let sibling { return rename(sibling, to: package, action: action(for: sibling)) }
        return changeArchitecture(package, of: version, in: run)
    }

    /// Before 1.18.0 dpkg uses the old name for the rest of the run, and the new name in later runs.
    mutating func changeArchitecture(
        _ package: String,
        before action: Action,
        in run: Run
    ) -> StateMachine<PackageLife>? {
        guard action.kind != .install, isFree(package) else { return nil }
        return changeArchitecture(package, of: action.old, in: run)
    }

    private mutating func changeArchitecture(
        _ package: String,
        of version: String?,
        in run: Run
    ) -> StateMachine<PackageLife>? {
        let sibling = siblings(of: package).first { machine in
            let facts = machine.state.facts
            guard machine.isIn(UnpackedState.self), facts.version == version, facts.run.number < run.number,
                let action = facts.action, action.run == facts.run.number
            else { return false }
            // A package for all architectures exists once; other packages may be installed for several.
            return action.kind == .upgrade && self[package] == nil
                || Self.architecture(package) == "all" || Self.architecture(facts.package) == "all"
        }
        return sibling.map { rename($0, to: package) }
    }

    /// Whether the remains under a name can only come from an earlier package.
    private func isFree(_ package: String) -> Bool {
        switch self[package]?.state.status {
        case nil, .notInstalled, .configFiles: true
        default: false
        }
    }

    /// An installation over configuration files of another architecture is announced with the new name.
    func machineOfOtherArchitecture(meantBy action: Action, _ package: String) -> StateMachine<PackageLife>? {
        guard action.kind == .install, let old = action.old else { return nil }
        switch self[package]?.state.status {
        case nil, .notInstalled: break
        default: return nil
        }
        return siblings(of: package).first { $0.isIn(ConfigFilesState.self) && $0.state.facts.version == old }
    }

    /// The same installation, over files that the log has not named until now.
    func actionOfOtherArchitecture(meaning package: String, _ version: String?, in run: Run) -> Action? {
        siblings(of: package).lazy.compactMap { $0.state.ownAction(in: run) }
            .first { $0.kind == .install && $0.old == version }
    }

    private mutating func rename(
        _ machine: StateMachine<PackageLife>,
        to package: String,
        action: Action? = nil
    ) -> StateMachine<PackageLife> {
        var facts = machine.state.facts
        self[facts.package] = nil
        facts.package = package
        facts.action = action ?? facts.action
        let renamed = StateMachine<PackageLife>(resumingIn: type(of: machine.state).init(facts))
        renamed.activate()
        self[package] = renamed
        return renamed
    }
}
