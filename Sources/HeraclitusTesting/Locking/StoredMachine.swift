import Heraclitus

/// A machine or a single state in an archive: the outermost one, or one within a state's data.
struct StoredMachine {
    let workflow: String
    let version: Int
    let state: String

    /// The path below the data of the enclosing machine, such as `bell` or `bells[0]`; empty for the outermost machine.
    let place: String

    /// The data of the state, with placeholders for the machines in it.
    let data: JSONValue

    /// The machines in its data.
    let machines: [StoredMachine]

    /// - Returns: `nil` if the value is no archive.
    init?(_ archive: JSONValue, at place: String = "") {
        guard let workflow = archive["workflow"]?.stringValue, let version = archive["version"]?.intValue,
            let state = archive["state"]?.stringValue, archive["format"]?.intValue != nil
        else { return nil }
        (self.workflow, self.version, self.state, self.place) = (workflow, version, state, place)
        var machines: [StoredMachine] = []
        data = (archive["data"] ?? .null).takingMachines(at: "", into: &machines)
        self.machines = machines
    }

    /// The machine and all machines in it, outer machines first.
    var all: [StoredMachine] { [self] + machines.flatMap(\.all) }
}

extension JSONValue {
    /// The placeholder of a machine: a non-empty object whose only key is always present.
    fileprivate static let machine: JSONValue = ["machine": .null]

    /// The value with placeholders for its machines.
    fileprivate func takingMachines(at place: String, into machines: inout [StoredMachine]) -> JSONValue {
        if !place.isEmpty, let machine = StoredMachine(self, at: place) {
            machines.append(machine)
            return Self.machine
        }
        switch self {
        case .object(let members):
            var content: [String: JSONValue] = [:]
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                content[key] = member.takingMachines(at: DataPath.path(place, then: key), into: &machines)
            }
            return .object(content)
        case .array(let elements):
            return .array(
                elements.enumerated().map { $1.takingMachines(at: "\(place)[\($0)]", into: &machines) }
            )
        default: return self
        }
    }
}
