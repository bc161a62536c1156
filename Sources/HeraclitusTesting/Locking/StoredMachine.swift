import Heraclitus

/// A machine or a single state in an archive: the outermost one, or one within a state's data.
struct StoredMachine {
    let workflow: String
    let version: Int
    let state: String

    /// The name of the state of the outermost machine.
    let outer: String

    /// The path below the data of the outermost machine, such as `bells[0].data.clapper`; empty for the outermost
    /// machine.
    let place: String

    /// The data of the state, with placeholders for the machines in it.
    let data: JSONValue

    /// The machines in its data.
    let machines: [StoredMachine]

    /// - Returns: `nil` if the value is no archive.
    init?(_ archive: JSONValue, at place: String = "", in outer: String? = nil) {
        guard archive.isArchive, let workflow = archive["workflow"]?.stringValue,
            let version = archive["version"]?.intValue, let state = archive["state"]?.stringValue,
            let data = archive["data"]
        else { return nil }
        let outer = outer ?? state
        (self.workflow, self.version, self.state, self.outer, self.place) = (workflow, version, state, outer, place)
        var machines: [StoredMachine] = []
        self.data = data.takingMachines(at: place.isEmpty ? "" : "\(place).data", in: outer, &machines)
        self.machines = machines
    }

    /// The machine and all machines in it, outer machines first.
    var all: [StoredMachine] { [self] + machines.flatMap(\.all) }

    /// The place of the machine and of its equals: a path into a list stands for all of its elements.
    var path: String { place.replacing(/\[[0-9]+\]/, with: "[]") }

    /// Extends a path in the machine's data to a path in the outermost machine's data.
    func path(to key: String) -> String {
        if place.isEmpty { return key }
        return "\(path).data" + (key.isEmpty || key.hasPrefix("[") ? key : ".\(key)")
    }

    /// A value of the machine's data as the subject of a sentence.
    func subject(_ key: String) -> String { DataPath.subject(path(to: key)) }
}

extension JSONValue {
    /// The placeholder of a machine: a non-empty object whose only key is always present.
    fileprivate static let machine: JSONValue = ["machine": .null]

    /// The value with placeholders for the machines in it.
    fileprivate func takingMachines(at path: String, in outer: String, _ machines: inout [StoredMachine]) -> JSONValue {
        func taken(_ value: JSONValue, at path: String) -> JSONValue {
            guard let machine = StoredMachine(value, at: path, in: outer) else {
                return value.takingMachines(at: path, in: outer, &machines)
            }
            machines.append(machine)
            return Self.machine
        }
        switch self {
        case .object(let members):
            var content: [String: JSONValue] = [:]
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                content[key] = taken(member, at: DataPath.path(path, then: key))
            }
            return .object(content)
        case .array(let elements): return .array(elements.enumerated().map { taken($1, at: "\(path)[\($0)]") })
        default: return self
        }
    }
}
