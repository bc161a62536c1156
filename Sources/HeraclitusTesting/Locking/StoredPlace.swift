import Heraclitus

/// Where a machine is that was stored: by itself, or within the state of another one.
struct StoredPlace {
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
    func within(_ next: StoredMachine) -> StoredPlace {
        StoredPlace(outer: outer, machine: path(to: next.place.replacing(/\[[0-9]+\]/, with: "[]")))
    }
}
