import Foundation
import Heraclitus

/// What has become unreadable, or would be lost, of what one version has stored.
struct Compatibility<W: Workflow> {
    private let lock: ArchiveLock
    private let today: ArchiveLock
    private let initial: String
    private let except: Set<String>

    /// The machines in the archives of the lock, and in those of today.
    private let storedMachines: [StoredMachine]
    private let machinesOfToday: [StoredMachine]

    init(_ lock: ArchiveLock, _ today: ArchiveLock, initial: String, except: Set<String>) {
        self.lock = lock
        self.today = today
        self.initial = initial
        self.except = except
        storedMachines = lock.archives.compactMap { StoredMachine($0) }.flatMap(\.all)
        machinesOfToday = today.archives.compactMap { StoredMachine($0) }.flatMap(\.all)
    }

    /// Each kind of break once.
    func breaks() throws -> [IncompatibleArchives.Break] {
        var seen: Set<IncompatibleArchives.Break> = []
        let effects = try EffectCompatibility<W>(lock).breaks()
        return try (lock.archives.flatMap(breaks) + lostEvents + effects).filter { seen.insert($0).inserted }
    }

    private func breaks(_ archive: JSONValue) throws -> [IncompatibleArchives.Break] {
        guard let stored = StoredMachine(archive) else { return [] }
        let restored: StoredMachine?
        do {
            restored = StoredMachine(
                try JSONValue(json: W.archive(of: W.state(from: JSONEncoder().encode(archive))))
            )
        } catch let error as ArchiveError {
            return [found(error, in: stored)]
        }
        return restored.map { compare(stored, $0, in: Place(outer: stored.state)) } ?? []
    }

    private var lostEvents: [IncompatibleArchives.Break] {
        guard lock.version == today.version else { return [] }
        return lock.events.filter { !today.events.contains($0) }.map { event in
            made(
                nil,
                "The event \(event.debugDescription) is gone. Archived events and occurrences name it.",
                "Event(\(event.debugDescription), …)  // whichever property has taken its place"
            )
        }
    }

    private func made(_ state: String?, _ explanation: String, _ remedy: String) -> IncompatibleArchives.Break {
        IncompatibleArchives.Break(version: lock.version, state: state, explanation: explanation, remedy: remedy)
    }
}

/// Where a machine is that was stored: by itself, or within the state of another one.
private struct Place {
    /// The name of the state of the outermost machine.
    let outer: String

    /// The path from that one's data to the machine; empty for the outermost one itself.
    ///
    /// A machine in a list stands for all of them.
    var machine = ""

    var isOutermost: Bool { machine.isEmpty }

    /// A path from the machine's data as one from the outermost machine's.
    func path(to key: String) -> String { isOutermost ? key : "\(machine).data.\(key)" }

    /// The place of a machine in the data of the one at this place.
    func within(_ next: StoredMachine) -> Place {
        Place(outer: outer, machine: path(to: next.place.replacing(/\[[0-9]+\]/, with: "[]")))
    }
}

// MARK: - What is read differently

extension Compatibility {
    /// Compares a machine with the same one as it is when it was restored and archived again.
    ///
    /// What an older version has stored is up to the migrations, also for the machines within.
    private func compare(
        _ before: StoredMachine,
        _ after: StoredMachine,
        in place: Place
    ) -> [IncompatibleArchives.Break] {
        guard before.version == after.version else { return [] }
        let (old, new) = (JSONShape(of: [before.data]), JSONShape(of: [after.data]))
        let lost = old.paths(missingIn: new).filter(isCompared).map { path in
            made(
                place.outer,
                "\"\(place.path(to: path))\" is stored and no longer read: it would be lost.",
                step(
                    change("drop \(path)", of: before, DataPath(path).map { "\($0) = nil" } ?? "// drop \(path)"),
                    for: before,
                    in: place
                )
            )
        }
        let inner = Dictionary(after.machines.map { ($0.place, $0) }) { first, _ in first }
        return lost + changes(before, after, old, new, in: place)
            + before.machines.flatMap { machine in
                inner[machine.place].map { compare(machine, $0, in: place.within(machine)) } ?? []
            }
    }

    /// The values that are read as others, as a number that has become a date.
    ///
    /// Values in lists are not compared, because their order may be that of a set.
    private func changes(
        _ before: StoredMachine,
        _ after: StoredMachine,
        _ old: JSONShape,
        _ new: JSONShape,
        in place: Place
    ) -> [IncompatibleArchives.Break] {
        var values: [String: JSONValue] = [:]
        after.data.forEachValue { path, value in values[path] = value }
        var changed: [(path: String, explanation: String)] = []
        before.data.forEachValue { path, value in
            guard !path.isEmpty, !path.contains("[]"), !value.isContainer, value != .null, let now = values[path],
                now != value
            else { return }
            changed.append((path, "is \(value.text) in an archive, and is \(now.text) when that is read"))
        }
        for path in old.paths(ofOtherTypesIn: new) where path.contains("[]") {
            changed.append((path, "is another type of value when an archive is read"))
        }
        return changed.filter { isCompared($0.path) }.sorted { $0.path < $1.path }.map { path, explanation in
            let code = DataPath(path).map { "\($0) = …" } ?? "// convert \(path)"
            return made(
                place.outer,
                "\"\(place.path(to: path))\" \(explanation).",
                step(change("convert \(path)", of: before, code), for: before, in: place)
            )
        }
    }

    /// Whether a property has to survive an archive.
    private func isCompared(_ path: String) -> Bool {
        !path.split(separator: ".").contains { except.contains(String($0).replacing("[]", with: "")) }
    }
}

// MARK: - What cannot be read

extension Compatibility {
    private func found(_ error: ArchiveError, in stored: StoredMachine) -> IncompatibleArchives.Break {
        switch error {
        case .unknownState(let name, _, let path):
            if let (machine, place) = machine(around: path, in: stored), machine.state == name {
                return unknownState(of: machine, in: place)
            }
        case .wrongWorkflow(let old, let new, ""):
            return made(
                nil,
                "The workflow is called \(new) now.",
                "static var name: String { \(old.debugDescription) }"
            )
        case .newerVersion(let version, let supported, ""):
            return made(
                nil,
                "The version is \(supported) now.",
                "static var version: Int { \(version) }  // or a later one"
            )
        case .brokenState(let name, let path, let error as DecodingError):
            if let (machine, place) = machine(around: path, in: stored), machine.state == name {
                return broken(machine, error, in: place)
            }
        default: break
        }
        return made(
            stored.state,
            "\(error)",
            "// A migration, of this workflow or of that of the machine at this place, has to do it."
        )
    }

    /// The innermost machine that a path of an archive leads into: `data.bell.data.tone` to the one at `bell`.
    private func machine(around path: String, in stored: StoredMachine) -> (StoredMachine, Place)? {
        var (machine, place, rest) = (stored, Place(outer: stored.state), path[...])
        while rest.hasPrefix("data.") {
            let below = rest.dropFirst("data.".count)
            guard let next = machine.machines.first(where: { below.hasPrefix("\($0.place).") }) else { break }
            rest = below.dropFirst(next.place.count + 1)
            (machine, place) = (next, place.within(next))
        }
        return (machine, place)
    }

    private func unknownState(of machine: StoredMachine, in place: Place) -> IncompatibleArchives.Break {
        let name = machine.state
        let (old, new) = (states(like: machine, in: storedMachines), states(like: machine, in: machinesOfToday))
        let explanation =
            place.isOutermost
            ? "The state \(name) is gone."
            : "\"\(place.machine).state\": The state \(name) of \(machine.workflow) is gone."
        guard let other = new.keys.filter({ old[$0] == nil }).sorted().first(where: { new[$0] == old[name] }) else {
            let target = place.isOutermost ? initial.debugDescription : "…"
            let code = ".removeState(\(name.debugDescription), into: \(target), in: \(next(machine))) { data in … },"
            return made(place.outer, explanation, step(code, for: machine, in: place))
        }
        let code = ".renameState(\(name.debugDescription), to: \(other.debugDescription), in: \(next(machine))),"
        return made(
            place.outer,
            "\(explanation) \(other) has the same keys.",
            step(code, for: machine, in: place)
        )
    }

    private func broken(
        _ machine: StoredMachine,
        _ error: DecodingError,
        in place: Place
    ) -> IncompatibleArchives.Break {
        func made(_ explanation: String, _ code: String) -> IncompatibleArchives.Break {
            self.made(place.outer, explanation, step(code, for: machine, in: place))
        }
        func path(_ keys: [any CodingKey]) -> String { self.path(keys, within: place) }
        let old = states(like: machine, in: storedMachines)[machine.state]
        let new = states(like: machine, in: machinesOfToday)[machine.state]
        switch error {
        case .keyNotFound(let key, let context):
            let path = path(context.codingPath + [key])
            let explanation = "\"\(place.path(to: path))\" is read, and was not stored."
            guard let code = DataPath(path) else { return made(explanation, "// add \(path)") }
            let type = new?.types[path]
            let unread = old.map { old in
                old.paths(missingIn: new ?? JSONShape(of: [])).first { old.types[$0] == type }
            }
            if let other = unread ?? nil, let before = DataPath(other) {
                return made(
                    "\(explanation) \"\(place.path(to: other))\" is stored, and no longer read.",
                    change("\(other) becomes \(path)", of: machine, "\(code) = \(before)", "\(before) = nil")
                )
            }
            return made(explanation, change("add \(path)", of: machine, "\(code) = \(Self.value(of: type))"))
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let path = path(context.codingPath)
            let before = old?.types[path]?.sorted().joined(separator: " or ") ?? "missing"
            let code = DataPath(path)?.description ?? "// \(path)"
            return made(
                "\"\(place.path(to: path))\" is \(before) in archives, and is read as \(type).",
                change(
                    "convert \(path)",
                    of: machine,
                    "\(code) = \(Self.value(of: new?.types[path]))  // from the \(before) that it was"
                )
            )
        case .dataCorrupted(let context):
            let path = path(context.codingPath)
            let code = DataPath(path)?.description ?? "// \(path)"
            return made(
                "What \"\(place.path(to: path))\" is in archives cannot be read: \(context.debugDescription)",
                change("convert \(path)", of: machine, "\(code) = …")
            )
        @unknown default:
            return made("\(error)", "// A migration has to do it.")
        }
    }

    /// The shapes of the states of a machine's workflow, by their names.
    private func states(like machine: StoredMachine, in machines: [StoredMachine]) -> [String: JSONShape] {
        // The outermost one's workflow may be called something else by now; its place is the same.
        let alike = machines.filter {
            machine.place.isEmpty ? $0.place.isEmpty : $0.workflow == machine.workflow && !$0.place.isEmpty
        }
        return Dictionary(grouping: alike) { $0.state }.mapValues { JSONShape(of: $0.map(\.data)) }
    }

    /// A path of keys as shapes have it, below the data of the machine at a place.
    private func path(_ keys: [any CodingKey], within place: Place) -> String {
        let path = keys.reduce("") { path, key in
            key.intValue != nil ? "\(path)[]" : DataPath.path(path, then: key.stringValue)
        }
        let outside = "data." + place.path(to: "")
        return path.hasPrefix(outside) ? String(path.dropFirst(outside.count)) : path
    }
}

// MARK: - Code that mends it

extension Compatibility {
    /// The version that a step for a machine has to lead to.
    private func next(_ machine: StoredMachine) -> Int {
        let version = version(of: machine)
        return machine.version < version ? version : version + 1
    }

    /// Today's version of a machine's workflow.
    private func version(of machine: StoredMachine) -> Int {
        if machine.place.isEmpty { return today.version }
        return machinesOfToday.first { $0.workflow == machine.workflow }?.version ?? machine.version
    }

    /// A step in the list of migrations, below the version that it needs and the workflow that it belongs to.
    private func step(_ code: String, for machine: StoredMachine, in place: Place) -> String {
        let next = next(machine)
        return (place.isOutermost ? "" : "// In the workflow \(machine.workflow):\n")
            + (next > version(of: machine) ? "static var version: Int { \(next) }  // in `migrations`:\n" : "") + code
    }

    private func change(_ name: String, of machine: StoredMachine, _ lines: String...) -> String {
        let head =
            ".step(\(name.debugDescription), in: \(next(machine)), of: \(machine.state.debugDescription)) { archive in"
        return ([head] + lines.map { "    \($0)" } + ["},"]).joined(separator: "\n")
    }

    private static func value(of types: Set<String>?) -> String {
        switch types?.sorted().first(where: { $0 != "null" }) {
        case "bool": "false"
        case "number": "0"
        case "string": "\"\""
        case "array": "[]"
        case "object": "[:]"
        default: "…"
        }
    }
}
