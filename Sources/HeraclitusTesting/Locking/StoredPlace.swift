import Heraclitus

/// The place of a stored machine: the outermost machine, or within the state of another machine.
struct StoredPlace {
    /// The name of the state of the outermost machine.
    let outer: String

    /// The path from the outermost machine's data to the machine; empty for the outermost machine.
    ///
    /// A path into a list stands for all of its elements.
    var machine = ""

    var isOutermost: Bool { machine.isEmpty }

    /// Extends a path in the machine's data to a path in the outermost machine's data.
    func path(to key: String) -> String { isOutermost ? key : "\(machine).data.\(key)" }

    /// The place of a machine in the data of the machine at this place.
    func within(_ next: StoredMachine) -> StoredPlace {
        StoredPlace(outer: outer, machine: path(to: next.place.replacing(/\[[0-9]+\]/, with: "[]")))
    }
}
