import Heraclitus

// The code of migration steps, and its place.

extension Compatibility {
    /// The version that a step for a machine has to lead to.
    func next(_ machine: StoredMachine) -> Int {
        let version = version(of: machine)
        return machine.version < version ? version : version + 1
    }

    /// The current version of a machine's workflow.
    func version(of machine: StoredMachine) -> Int {
        if machine.place.isEmpty { return today.version }
        return machinesOfToday.first { $0.workflow == machine.workflow }?.version ?? machine.version
    }

    /// A step for the list of migrations, headed by its workflow and the version it needs.
    func step(_ code: String, for machine: StoredMachine, in place: StoredPlace) -> String {
        let next = next(machine)
        return (place.isOutermost ? "" : "// In the workflow \(machine.workflow):\n")
            + (next > version(of: machine) ? "static var version: Int { \(next) }  // in `migrations`:\n" : "") + code
    }

    func change(_ name: String, of machine: StoredMachine, _ lines: [String]) -> String {
        // Steps to one version have different names.
        let name = "\(name) in \(machine.state)".debugDescription
        let head = ".step(\(name), in: \(next(machine)), of: \(machine.state.debugDescription)) { archive in"
        return ([head] + lines.map { "    \($0)" } + ["},"]).joined(separator: "\n")
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
