import Heraclitus

/// A log, replayed: every package a machine, every line an event.
struct Replay {
    /// A line that dpkg cannot have written after those before it.
    struct Rejection: Sendable {
        let line: Int
        let text: String
        let package: String
        let error: InvalidTransition
    }

    private(set) var packages: [String: StateMachine<PackageLife>] = [:]
    private(set) var rejections: [Rejection] = []
    private(set) var notUnderstood: [(line: Int, text: String)] = []
    private(set) var progressMachine = StateMachine<ReplayProgress>()
    private var watcher: Watcher?

    var progress: Progress { (progressMachine.state as? ReadingState)?.progress ?? Progress() }

    init() {}

    init(progress: StateMachine<ReplayProgress>, packages: [String: StateMachine<PackageLife>]) {
        progressMachine = progress
        self.packages = packages
    }

    /// Tells a closure about the life of the packages of a name, from now on.
    mutating func watch(_ name: String, _ tell: @escaping @Sendable (Life.Chapter) -> Void) {
        let watcher = Watcher(name: name, tell: tell)
        for (package, machine) in packages { watcher.watch(machine, of: package) }
        self.watcher = watcher
    }

    /// Does what a line says, and notes that it is done.
    mutating func read(_ line: LogFile.Line) throws(InvalidTransition) {
        var progress = progress
        progress.lines += 1
        progress.offset = line.end
        progress.digest = line.digest
        if let content = LogLine(line.text) {
            apply(content, text: line.text, &progress)
        } else {
            progress.notUnderstood += 1
            notUnderstood.append((progress.lines, line.text))
        }
        if progressMachine.can.begin {
            try progressMachine.fire.begin(ReadingState(progress))
        } else {
            try progressMachine.fire.advance(ReadingState(progress))
        }
    }

    private mutating func apply(_ line: LogLine, text: String, _ progress: inout Progress) {
        let at = Occasion(line: progress.lines, time: line.time, text: text)
        switch line.content {
        case .startup:
            progress.process += 1
            progress.announced = [:]
        case .conffile:
            break
        case .action(let kind, let package, let old, let new):
            let action = Action(kind: kind, old: old, new: new, line: at.line, process: progress.process)
            announce(action, of: package, at, &progress)
        case .status(let state, let package, let version):
            enter(state, version, of: package, at, &progress)
        }
    }
}

/// Where and when something stands in the log.
private struct Occasion {
    let line: Int
    let time: String
    let text: String

    var userInfo: UserInfo { ["line": line, "text": text] }
}

// MARK: - Lines

extension Replay {
    private mutating func announce(_ action: Action, of package: String, _ at: Occasion, _ progress: inout Progress) {
        gainArchitecture(package)
        guard let machine = packages[package] ?? machineOfOtherArchitecture(meantBy: action, package) else {
            if action.kind == .install, action.old == nil {
                // Its life begins here, and so the machine is a new one.
                let facts = Facts(
                    package: package,
                    since: at.time,
                    line: at.line,
                    process: progress.process,
                    action: action
                )
                put(StateMachine(entering: NotInstalledState(facts)), at: package)
            } else {
                progress.announced[package] = action
            }
            return
        }
        func announced(_ state: PackageState) -> PackageState {
            var facts = state.facts
            facts.action = action
            return type(of: state).init(facts)
        }
        do throws(InvalidTransition) {
            try machine.fire(named: action.kind.rawValue, userInfo: at.userInfo) { announced($0) }
        } catch {
            reject(error, package, at, &progress)
            put(StateMachine(alreadyIn: announced(machine.state)), at: machine.state.facts.package)
        }
    }

    private mutating func enter(
        _ type: PackageState.Type,
        _ version: String?,
        of package: String,
        _ at: Occasion,
        _ progress: inout Progress
    ) {
        gainArchitecture(package)
        changeArchitecture(package, entering: type, progress)
        var facts = Facts(
            package: package,
            version: version,
            since: at.time,
            line: at.line,
            process: progress.process,
            action: progress.announced.removeValue(forKey: package)
        )
        guard let machine = packages[package] else {
            put(StateMachine(alreadyIn: type.init(facts)), at: package)
            return
        }
        let old = machine.state.facts
        facts.action = facts.action ?? old.action
        facts.changes = old.changes
        do throws(InvalidTransition) {
            if machine.stateName == type.name {
                facts.replaces = old.replaces
                facts.since = old.since
                facts.line = old.line
                facts.process = old.process
                facts.cameFrom = old.cameFrom
                facts.repeats = old.repeats + 1
                try machine.fire.repeated(type.init(facts), userInfo: at.userInfo)
                progress.repeats += 1
            } else {
                facts.replaces = old.version == version ? nil : old.version
                facts.cameFrom = machine.stateName
                facts.changes += 1
                // What was announced is done; what happens to the package from here on has other reasons.
                if type == InstalledState.self, !machine.isIn(TriggersAwaitedState.self) { facts.action = nil }
                try machine.enter(type.init(facts), userInfo: at.userInfo)
                progress.transitions += 1
            }
        } catch {
            reject(error, package, at, &progress)
            // What dpkg says is true, however it came to be; of how it came to be nothing is known now.
            facts.replaces = nil
            facts.cameFrom = nil
            facts.since = at.time
            facts.line = at.line
            facts.process = progress.process
            put(StateMachine(alreadyIn: type.init(facts)), at: package)
        }
    }

    private mutating func reject(
        _ error: InvalidTransition,
        _ package: String,
        _ at: Occasion,
        _ progress: inout Progress
    ) {
        let rejection = Rejection(line: at.line, text: at.text, package: package, error: error)
        progress.rejections += 1
        rejections.append(rejection)
        watcher?.hear(rejection)
    }

    private mutating func put(_ machine: StateMachine<PackageLife>, at package: String) {
        machine.activate()
        packages[package] = machine
        watcher?.watch(machine, of: package)
    }
}

// MARK: - Names

extension Replay {
    /// `dpkg` and `dpkg:amd64` are one package: names have had an architecture since some version of dpkg.
    private mutating func gainArchitecture(_ package: String) {
        guard packages[package] == nil, let (name, _) = Self.parts(of: package), let machine = packages[name] else {
            return
        }
        packages[name] = nil
        rename(machine, to: package)
    }

    /// A package changes its architecture when its new version is unpacked, and its name with it.
    private mutating func changeArchitecture(
        _ package: String,
        entering type: PackageState.Type,
        _ progress: Progress
    ) {
        // What is there of the new name can only be what an earlier package of that name left behind.
        let isFree = packages[package].map { $0.isIn(NotInstalledState.self) || $0.isIn(ConfigFilesState.self) } ?? true
        guard type == UnpackedState.self, isFree, let (name, _) = Self.parts(of: package) else { return }
        let announced = progress.announced[package] ?? packages[package]?.state.ownAction(in: progress.process)
        func action(for machine: StateMachine<PackageLife>) -> Action? {
            [announced, machine.state.ownAction(in: progress.process)].compactMap(\.self).max { $0.line < $1.line }
        }
        let sibling = packages.filter { key, machine in
            guard key != package, Self.parts(of: key)?.name == name, machine.isIn(HalfInstalledState.self) else {
                return false
            }
            // Before the first run of which the log has the beginning, the action may be missing with it.
            guard let action = action(for: machine) else { return progress.process == 0 }
            return action.kind == .install || action.kind == .upgrade
        }.min { $0.key < $1.key }
        guard let sibling else { return }
        packages[sibling.key] = nil
        rename(sibling.value, to: package, action: action(for: sibling.value))
    }

    /// An installation over the configuration files of another architecture is announced with the new name.
    private func machineOfOtherArchitecture(meantBy action: Action, _ package: String) -> StateMachine<PackageLife>? {
        guard action.kind == .install, let old = action.old, let (name, _) = Self.parts(of: package) else { return nil }
        return packages.filter { key, machine in
            Self.parts(of: key)?.name == name && machine.isIn(ConfigFilesState.self)
                && machine.state.facts.version == old
        }.min { $0.key < $1.key }?.value
    }

    private mutating func rename(_ machine: StateMachine<PackageLife>, to package: String, action: Action? = nil) {
        var facts = machine.state.facts
        facts.package = package
        facts.action = action ?? facts.action
        put(StateMachine(alreadyIn: type(of: machine.state).init(facts)), at: package)
    }

    /// The name and the architecture of a package that has both.
    static func parts(of package: String) -> (name: String, architecture: String)? {
        guard let colon = package.lastIndex(of: ":") else { return nil }
        return (String(package[..<colon]), String(package[package.index(after: colon)...]))
    }

    /// Whether a name, with or without an architecture, is that of a package.
    static func isNamed(_ name: String, _ package: String) -> Bool {
        package == name || parts(of: package)?.name == name
    }
}

/// Somebody who wants to hear of the life of the packages of one name.
private struct Watcher {
    let name: String
    let tell: @Sendable (Life.Chapter) -> Void

    func watch(_ machine: StateMachine<PackageLife>, of package: String) {
        guard Replay.isNamed(name, package) else { return }
        tell(.begins(machine.state))
        machine.onTransition { [tell] transition in tell(.goesOn(transition)) }
    }

    func hear(_ rejection: Replay.Rejection) {
        if Replay.isNamed(name, rejection.package) { tell(.rejected(rejection)) }
    }
}
