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
        if let archive = encoder as? ArchiveEncoder {
            try write(to: archive)
        } else {
            try encode(throughCodable: encoder)
        }
    }

    private func encode(throughCodable encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: EnvelopeKey.self)
        try writeFrame(to: &container)
        try explained { try container.encode(data, forKey: .data) }
    }

    private var data: StateData { StateData(state: AnyEncodableState(state: object), snapshot: snapshot) }

    private func writeFrame(to container: inout KeyedEncodingContainer<EnvelopeKey>) throws {
        let state = definition.states[snapshot.status.index]
        try container.encode(currentFormat, forKey: .format)
        try container.encode(definition.workflow, forKey: .workflow)
        try container.encode(definition.version, forKey: .version)
        if isOfMachine {
            try container.encode(snapshot.revision, forKey: .revision)
            try container.encode(snapshot.status.activation != .entry, forKey: .activated)
        }
        try container.encode(state.name, forKey: .state)
        // Dates are texts, regardless of the coder's strategy.
        try container.encodeIfPresent(entered(state), forKey: .entered)
        try container.encodeIfPresent(left, forKey: .left)
        try container.encodeIfPresent(journal, forKey: .journal)
        try container.encodeIfPresent(table, forKey: .definition)
    }

    /// Writes an archive without `Codable`, except for the state's data.
    ///
    /// Keys are in sorted order.
    ///
    /// Machines may lie within the data of a state, so the functions around `writeData` have small stack frames.
    func write(to encoder: ArchiveEncoder) throws {
        encoder.beginObject()
        try writeActivated(to: encoder)
        try writeData(to: encoder)
        try writeRest(to: encoder)
    }

    private func writeActivated(to encoder: ArchiveEncoder) throws {
        if isOfMachine { try encoder.write(snapshot.status.activation != .entry, EnvelopeKey.activated) }
    }

    private func writeData(to encoder: ArchiveEncoder) throws {
        try explained {
            try encoder.write(EnvelopeKey.data) { encoder in
                let object = object
                try object.encode(to: encoder)
                try snapshot.writeUnread(of: object, to: encoder)
            }
        }
    }

    private var object: any WorkflowState { definition.states[snapshot.status.index].type.typed(snapshot.state) }

    /// Writes the keys after the data.
    private func writeRest(to encoder: ArchiveEncoder) throws {
        let state = definition.states[snapshot.status.index]
        if extras.contains(.definition) { try encoder.write(EnvelopeKey.definition) { try table?.encode(to: $0) } }
        if let entered = entered(state) { try encoder.write(entered, EnvelopeKey.entered) }
        try encoder.write(currentFormat, EnvelopeKey.format)
        if let journal, !encoder.leavesJournalsOut {
            try encoder.write(EnvelopeKey.journal) { try journal.encode(to: $0) }
        }
        if let left { try encoder.write(left, EnvelopeKey.left) }
        if isOfMachine { try encoder.write(snapshot.revision, EnvelopeKey.revision) }
        try encoder.write(state.name, EnvelopeKey.state)
        try encoder.write(definition.version, EnvelopeKey.version)
        try encoder.write(definition.workflow, EnvelopeKey.workflow)
    }

    private func entered(_ state: CompiledState) -> String? {
        state.keepsEntry ? snapshot.entered.flatMap(ArchivedDate.text) : nil
    }

    private var left: String? { isOfMachine ? snapshot.putAside.flatMap(ArchivedDate.text) : nil }

    private var journal: ArchivedJournal? { isOfMachine ? snapshot.journal.map(ArchivedJournal.init) : nil }

    private var table: TransitionTable? {
        extras.contains(.definition) ? definition.content.value.objects.makeTable([], nil) : nil
    }

    /// Calls a writer of a state's data, and converts its errors to ``ArchiveError``.
    private func explained(_ write: () throws -> Void) throws(ArchiveError) {
        do { try write() } catch { throw unwritable(error) }
    }

    private func unwritable(_ error: any Error) -> ArchiveError {
        error as? ArchiveError
            ?? .unwritableState(definition.states[snapshot.status.index].name, underlyingError: error)
    }
}

extension ArchiveEncoder {
    fileprivate var leavesJournalsOut: Bool { CodingUserInfoKey.leavesJournalsOut.map { userInfo[$0] != nil } ?? false }
}

/// A state's data with the members that its class left unread.
private struct StateData: Encodable {
    let state: AnyEncodableState
    let snapshot: Snapshot

    func encode(to encoder: any Encoder) throws {
        try state.encode(to: encoder)
        try snapshot.writeUnread(of: state.state, to: encoder)
    }
}
