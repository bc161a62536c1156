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
        let declared = Lock<[any Effect]>([])
        let exercise = Exercise(
            table: W.table,
            context: context,
            samples: samples,
            isRestarting: true,
            hookEvents: hookEvents,
            except: except,
            invariants: [
                "archives are collected": { machine in
                    try collected.add(JSONValue(json: machine.archive()))
                    for effect in declared.withLock({ exchange(&$0, with: []) }) { try collected.add(effect) }
                    return true
                }
            ],
            collectEffects: { new in declared.withLock { $0 += new.effects } }
        )
        _ = try exercise.report(covering: .transitions)
        self = collected
        // Adds the states that machines missed because an earlier sample of the state was used.
        let definition = exercise.definition
        for sample in samples {
            // The archives of the holders contain the states of regions.
            guard let state = try? sample.make(()), definition.stateIndex(of: state) != nil,
                let state = state as? W.AnyState
            else { continue }
            try add(JSONValue(json: ArchiveEncoder.data(of: StateArchive<W>(state))))
            for effect in (state as? any Effecting)?.effects ?? [] { try add(effect) }
        }
    }

    private init() {}

    private mutating func add(_ archive: JSONValue) {
        if let name = archive["state"]?.stringValue { archives.append((name, archive)) }
    }

    private mutating func add(_ effect: any Effect) throws {
        effects.append((type(of: effect).name, try JSONValue(encoding: effect, at: [])))
    }
}
