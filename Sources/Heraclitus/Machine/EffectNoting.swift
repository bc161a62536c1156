// What does a store ask of a machine's effects?

extension StateMachine {
    /// The effects that the machine has noted; `nil` unless it is the machine of a store.
    package var effectNotes: EffectNotes? { core.environment?.effects }

    /// Has the machine note its effects, as one of a store.
    package func noteEffects(_ notes: EffectNotes) { core.madeEnvironment.setEffectNotes(notes) }

    /// Notes that the first of the effects of states that were entered are stored in the archive of an id, with those before them.
    package func noteSavedEffects(_ carried: JSONValue?, in id: String, _ revision: Int, among entered: Int) {
        core.environment?.noteSavedEffects(carried, in: id, revision, among: entered)
    }
}
