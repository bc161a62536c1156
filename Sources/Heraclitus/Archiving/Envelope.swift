// The envelope: the content of an archive besides the data of the state.
//
//     {"activated":true,"data":{…},"format":1,"revision":3,"state":"LoadingState","version":1,"workflow":"Download"}
//
// The archive of a single state lacks "activated" and "revision".

package enum EnvelopeKey: Int, CaseIterable, CodingKey {
    case activated, entered, format, journal, left, revision, state, version, workflow, data, definition

    // A raw value is a place in the list of keys, and not an index in JSON.
    package init?(intValue: Int) { nil }

    package var intValue: Int? { nil }

    /// The UTF-8 of the keys by their raw values, except those of parts that are read elsewhere or not at all.
    static let frame = allCases.prefix { $0 != .data }.map { Array($0.stringValue.utf8) }
}

/// The format of the envelope.
let currentFormat = 1

/// An archive of a machine at a moment, or of a single state.
///
/// It is the same for every workflow, and therefore compiled once.
struct Envelope: Encodable {
    let definition: Definition
    let snapshot: Snapshot

    /// The table of the workflow; `nil` for an archive without it.
    var table: TransitionTable?

    /// Whether the archive is of a machine rather than a single state.
    var isOfMachine = true

    func encode(to encoder: any Encoder) throws {
        let archive = encoder as? ArchiveEncoder
        try archive?.beginObject(with: EnvelopeKey.format.stringValue)
        var members = EnvelopeMembers(
            archive: archive,
            container: archive == nil ? encoder.container(keyedBy: EnvelopeKey.self) : nil
        )
        if archive != nil { members.archived.reserveCapacity(8) }
        try write(to: &members, archive?.userInfo[.leavesJournalsOut] == nil ? journal : nil)
        archive?.add(members.archived)
    }

    /// Writes the members in the order of their keys, which an archive has to sort otherwise.
    ///
    /// Machines may lie in the state's data, whose errors become ``ArchiveError``.
    private func write(to members: inout EnvelopeMembers, _ journal: ArchivedJournal?) throws {
        if isOfMachine { try members.write(.activated, .bool(snapshot.status.pending != .entry)) }
        do {
            let state = definition.states[snapshot.status.index].type.typed(snapshot.state)
            try members.write(.data, part: StateData(state: state, snapshot: snapshot))
        } catch {
            throw error as? ArchiveError ?? .unwritableState(name, underlyingError: error)
        }
        if let table { try members.write(.definition, part: table) }
        // Dates are texts, regardless of the coder's strategy.
        if let entered { try members.write(.entered, .string(entered)) }
        try members.write(.format, .integer(currentFormat))
        if let journal { try members.write(.journal, part: journal) }
        if let left { try members.write(.left, .string(left)) }
        if isOfMachine { try members.write(.revision, .integer(snapshot.revision)) }
        try members.write(.state, .string(name))
        try members.write(.version, .integer(definition.version))
        try members.write(.workflow, .string(definition.workflow))
    }

    var name: String { definition.states[snapshot.status.index].name }

    private var entered: String? {
        let isUsed = definition.states[snapshot.status.index].keepsEntry
        return (isUsed ? snapshot.entered : snapshot.unread.entered).flatMap(ArchivedDate.text)
    }

    private var left: String? { isOfMachine ? snapshot.putAside.flatMap(ArchivedDate.text) : nil }

    private var journal: ArchivedJournal? { isOfMachine ? snapshot.journal.map(ArchivedJournal.init) : nil }
}

/// The members of an envelope in an encoder.
private struct EnvelopeMembers {
    /// The own encoder, which takes members without a container: its checks would take a tenth of an archive.
    let archive: ArchiveEncoder?

    /// The container of another encoder.
    var container: KeyedEncodingContainer<EnvelopeKey>?
    var archived: [EncodedValue.Member] = []

    mutating func write(_ key: EnvelopeKey, _ value: JSONValue) throws {
        if archive != nil { return archived.append(EncodedValue.Member(key: key.stringValue, value: .raw(value))) }
        switch value {
        case .bool(let flag): try container?.encode(flag, forKey: key)
        case .integer(let integer): try container?.encode(integer, forKey: key)
        case .string(let text): try container?.encode(text, forKey: key)
        default: try container?.encode(value, forKey: key)
        }
    }

    mutating func write(_ key: EnvelopeKey, part: some Encodable) throws {
        try container?.encode(part, forKey: key)
        guard let archive else { return }
        archived.append(EncodedValue.Member(key: key.stringValue, value: try archive.encoded(part, under: key)))
    }
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
