// The envelope: what every archive says about a machine besides its state's own data.
//
//     {"activated":true,"data":{…},"format":1,"revision":3,"state":"LoadingState","version":1,"workflow":"Download"}
//
// The archive of a state on its own has neither "activated" nor "revision".

package enum EnvelopeKey: String, CodingKey {
    case format
    case workflow
    case version
    case revision
    case activated
    case entered
    case left
    case state
    case data
    case journal
    case definition

    /// What a store is to have done; not read with the machine.
    case outbox
}

/// The format of the envelope.
let currentFormat = 1

/// What an archive says of a machine as of a moment, or of a state alone: the same for every workflow, and so compiled once.
struct Envelope: Encodable {
    let definition: Definition
    let snapshot: Snapshot
    let extras: ArchiveExtras

    /// Whether it archives a machine and not a state alone.
    var isOfMachine = true

    func encode(to encoder: any Encoder) throws {
        let state = definition.states[snapshot.status.index]
        var container = encoder.container(keyedBy: EnvelopeKey.self)
        try container.encode(currentFormat, forKey: .format)
        try container.encode(definition.workflow, forKey: .workflow)
        try container.encode(definition.version, forKey: .version)
        if isOfMachine {
            try container.encode(snapshot.revision, forKey: .revision)
            try container.encode(snapshot.status.activation != .entry, forKey: .activated)
        }
        try container.encode(state.name, forKey: .state)
        // As text, whatever the coder does with dates.
        if state.keepsEntry, let entered = snapshot.entered.flatMap(ArchivedDate.text) {
            try container.encode(entered, forKey: .entered)
        }
        if isOfMachine, let left = snapshot.putAside.flatMap(ArchivedDate.text) {
            try container.encode(left, forKey: .left)
        }
        if isOfMachine, let journal = snapshot.journal, !ValueAlone.isUnderWay {
            try container.encode(ArchivedJournal(journal), forKey: .journal)
        }
        if extras.contains(.definition) {
            try container.encode(definition.content.value.makeTable(), forKey: .definition)
        }
        do {
            try container.encode(StateData(state: state.type.typed(snapshot.state)), forKey: .data)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ArchiveError.unwritableState(state.name, underlyingError: error)
        }
    }
}

/// A state's own data, in a struct: of an object Foundation's coders ask the runtime at length what else it might be.
private struct StateData: Encodable {
    let state: any WorkflowState

    func encode(to encoder: any Encoder) throws { try state.encode(to: encoder) }
}
