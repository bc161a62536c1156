import Heraclitus
import HeraclitusStores

extension ArchiveLock {
    /// A break for each migration step whose state, effect or key is missing from every older version.
    ///
    /// Such a name may be misspelt.
    static func stepsWithoutUse<W: Workflow>(
        of workflow: W.Type,
        for locks: [ArchiveLock]
    ) -> [IncompatibleArchives.Break] {
        let steps = TransitionValidator<W>().definition.migrations
        var (asked, used) = (Set<Int>(), Set<Int>())
        func carryOutSteps(after version: Int, _ apply: (Int) throws -> Bool) {
            for index in steps.indices where steps[index].version > version {
                do {
                    if try apply(index) { used.insert(index) }
                } catch {
                    // A step that throws has found what it is for.
                    used.insert(index)
                    return
                }
            }
        }
        for lock in locks {
            for archive in lock.archives {
                guard var raw = RawArchive(archive) else { continue }
                carryOutSteps(after: raw.version) { index in
                    asked.insert(index)
                    return try steps[index].apply(to: &raw)
                }
            }
            for (name, samples) in lock.effects {
                for data in samples {
                    var effect = RawEffect(name: name, data: data)
                    carryOutSteps(after: lock.version) { try steps[$0].apply(to: &effect) }
                }
            }
        }
        return asked.subtracting(used).sorted().map { index in
            let step = steps[index]
            return IncompatibleArchives.Break(
                version: step.version - 1,
                state: nil,
                explanation: "The step \(step.name.debugDescription) matches nothing that older versions have stored.",
                remedy: "// Correct the name that the step looks for, or remove the step."
            )
        }
    }
}
