import Foundation
import Heraclitus

/// Archives of the current version: machines driven through every transition, and every sample.
struct CollectedArchives {
    private(set) var archives: [(state: String, archive: JSONValue)] = []
    private(set) var effects: [(name: String, data: JSONValue)] = []

    init<W: Workflow>(
        of workflow: W.Type,
        _ context: W.Context,
        _ samples: [Sample<W>],
        firedByHooks hookEvents: Set<String>,
        except: Set<String>
    ) throws {
        var collected = CollectedArchives()
        let exercise = Exercise(
            table: W.table,
            context: context,
            samples: samples,
            isRestarting: true,
            hookEvents: hookEvents,
            except: except,
            invariants: [
                "archives are collected": { machine in
                    let archive = try JSONValue(json: machine.archive())
                    try collected.add(machine.state, archive)
                    return true
                }
            ]
        )
        _ = try exercise.report(covering: .transitions)
        self = collected
        // Adds the states that machines missed because an earlier sample of the state was used.
        let states = exercise.table.states
        for sample in samples {
            // The archives of the holders contain the states of regions.
            guard let state = try? sample.make(()), states.contains(type(of: state).name),
                let state = state as? W.AnyState
            else { continue }
            try add(state, JSONValue(json: W.archive(of: state)))
        }
    }

    private init() {}

    private mutating func add(_ state: Any, _ archive: JSONValue) throws {
        if let name = archive["state"]?.stringValue { archives.append((name, archive)) }
        for effect in (state as? any Effecting)?.effects ?? [] {
            effects.append((type(of: effect).name, try JSONValue(encoding: effect, at: [])))
        }
    }
}
