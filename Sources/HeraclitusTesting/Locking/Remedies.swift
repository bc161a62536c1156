import Heraclitus

// The code of migration steps, and its place.

extension Compatibility {
    /// The version that a step has to lead to: for a machine, or for an effect of the outermost workflow.
    func next(_ machine: StoredMachine? = nil) -> Int {
        let version = version(of: machine)
        return machine?.version ?? lock.version < version ? version : version + 1
    }

    /// The current version of a machine's workflow, or of the outermost workflow.
    private func version(of machine: StoredMachine?) -> Int {
        guard let machine, !machine.place.isEmpty else { return today.version }
        return machinesOfToday.first { $0.workflow == machine.workflow }?.version ?? machine.version
    }

    /// A step for the list of migrations, headed by its workflow and the version it needs.
    func step(_ code: String, for machine: StoredMachine? = nil) -> String {
        let (next, version) = (next(machine), version(of: machine))
        let workflow = machine.flatMap { $0.place.isEmpty ? nil : $0.workflow }
        let needed = next > version ? "static var version: Int { \(next) }  // in `migrations`:\n" : ""
        return heading(workflow) + needed + code
    }

    /// The line before the code of another workflow than the outermost one.
    func heading(_ workflow: String?) -> String { workflow.map { "// In the workflow \($0):\n" } ?? "" }

    /// A break that a step with these lines mends.
    func made(_ machine: StoredMachine, _ explanation: String, _ name: String, _ lines: [String]) -> Break {
        // Steps to one version have different names.
        let name = "\(name) in \(machine.state)".debugDescription
        let head = ".step(\(name), in: \(next(machine)), of: \(machine.state.debugDescription)) { archive in"
        return made(machine.outer, explanation, step(Self.closure(head, lines), for: machine))
    }

    /// A break that a step mends, which moves the value of a renamed key.
    func renamed(_ old: String, to new: String, of machine: StoredMachine, _ explanation: String) -> Break {
        let lines = DataPath(new).flatMap { new in DataPath(old).map(new.takeOver) }
        return made(machine, explanation, "\(old) becomes \(new)", lines ?? [])
    }

    /// A break that a step mends, which converts the value at a path.
    func converted(_ path: String, of machine: StoredMachine, _ explanation: String, _ comment: String = "") -> Break {
        let name = "convert \(path.isEmpty ? "the data" : path)"
        return made(machine, explanation, name, DataPath.lines(setting: path, to: "…\(comment)"))
    }

    /// A step with a closure of these lines.
    static func closure(_ head: String, _ lines: [String]) -> String {
        ([head] + lines.map { "    \($0)" } + ["},"]).joined(separator: "\n")
    }

    /// The JSON name of a type that only the decoder uses; otherwise the type's own name.
    static func name(of type: Any.Type) -> String {
        switch type {
        case is [String: Any].Type: "an object"
        case is [Any].Type: "a list"
        default: "\(type)"
        }
    }

    static func value(of types: Set<String>?) -> String {
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
