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
        let workflow = machine.flatMap { $0.place.isEmpty ? nil : "// In the workflow \($0.workflow):\n" } ?? ""
        return workflow + (next > version ? "static var version: Int { \(next) }  // in `migrations`:\n" : "") + code
    }

    func change(_ name: String, of machine: StoredMachine, _ lines: [String]) -> String {
        // Steps to one version have different names.
        let name = "\(name) in \(machine.state)".debugDescription
        let head = ".step(\(name), in: \(next(machine)), of: \(machine.state.debugDescription)) { archive in"
        return Self.closure(head, lines)
    }

    /// A step that converts the value at a path.
    func conversion(of path: String, in machine: StoredMachine, _ comment: String = "") -> String {
        let name = "convert \(path.isEmpty ? "the data" : path)"
        let lines = DataPath(path).map { $0.change(["\($0.place) = …\(comment)"]) }
        return change(name, of: machine, lines ?? ["// \(name)"])
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
