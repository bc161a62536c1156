import Heraclitus

/// A machine, or a state on its own, in an archive: the archived one itself, or one within the data of its state.
struct StoredMachine {
    let workflow: String
    let version: Int
    let state: String

    /// Where it is, such as `bell` or `bells[0]`, below the data of the one around it; empty for the archived one itself.
    let place: String

    /// The data of its state without that of the machines in it.
    let data: JSONValue

    /// The machines in its data.
    let machines: [StoredMachine]

    /// - Returns: `nil` if a value is no archive.
    init?(_ archive: JSONValue, at place: String = "") {
        guard let workflow = archive["workflow"]?.stringValue, let version = archive["version"]?.intValue,
            let state = archive["state"]?.stringValue, archive["format"]?.intValue != nil
        else { return nil }
        (self.workflow, self.version, self.state, self.place) = (workflow, version, state, place)
        var machines: [StoredMachine] = []
        data = (archive["data"] ?? .null).takingMachines(at: "", into: &machines)
        self.machines = machines
    }

    /// It and all machines in it, the outer ones first.
    var all: [StoredMachine] { [self] + machines.flatMap(\.all) }
}

extension JSONValue {
    /// What stands for a machine: an object that is not empty, and has no key that could be missing.
    fileprivate static let machine: JSONValue = ["machine": .null]

    /// The same without the machines in it.
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
