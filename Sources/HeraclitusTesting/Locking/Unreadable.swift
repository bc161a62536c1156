import Heraclitus

// Finds archives that the current version cannot read, and the steps that mend them.

extension Compatibility {
    func found(_ error: ArchiveError, in stored: StoredMachine) -> IncompatibleArchives.Break {
        switch error {
        case .unknownState(let name, _, let path):
            let machine = machine(around: path, in: stored)
            if machine.state == name { return unknownState(of: machine) }
        case .wrongWorkflow(let old, let new, let path):
            return made(
                path.isEmpty ? nil : stored.outer,
                path.isEmpty
                    ? "The workflow is called \(new) now, or the folder is that of \(old): each workflow needs its own."
                    : "The workflow at \"\(path)\" is called \(new) now.",
                (path.isEmpty ? "" : "// In the workflow \(new):\n")
                    + "static var name: String { \(old.debugDescription) }"
            )
        case .newerVersion(let version, let supported, let path):
            let workflow = path.isEmpty ? nil : machine(around: path + ".", in: stored).workflow
            return made(
                path.isEmpty ? nil : stored.outer,
                "The version\(workflow.map { " of \($0)" } ?? "") is \(supported) now.",
                (workflow.map { "// In the workflow \($0):\n" } ?? "")
                    + "static var version: Int { \(version) }  // or a later one"
            )
        case .brokenState(let name, let path, let error as DecodingError):
            let machine = machine(around: path, in: stored)
            if machine.state == name { return broken(machine, error) }
        default: break
        }
        return made(
            stored.outer,
            "\(error)",
            "// Write a migration for this workflow, or for the workflow of the machine at this place."
        )
    }

    /// The innermost machine on a path of an archive: for `data.bell.data.tone`, the machine at `bell`.
    private func machine(around path: String, in stored: StoredMachine) -> StoredMachine {
        var machine = stored
        while let next = machine.machines.first(where: { path.hasPrefix("data.\($0.place).") }) { machine = next }
        return machine
    }

    private func unknownState(of machine: StoredMachine) -> IncompatibleArchives.Break {
        let name = machine.state
        let (old, new) = (storedShapes[machine], shapesOfToday[machine])
        let explanation =
            machine.place.isEmpty
            ? "The state \(name) is gone."
            : "\"\(machine.path).state\": The state \(name) of \(machine.workflow) is gone."
        let others = new.keys.filter { old[$0] == nil && new[$0] == old[name] }.sorted()
        guard !others.isEmpty else {
            let target = machine.place.isEmpty ? W.table.initial.debugDescription : "…"
            let code = ".state(\(name.debugDescription), becomes: \(target), in: \(next(machine))) { data in … },"
            return made(machine.outer, explanation, step(code, for: machine))
        }
        let target = others.count == 1 ? others[0].debugDescription : "…"
        let code = ".state(\(name.debugDescription), becomes: \(target), in: \(next(machine))),"
        return made(
            machine.outer,
            "\(explanation) \(others.joined(separator: " or ")) has the same keys.",
            step(code, for: machine)
        )
    }

    private func broken(_ machine: StoredMachine, _ error: DecodingError) -> IncompatibleArchives.Break {
        func made(_ explanation: String, _ code: String) -> IncompatibleArchives.Break {
            self.made(machine.outer, explanation, step(code, for: machine))
        }
        func path(_ keys: [any CodingKey]) -> String { self.path(keys, within: machine) }
        let (old, new) = (storedShapes[machine][machine.state], shapesOfToday[machine][machine.state])
        switch error {
        case .keyNotFound(let key, let context):
            let path = path(context.codingPath + [key])
            let explanation = "\"\(machine.path(to: path))\" is read, and was not stored."
            guard let code = DataPath(path) else {
                return made(explanation, change("add \(path)", of: machine, ["// add \(path)"]))
            }
            let type = new?.types[path]
            let unread = (old?.paths(missingIn: new ?? JSONShape(of: [])) ?? []).filter {
                old?.types[$0] == type && DataPath($0)?.isBeside(code) == true
            }
            if unread.count == 1, let before = DataPath(unread[0]) {
                return made(
                    "\(explanation) \"\(machine.path(to: unread[0]))\" is stored, and no longer read.",
                    change("\(unread[0]) becomes \(path)", of: machine, code.takeOver(before))
                )
            }
            let places = unread.map { "\"\(machine.path(to: $0))\"" }.joined(separator: " and ")
            let value = unread.isEmpty ? Self.value(of: type) : "…"
            return made(
                explanation + (unread.isEmpty ? "" : " \(places) are stored, and no longer read."),
                change(
                    "add \(path)",
                    of: machine,
                    code.change(["if \(code.place) == nil { \(code.place) = \(value) }"])
                )
            )
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let path = path(context.codingPath)
            let known = path.isEmpty ? [machine.data.typeName] : old?.types[path]
            let types = known?.sorted().joined(separator: " or ") ?? "missing"
            return made(
                "\(machine.subject(path)) is \(types) in archives, and is read as \(Self.name(of: type)).",
                conversion(of: path, in: machine, "  // from the \(types) that it was")
            )
        case .dataCorrupted(let context):
            let path = path(context.codingPath)
            return made(
                "\(machine.subject(path)) of an archive cannot be read: \(context.debugDescription)",
                conversion(of: path, in: machine)
            )
        @unknown default:
            return made("\(error)", "// Write a migration.")
        }
    }

    /// A path of coding keys in the notation of shapes, below the data of a machine.
    private func path(_ keys: [any CodingKey], within machine: StoredMachine) -> String {
        let path = keys.reduce("") { path, key in
            key.intValue != nil ? "\(path)[]" : DataPath.path(path, then: key.stringValue)
        }
        let outside = machine.place.isEmpty ? "data" : "data.\(machine.path(to: ""))"
        guard path.hasPrefix(outside) else { return path }
        let inner = path.dropFirst(outside.count)
        return String(inner.hasPrefix(".") ? inner.dropFirst() : inner)
    }
}

/// The shapes of the states of each workflow.
struct ShapesOfStates {
    private let shapes: [String?: [String: JSONShape]]

    init(of machines: [StoredMachine]) {
        shapes = Dictionary(grouping: machines, by: Self.key)
            .mapValues { Dictionary(grouping: $0) { $0.state }.mapValues { JSONShape(of: $0.map(\.data)) } }
    }

    /// The shapes of the states of a machine's workflow, by state name.
    subscript(machine: StoredMachine) -> [String: JSONShape] { shapes[Self.key(of: machine)] ?? [:] }

    /// The name of an inner machine's workflow; the outermost workflow may have a new name.
    private static func key(of machine: StoredMachine) -> String? { machine.place.isEmpty ? nil : machine.workflow }
}
