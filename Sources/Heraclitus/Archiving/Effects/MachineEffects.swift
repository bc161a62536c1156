#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// How do effects get from a machine into its archive, and along with it from one to the next?

extension StateMachine {
    /// Has the machine note the effects of the states that it enters, as one of a store, after those that were stored and not carried out yet.
    func noteEffects(after outbox: Outbox? = nil, _ scheduler: Scheduler) throws(ArchiveError) {
        let carried: JSONValue?
        do {
            carried = try outbox.map { try JSONValue(json: try archiveEncoder.encode($0)) }
        } catch {
            throw .malformed(path: EnvelopeKey.outbox.rawValue, explanation: ArchiveError.explanation(of: error))
        }
        core.madeEnvironment.setEffectNotes(EffectNotes(scheduler: scheduler, carried: carried))
    }

    /// Notes that effects were stored: another save keeps their keys, which have the revision of this one.
    func noteSavedEffects(of archive: StoredArchive) {
        guard core.environment?.hasEffectNotes == true, let outbox = try? archive.outbox(),
            let carried = try? JSONValue(json: archiveEncoder.encode(outbox))
        else {
            return
        }
        let count = outbox.effects.count { $0.revision == archive.revision }
        core.environment?.noteSavedEffects(count, carried: carried)
    }

    /// The effects to be stored with the machine: those that were there, and those of the states that were entered; `nil` for none.
    func outbox() throws(ArchiveError) -> Outbox? {
        guard let notes = core.environment?.effects,
            notes.carried != nil || !notes.entered.isEmpty
        else { return nil }
        var outbox: Outbox
        do {
            outbox = try notes.carried?.decoded(as: Outbox.self) ?? Outbox()
        } catch {
            throw .malformed(path: EnvelopeKey.outbox.rawValue, explanation: ArchiveError.explanation(of: error))
        }
        try outbox.add(notes.entered, of: W.self, at: notes.scheduler.date)
        return outbox
    }
}

extension StoredArchive {
    /// Has a machine that was restored from this archive keep its effects.
    func handEffects(to machine: StateMachine<some Workflow>, _ scheduler: Scheduler = .system) throws(ArchiveError) {
        do {
            try machine.noteEffects(after: try outbox(), scheduler)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw .malformed(path: EnvelopeKey.outbox.rawValue, explanation: "\(error)")
        }
    }

    /// The archive with the effects of its machine.
    func with(effectsOf machine: StateMachine<some Workflow>) throws(ArchiveError) -> StoredArchive {
        guard let outbox = try machine.outbox() else { return self }
        do {
            return try with(outbox)
        } catch {
            throw .malformed(path: EnvelopeKey.outbox.rawValue, explanation: "\(error)")
        }
    }
}
