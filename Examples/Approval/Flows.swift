import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusTables

/// The flows of a customer in a folder, with one file for each version of a flow.
struct Flows {
    /// The valid flows, in the order of their files.
    private(set) var flows: [DataWorkflow] = []

    /// Why the others cannot.
    private(set) var refused: [(file: String, error: any Error)] = []

    init(in folder: URL) throws {
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
            do {
                let content = try Data(contentsOf: folder.appendingPathComponent(file))
                let table =
                    file.hasSuffix(".scxml") ? try TransitionTable(scxml: content) : try TransitionTable(json: content)
                flows.append(try Self.flow(table))
            } catch {
                refused.append((file, error))
            }
        }
    }

    /// The flow with a name, in a given version or the newest.
    subscript(name: String, version version: Int? = nil) -> DataWorkflow {
        get throws {
            let found = flows.filter {
                $0.table.workflow == name && (version == nil || $0.table.version == version)
            }
            guard let newest = found.max(by: { $0.table.version < $1.table.version }) else {
                throw NoSuchFlow(name: name)
            }
            return newest
        }
    }

    /// The rules of the house apply to every flow with the event.
    private static func flow(_ table: TransitionTable) throws -> DataWorkflow {
        let flow = try DataWorkflow(table)
        guard table.events.contains(where: { $0.name == "approve" }) else { return flow }
        return try flow.guarded("approve") { document, transition in
            let sum = (document["amount"] ?? document["sum"])?.doubleValue ?? 0
            if sum > 1_000, transition.userInfo["by", as: String.self] != "director" { throw NeedsDirector() }
        }
    }
}

struct NoSuchFlow: LocalizedError {
    let name: String
    var errorDescription: String? { "There is no flow \(name)." }
}

struct NeedsDirector: LocalizedError {
    var errorDescription: String? { "More than 1,000 is approved by the director." }
}
