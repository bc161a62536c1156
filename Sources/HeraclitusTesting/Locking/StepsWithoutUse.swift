import Heraclitus
import HeraclitusStores

extension Compatibility {
    /// A break for each migration step whose state, effect or key is missing from every older version.
    ///
    /// Such a name may be misspelt.
    /// - Parameter locks: All locks, the oldest first.
    /// - Returns: The breaks, in the order of the steps.
    static func stepsWithoutUse(for locks: [ArchiveLock]) -> [Break] {
        let steps = TransitionValidator<W>().definition.migrations
        let oldest = locks.first?.version ?? .max
        var unused = Set(steps.indices.filter { steps[$0].version > oldest })
        func carryOutSteps(after version: Int, _ apply: (Migration) throws -> Bool) {
            for (index, step) in steps.enumerated() where step.version > version {
                do {
                    if try apply(step) { unused.remove(index) }
                } catch {
                    // A step that throws counts as used. The steps after it get no archive to show their use.
                    unused.subtract(index..<steps.count)
                    return
                }
            }
        }
        for lock in locks {
            for archive in lock.archives {
                var raw = RawArchive(archive)
                carryOutSteps(after: lock.version) { try $0.apply(to: &raw) }
            }
            for (name, samples) in lock.effects {
                for data in samples {
                    var effect = RawEffect(name: name, data: data)
                    carryOutSteps(after: lock.version) { try $0.apply(to: &effect) }
                }
            }
        }
        return unused.sorted().map { steps[$0] }.map { step in
            let explanation = "The step \(step.name.debugDescription) matches nothing that older versions have stored."
            let remedy = "// Correct the name that the step looks for, or remove the step."
            return Break(version: step.version - 1, state: nil, explanation: explanation, remedy: remedy)
        }
    }
}
