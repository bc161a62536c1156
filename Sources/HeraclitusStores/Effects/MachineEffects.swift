import Heraclitus

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// How do effects get from a machine into its archive, and along with it from one to the next?

extension StateMachine {
    /// Has the machine note the effects of the states that it enters, as one of a store.
    func noteEffects(_ scheduler: Scheduler) { noteEffects(EffectNotes(scheduler)) }

    /// Whether the machine comes from a store, and so has the effects that wait there.
    var knowsEffects: Bool { effectNotes != nil }

    /// Notes that effects were stored: another save keeps their keys, which have the revision of this one.
    func noteSavedEffects(of archive: StoredArchive) {
        guard knowsEffects, case .success(let outbox) = Result(catching: { try archive.outbox() }) else { return }
        let count = outbox?.effects.count { $0.revision == archive.revision } ?? 0
        noteSavedEffects(try? outbox?.asValue, in: archive.id, archive.revision, among: count)
    }

    /// Whether the effects that it has are those that wait in the archive of an id with a revision.
    func knowsEffects(in id: String, _ revision: Int) -> Bool {
        effectNotes?.carriedRevision(in: id) == revision
    }

    /// Notes the effects that wait in an archive which it is about to replace, in place of those that waited there when it came from the store.
    func noteWaitingEffects(of archive: StoredArchive) throws {
        let carried = try archive.outbox()?.asValue
        noteSavedEffects(carried, in: archive.id, archive.revision, among: 0)
    }
}

extension Outbox {
    fileprivate var asValue: JSONValue { get throws { try JSONValue(json: try archiveEncoder.encode(self)) } }
}

extension StoredArchive {
    /// Has a machine that was restored from this archive keep its effects.
    func handEffects(to machine: StateMachine<some Workflow>, _ scheduler: Scheduler = .system) throws(ArchiveError) {
        var notes = EffectNotes(scheduler)
        do {
            notes.noteSaved(try outbox()?.asValue, in: id, revision)
        } catch {
            throw .malformed(path: EnvelopeKey.outbox.rawValue, explanation: "\(error)")
        }
        machine.noteEffects(notes)
    }

    /// The archive with the effects of its machine: those that the archive before had, and those of the states that were entered.
    func with<W: Workflow>(_ notes: EffectNotes, of machine: StateMachine<W>) throws(ArchiveError) -> StoredArchive {
        // What is new in the store replaces nothing: what waited in another one, or before a deletion, is not brought along.
        let carried = revision > 0 ? notes.carried(in: id) : nil
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
