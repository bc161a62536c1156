import Heraclitus
import HeraclitusStores

/// Replayed logs, in which every package is a machine and every line an event.
struct Replay {
    /// A line that dpkg cannot have written after the lines before it.
    struct Rejection: Sendable {
        let place: Place
        let package: String
        /// The line as a state of the package, or as its state with an announced action.
        let claim: PackageState
        let isAnnouncement: Bool
        /// The line, counted from the beginning of the first log.
        let number: Int
        let error: InvalidTransition
    }

    /// A line that no dpkg writes.
    struct Damage: Sendable {
        let place: Place
        let isHole: Bool
    }

    private(set) var packages = Packages()
    var progress: Progress

    /// The position at the beginning of this run of the program.
    let beginning: Progress

    /// The first rejections and damages; ``Progress`` counts all of them.
    private(set) var rejections: [Rejection] = []
    private(set) var damages: [Damage] = []
    private let limit: Int

    /// The current log, for readers who look for the line.
    var log = ""

    private var watcher: Watcher?

    /// Begins a replay, or continues an archived one.
    /// - Parameters:
    ///   - limit: The number of rejections, and of damages, to keep.
    ///   - progress: The progress so far.
    ///   - machines: The machines of the packages.
    init(
        keeping limit: Int = .max,
        progress: Progress = Progress(),
        machines: [StateMachine<PackageLife>] = []
    ) {
        self.limit = limit
        self.progress = progress
        beginning = progress
        for machine in machines { packages[machine.state.facts.package] = machine }
    }

    /// Passes the further life of the packages with a name to a closure.
    mutating func watch(_ name: String, _ tell: @escaping @Sendable (Life.Chapter) -> Void) {
        let watcher = Watcher(name: name, tell: tell)
        for state in packages.known { packages[state.facts.package].map { watcher.watch($0, of: state.facts.package) } }
        self.watcher = watcher
    }

    /// Replays a line and records it as done.
    /// - Parameters:
    ///   - bytes: What the line is in.
    ///   - range: Where it is in them.
    ///   - isBehindHole: Whether NUL bytes came before the line.
    ///   - isCut: Whether the line is incomplete.
    mutating func read(_ bytes: [UInt8], _ range: Range<Int>, isBehindHole: Bool = false, isCut: Bool = false) {
        progress.lines += 1
        progress.position.lines += 1
        if isBehindHole { breakOff(Damage(place: place(bytes, range, nil), isHole: true)) }
        guard !isCut, let line = LogLine(bytes, range) else { return readDamaged(bytes, range) }
        progress.position.time = line.time
        let at = Occasion(time: line.time, bytes: bytes, line: range)
        switch line.content {
        case .startup(let purpose):
            progress.begin(purpose)
        case .conffile:
            break
        case .action(let kind, let package, let old, let new):
            if !progress.run.allows(kind) { progress.begin(.unknown) }
            let name = at.text(package)
            let action = Action(
                kind: kind,
                old: old.map(at.text),
                new: new.map(at.text),
                line: progress.lines,
                run: progress.run.number
            )
            progress.prepare(kind == .install || kind == .upgrade ? Packages.bare(name) : nil)
            announce(action, of: name, at)
        case .status(let status, let package, let version):
            enter(status, version, of: at.text(package), at)
        }
    }

    /// The log may lack lines from here on.
    mutating func breakOff(_ damage: Damage? = nil) {
        progress.begin(.unknown)
        guard let damage else { return }
        progress.holes += 1
        keep(damage)
    }

    private mutating func readDamaged(_ bytes: [UInt8], _ range: Range<Int>) {
        // Power cuts leave holes, after which dpkg continues as before.
        if let hole = bytes[range].lastIndex(of: 0) {
            progress.lines -= 1
            progress.position.lines -= 1
            return read(bytes, hole + 1..<range.upperBound, isBehindHole: true)
        }
        progress.notUnderstood += 1
        keep(Damage(place: place(bytes, range, nil), isHole: false))
    }

    private mutating func keep(_ damage: Damage) {
        if damages.count < limit { damages.append(damage) }
    }

    private func place(_ bytes: [UInt8], _ range: Range<Int>, _ time: Timestamp?) -> Place {
        Place(log: log, line: progress.position.lines, time: time, text: Place.excerpt(bytes, range))
    }
}

/// The position and time of a line in the log.
private struct Occasion {
    let time: Timestamp
    let bytes: [UInt8]
    let line: Range<Int>

    func text(_ field: LogLine.Field) -> String { String(decoding: bytes[field], as: UTF8.self) }

    /// The text of a field, reusing a known equal text.
    func text(_ field: LogLine.Field?, like known: String?) -> String? {
        guard let field else { return nil }
        if let known, isText(known, field) { return known }
        return text(field)
    }

    private func isText(_ known: String, _ field: LogLine.Field) -> Bool {
        guard known.utf8.count == field.count else { return false }
        var index = field.lowerBound
        for byte in known.utf8 {
            guard byte == bytes[index] else { return false }
            index += 1
        }
        return true
    }
}

// MARK: - Lines

extension Replay {
    private mutating func announce(_ action: Action, of package: String, _ at: Occasion) {
        let machine =
            packages.machineOfOtherArchitecture(meantBy: action, package)
            ?? knownMachine(of: package) { packages, run in
                packages.changeArchitecture(package, before: action, in: run)
            } ?? unseen(package, at)
        let old = machine.state
        var facts = old.facts
        facts.action = action
        if old.status == nil, action.kind == .install, action.old == nil {
            // The package's life begins here, so the machine is new.
            return put(StateMachine(resumingIn: NotInstalledState(facts)))
        }
        let new = type(of: old).init(facts)
        do throws(InvalidTransition) {
            let userInfo = userInfo(at, package)
            switch action.kind {
            case .install: try machine.fire.install(new, userInfo: userInfo)
            case .upgrade: try machine.fire.upgrade(new, userInfo: userInfo)
            case .configure: try machine.fire.configure(new, userInfo: userInfo)
            case .trigproc: try machine.fire.trigproc(new, userInfo: userInfo)
            case .remove: try machine.fire.remove(new, userInfo: userInfo)
            case .purge: try machine.fire.purge(new, userInfo: userInfo)
            case .disappear: try machine.fire.disappear(new, userInfo: userInfo)
            }
        } catch {
            reject(error, new, isAnnouncement: true, at)
            put(StateMachine(resumingIn: new))
        }
    }

    private mutating func enter(
        _ status: Status,
        _ version: LogLine.Field?,
        of package: String,
        _ at: Occasion
    ) {
        let machine =
            knownMachine(of: package) { packages, run in
                packages.changeArchitecture(package, entering: status, at.text(version, like: nil), in: run)
            } ?? unseen(package, at)
        let old = machine.state
        var facts = old.facts
        facts.version = at.text(version, like: old.facts.version)
        if old.status == status {
            facts.repeats += 1
        } else {
            facts.isOtherVersion = old.status != nil && facts.version != old.facts.version
            facts.cameFrom = old.status
            facts.since = at.time
            facts.line = progress.lines
            facts.run = progress.run
            facts.changes += old.status == nil ? 0 : 1
            if old.status == nil, old.ownAction(in: progress.run) == nil {
                facts.action = packages.actionOfOtherArchitecture(meaning: package, facts.version, in: progress.run)
            }
            // The announced action is done; later changes of the package have other reasons.
            if status == .installed, old.status != .triggersAwaited { facts.action = nil }
        }
        do throws(InvalidTransition) {
            try machine.fireEvent(from: old.status, to: status, facts, userInfo(at, package))
            if old.status == status { progress.repeats += 1 } else if old.status != nil { progress.transitions += 1 }
        } catch {
            // dpkg's line is true in any case, although the way there is unknown.
            facts.repeats = old.facts.repeats
            facts.changes = old.facts.changes
            facts.isOtherVersion = false
            facts.cameFrom = nil
            facts.since = at.time
            facts.line = progress.lines
            facts.run = progress.run
            let new = status.state.init(facts)
            reject(error, new, isAnnouncement: false, at)
            put(StateMachine(resumingIn: new))
        }
        if status == .halfInstalled, progress.preparing.map({ $0 == Packages.bare(package) }) == true {
            progress.prepare(nil)
        }
    }

    private mutating func reject(
        _ error: InvalidTransition,
        _ claim: PackageState,
        isAnnouncement: Bool,
        _ at: Occasion
    ) {
        progress.rejections += 1
        let isWatched = watcher?.isFor(claim.facts.package) ?? false
        guard rejections.count < limit || isWatched else { return }
        let rejection = Rejection(
            place: place(at.bytes, at.line, at.time),
            package: claim.facts.package,
            claim: claim,
            isAnnouncement: isAnnouncement,
            number: progress.lines,
            error: error
        )
        if rejections.count < limit { rejections.append(rejection) }
        if isWatched { watcher?.tell(.rejected(rejection)) }
    }

    /// The machine of a package, which may have changed its name.
    private mutating func knownMachine(
        of package: String,
        changingArchitecture: (inout Packages, Run) -> StateMachine<PackageLife>?
    ) -> StateMachine<PackageLife>? {
        let machine = packages[package]
        switch machine?.state.status {
        case nil, .notInstalled, .configFiles: break
        default: return machine
        }
        let renamed =
            (machine == nil ? packages.gainArchitecture(package) : nil) ?? changingArchitecture(&packages, progress.run)
        if let renamed { watcher?.watch(renamed, of: package) }
        return renamed ?? machine
    }

    /// A package without earlier lines in the log.
    private mutating func unseen(_ package: String, _ at: Occasion) -> StateMachine<PackageLife> {
        let facts = Facts(package: package, since: at.time, line: progress.lines, run: progress.run)
        let machine = StateMachine<PackageLife>(entering: UnseenState(facts))
        put(machine)
        return machine
    }

    private mutating func put(_ machine: StateMachine<PackageLife>) {
        machine.activate()
        let package = machine.state.facts.package
        packages[package] = machine
        watcher?.watch(machine, of: package)
    }

    /// The number and time of the line, for the transitions of a watched package.
    private func userInfo(_ at: Occasion, _ package: String) -> UserInfo {
        guard let watcher, watcher.isFor(package) else { return [:] }
        return ["line": progress.lines, "time": at.time.description]
    }
}

extension StateMachine<PackageLife> {
    /// Fires the event of a status line, which leads from the package's current state.
    ///
    /// `enter` also finds the event. Naming an obvious one saves the search in millions of lines.
    fileprivate func fireEvent(
        from old: Status?,
        to new: Status,
        _ facts: Facts,
        _ userInfo: UserInfo
    ) throws(InvalidTransition) {
        switch (old, new) {
        case (new, _): try fire.repeated(new.state.init(facts), userInfo: userInfo)
        case (.notInstalled, .halfInstalled): try fire.beginInstalling(HalfInstalledState(facts), userInfo: userInfo)
        case (.halfInstalled, .unpacked): try fire.unpack(UnpackedState(facts), userInfo: userInfo)
        case (.unpacked, .halfConfigured): try fire.beginConfiguring(HalfConfiguredState(facts), userInfo: userInfo)
        case (.halfConfigured, .installed): try fire.finishConfiguring(InstalledState(facts), userInfo: userInfo)
        case (.installed, .halfConfigured): try fire.deconfigure(HalfConfiguredState(facts), userInfo: userInfo)
        case (.halfConfigured, .unpacked): try fire.beginUpgrading(UnpackedState(facts), userInfo: userInfo)
        case (.unpacked, .halfInstalled): try fire.replace(HalfInstalledState(facts), userInfo: userInfo)
        case (.installed, .triggersPending): try fire.trigger(TriggersPendingState(facts), userInfo: userInfo)
        case (.triggersPending, .halfConfigured):
            try fire.processTriggers(HalfConfiguredState(facts), userInfo: userInfo)
        default: try enter(new.state.init(facts), userInfo: userInfo)
        }
    }
}

/// An observer of the packages with one name.
private struct Watcher {
    let name: String
    let tell: @Sendable (Life.Chapter) -> Void

    func isFor(_ package: String) -> Bool { package == name || Packages.bare(package) == name }

    func watch(_ machine: StateMachine<PackageLife>, of package: String) {
        guard isFor(package) else { return }
        tell(.begins(machine.state))
        machine.onTransition { [tell] transition in tell(.goesOn(transition)) }
    }
}
