#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// How do effects get from a machine into its archive, and along with it from one to the next?

extension StateMachine {
    /// Has the machine note the effects of the states that it enters, as one of a store.
    func noteEffects(_ scheduler: Scheduler) { core.madeEnvironment.setEffectNotes(EffectNotes(scheduler)) }

    /// Whether the machine comes from a store, and so has the effects that wait there.
    var knowsEffects: Bool { core.environment?.hasEffectNotes == true }

    /// Notes that effects were stored: another save keeps their keys, which have the revision of this one.
    func noteSavedEffects(of archive: StoredArchive) {
        guard knowsEffects, let outbox = try? archive.outbox(),
            let carried = try? JSONValue(json: archiveEncoder.encode(outbox))
        else {
            return
        }
        let count = outbox.effects.count { $0.revision == archive.revision }
        core.environment?.noteSavedEffects(carried, in: archive.id, among: count)
    }
}

extension StoredArchive {
    /// Has a machine that was restored from this archive keep its effects.
    func handEffects(to machine: StateMachine<some Workflow>, _ scheduler: Scheduler = .system) throws(ArchiveError) {
        var notes = EffectNotes(scheduler)
        do {
            if let outbox = try outbox() {
                notes.noteSaved(try JSONValue(json: try archiveEncoder.encode(outbox)), in: id)
            }
        } catch {
            throw .malformed(path: EnvelopeKey.outbox.rawValue, explanation: "\(error)")
        }
        machine.core.madeEnvironment.setEffectNotes(notes)
    }

    /// The archive with the effects of its machine: those that the archive before had, and those of the states that were entered.
    func with<W: Workflow>(_ notes: EffectNotes, of machine: StateMachine<W>) throws(ArchiveError) -> StoredArchive {
        let carried = notes.carried(in: id)
        if carried == nil, notes.entered.isEmpty { return self }
        do {
            var outbox = try carried?.decoded(as: Outbox.self) ?? Outbox()
            try outbox.add(notes.entered, of: W.self, at: notes.scheduler.date)
            return try with(outbox)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw .malformed(path: EnvelopeKey.outbox.rawValue, explanation: "\(error)")
        }
    }
}
