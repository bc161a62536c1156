// The envelope: the content of an archive besides the data of the state.
//
//     {"activated":true,"data":{…},"format":1,"revision":3,"state":"LoadingState","version":1,"workflow":"Download"}
//
// The archive of a single state lacks "activated" and "revision".

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
}

/// The format of the envelope.
let currentFormat = 1

/// An archive of a machine at a moment, or of a single state.
///
/// It is the same for every workflow, and therefore compiled once.
struct Envelope: Encodable {
    let definition: Definition
    let snapshot: Snapshot
    let extras: ArchiveExtras

    /// Whether the archive is of a machine rather than a single state.
    var isOfMachine = true

    func encode(to encoder: any Encoder) throws {
        // The container of any encoder calls that of its encoder.
        if let archive = encoder as? ArchiveEncoder {
            var container = archive.members(by: EnvelopeKey.self)
            return try write(to: &container, journal.flatMap { archive.leavesJournalsOut ? nil : $0 })
        }
        var container = encoder.container(keyedBy: EnvelopeKey.self)
        try write(to: &container, journal)
    }

    /// Writes the members in the order of their keys, which an archive has to sort otherwise.
    private func write<Container: KeyedEncodingContainerProtocol>(
        to container: inout Container,
        _ journal: ArchivedJournal?
    ) throws where Container.Key == EnvelopeKey {
        let state = definition.states[snapshot.status.index]
        if isOfMachine { try container.encode(snapshot.status.activation != .entry, forKey: .activated) }
        try writeData(to: &container)
        if let table { try container.encode(table, forKey: .definition) }
        // Dates are texts, regardless of the coder's strategy.
        if let entered = entered(state) { try container.encode(entered, forKey: .entered) }
        try container.encode(currentFormat, forKey: .format)
        if let journal { try container.encode(journal, forKey: .journal) }
        if let left { try container.encode(left, forKey: .left) }
        if isOfMachine { try container.encode(snapshot.revision, forKey: .revision) }
        try container.encode(state.name, forKey: .state)
        try container.encode(definition.version, forKey: .version)
        try container.encode(definition.workflow, forKey: .workflow)
    }

    /// Writes the state's data, in which machines may lie, and converts errors to ``ArchiveError``.
    private func writeData<Container: KeyedEncodingContainerProtocol>(
        to container: inout Container
    ) throws(ArchiveError) where Container.Key == EnvelopeKey {
        let state = definition.states[snapshot.status.index]
        do {
            let data = StateData(state: state.type.typed(snapshot.state), snapshot: snapshot)
            try container.encode(data, forKey: .data)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw .unwritableState(state.name, underlyingError: error)
        }
    }

    private func entered(_ state: CompiledState) -> String? {
        state.keepsEntry ? snapshot.entered.flatMap(ArchivedDate.text) : nil
    }

    private var left: String? { isOfMachine ? snapshot.putAside.flatMap(ArchivedDate.text) : nil }

    private var journal: ArchivedJournal? { isOfMachine ? snapshot.journal.map(ArchivedJournal.init) : nil }

    private var table: TransitionTable? {
        extras.contains(.definition) ? definition.content.value.objects.makeTable([], nil) : nil
    }
}

extension ArchiveEncoder {
    fileprivate var leavesJournalsOut: Bool { CodingUserInfoKey.leavesJournalsOut.map { userInfo[$0] != nil } ?? false }
}

/// A state's data with the members that its class left unread.
private struct StateData: Encodable {
    let state: any WorkflowState
    let snapshot: Snapshot

    func encode(to encoder: any Encoder) throws {
        try state.encode(to: encoder)
        try snapshot.writeUnread(of: state, to: encoder)
    }
}
