import Heraclitus

// Finds archives that the current version cannot read, and the steps that mend them.

extension Compatibility {
    func found(_ error: ArchiveError, in stored: StoredMachine) -> Break {
        /// A break that code of the workflow itself mends, or of the workflow of a machine in the state.
        func made(_ explanation: String, _ code: String, in workflow: String?) -> Break {
            self.made(workflow == nil ? nil : stored.outer, explanation, heading(workflow) + code)
        }
        switch error {
        case .unknownState(let name, _, let path):
            let machine = machine(around: path, in: stored)
            if machine.state == name { return unknownState(of: machine) }
        case .wrongWorkflow(let old, let new, let path):
            let code = "static var name: String { \(old.debugDescription) }"
            if !path.isEmpty { return made("The workflow at \"\(path)\" is called \(new) now.", code, in: new) }
            let explanation = "called \(new) now, or the folder is that of \(old): each workflow needs its own."
            return made("The workflow is \(explanation)", code, in: nil)
        case .newerVersion(let version, let supported, let path):
            let workflow = path.isEmpty ? nil : machine(around: path + ".", in: stored).workflow
            let explanation = "The version\(workflow.map { " of \($0)" } ?? "") is \(supported) now."
            return made(explanation, "static var version: Int { \(version) }  // or a later one", in: workflow)
        case .brokenState(let name, let path, let error as DecodingError):
            let machine = machine(around: path, in: stored)
            if machine.state == name, let found = found(error, at: machine) { return found }
        default: break
        }
        let remedy = "// Write a migration for this workflow, or for the workflow of the machine at this place."
        return self.made(stored.outer, "\(error)", remedy)
    }

    /// The innermost machine on a path of an archive: for `data.bell.data.tone`, the machine at `bell`.
    private func machine(around path: String, in stored: StoredMachine) -> StoredMachine {
        var machine = stored
        while let next = machine.machines.first(where: { path.hasPrefix("data.\($0.place).") }) { machine = next }
        return machine
    }

    private func unknownState(of machine: StoredMachine) -> Break {
        let (name, isOutermost) = (machine.state, machine.place.isEmpty)
        let (old, new) = (storedShapes[machine], shapesOfToday[machine])
        let others = new.keys.filter { old[$0] == nil && new[$0] == old[name] }.sorted()
        let target: String? = others.isEmpty && isOutermost ? W.table.initial : others.count == 1 ? others[0] : nil
        let code =
            ".state(\(name.debugDescription), becomes: \(target?.debugDescription ?? "…"), in: \(next(machine)))"
            + (others.isEmpty ? " { data in … }," : ",")
        let explanation =
            (isOutermost
                ? "The state \(name) is gone."
                : "\"\(machine.path).state\": The state \(name) of \(machine.workflow) is gone.")
            + (others.isEmpty ? "" : " \(others.joined(separator: " or ")) has the same keys.")
        return made(machine.outer, explanation, step(code, for: machine))
    }

    /// The break of a decoding error; `nil` for an unknown error.
    private func found(_ error: DecodingError, at machine: StoredMachine) -> Break? {
        let (old, new) = (storedShapes.shape(of: machine), shapesOfToday.shape(of: machine))
        switch error {
        case .keyNotFound(let key, let context):
            let path = path(context.codingPath + [key], within: machine)
            let explanation = "\"\(machine.path(to: path))\" is read, and was not stored."
            let unread = new.paths(like: path, among: old.paths(missingIn: new), of: old)
            let places = unread.map { "\"\(machine.path(to: $0))\"" }.joined(separator: " and ")
            if unread.count == 1 {
                let explanation = "\(explanation) \(places) is stored, and no longer read."
                return renamed(unread[0], to: path, of: machine, explanation)
            }
            let value = unread.isEmpty ? Self.value(of: new.types[path]) : "…"
            let lines = DataPath(path).map { $0.change(["if \($0.place) == nil { \($0.place) = \(value) }"]) }
            let others = unread.isEmpty ? "" : " \(places) are stored, and no longer read."
            return made(machine, explanation + others, "add \(path)", lines ?? ["// add \(path)"])
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let path = path(context.codingPath, within: machine)
            let known = path.isEmpty ? [machine.data.typeName] : old.types[path]
            let types = known?.sorted().joined(separator: " or ") ?? "missing"
            let change = "is \(types) in archives, and is read as \(Self.name(of: type))."
            let comment = "  // from the \(types) that it was"
            return converted(path, of: machine, "\(machine.subject(path)) \(change)", comment)
        case .dataCorrupted(let context):
            let path = path(context.codingPath, within: machine)
            let explanation = "\(machine.subject(path)) of an archive cannot be read: \(context.debugDescription)"
            return converted(path, of: machine, explanation)
        @unknown default: return nil
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
