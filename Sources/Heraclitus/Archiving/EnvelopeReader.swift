import HeraclitusEssentials

/// Reads the archive of a machine or of a single state, for all workflows.
struct EnvelopeReader {
    private let decoder: any Decoder

    /// The decoder, if it is ours.
    private let archive: ArchiveDecoder?
    private let definition: Definition

    init(_ decoder: any Decoder, _ definition: Definition) {
        self.decoder = decoder
        archive = decoder as? ArchiveDecoder
        self.definition = definition
    }

    /// Reads the archive of a machine, or only the state of an archive with its unread parts.
    ///
    /// It throws only ``ArchiveError``.
    func snapshot(ofMachine isOfMachine: Bool = true) throws -> Snapshot {
        do {
            if isOfMachine { try requireDepth() }
            return try read(isOfMachine: isOfMachine)
        } catch {
            let path = ArchiveError.path(of: error, else: decoder.codingPath)
            throw error as? ArchiveError ?? .malformed(path: path, explanation: ArchiveError.explanation(of: error))
        }
    }

    /// Rejects machines that lie too deeply within one another to be archived or copied.
    private func requireDepth() throws(ArchiveError) {
        guard TreeMoment.isTooDeep(decoder.codingPath) else { return }
        let path = decoder.codingPath.map(\.stringValue)
        throw .malformed(path: here, explanation: TreeMoment.explanation(of: path))
    }

    /// Machines lie within the data of a state, so what lies around that keeps its frames on the stack small.
    private func read(isOfMachine: Bool) throws -> Snapshot {
        let frame = try frame(ofMachine: isOfMachine)
        var unread = UnreadParts()
        let (object, index) =
            frame.raw.version == definition.version
            ? try state(named: frame.raw.state) { try read($0, &unread.members) } : try migrated(frame)
        guard definition.layout(of: object, of: index) != nil else {
            throw ArchiveError.malformed(
                path: path(.state),
                explanation: "\(definition.states[index].name) does not have the type of this workflow's states."
            )
        }
        // A state that is yet to be entered has no date of entry.
        if frame.isActivated, frame.raw.version == definition.version, !definition.states[index].keepsEntry {
            unread.entered = frame.entered
        }
        return Snapshot(
            state: object,
            status: PackedStatus(index, pending: frame.isActivated ? .restoring : .entry),
            revision: frame.raw.revision,
            entered: frame.entered,
            putAside: frame.left,
            journal: frame.journal?.journal(of: definition.workflow),
            unread: unread
        )
    }

    /// The content of an archive besides the data of the state.
    private struct Frame {
        let isActivated: Bool

        /// The archive without its data.
        let raw: RawArchive
        let entered: Date?
        let left: Date?
        let journal: ArchivedJournal?
    }

    private func frame(ofMachine isOfMachine: Bool) throws -> Frame {
        if let members = try archive?.members(EnvelopeKey.frame) {
            return try frame(isOfMachine) { members[$0.rawValue] }
        }
        // The container may be of another decoder, or of a raw value.
        let container = try decoder.container(keyedBy: EnvelopeKey.self)
        return try frame(isOfMachine) { key in
            guard container.contains(key) else { return nil }
            return switch key {
            case .activated: .bool(try container.decode(Bool.self, forKey: key))
            case .format, .revision, .version: .integer(try container.decode(Int.self, forKey: key))
            case .entered, .left: try container.decodeIfPresent(String.self, forKey: key).map(JSONValue.string)
            case .state, .workflow: .string(try container.decode(String.self, forKey: key))
            case .data, .definition, .journal: .object([:])
            }
        }
    }

    /// The members of a frame, without their parts.
    private typealias Members = (EnvelopeKey) throws -> JSONValue?

    /// Asks for members one after the other, because a newer format may have others.
    private func frame(_ isOfMachine: Bool, _ members: Members) throws -> Frame {
        let format = try integer(.format, in: 1...Int.max, members)
        guard format <= currentFormat else {
            throw ArchiveError.unknownFormat(format, supported: currentFormat, path: here)
        }
        let workflow = try text(.workflow, members)
        guard definition.isNamed(workflow) else {
            throw ArchiveError.wrongWorkflow(workflow, expected: definition.workflow, path: here)
        }
        let version = try integer(.version, in: 1...Int.max, members)
        guard version <= definition.version else {
            throw ArchiveError.newerVersion(version, supported: definition.version, path: here)
        }
        let revision = isOfMachine ? try integer(.revision, in: 0...MachineCore.largestRevision, members) : 0
        let isActivated = isOfMachine ? try value(.activated, members).bool(keys(.activated)) : true
        let state = try text(.state, members)
        return Frame(
            isActivated: isActivated,
            raw: RawArchive(workflow: workflow, version: version, revision: revision, state: state, data: .null),
            entered: try date(.entered, members),
            left: isOfMachine ? try date(.left, members) : nil,
            journal: isOfMachine ? try journal(members) : nil
        )
    }

    private func value(_ key: EnvelopeKey, _ members: Members) throws -> JSONValue {
        if let value = try members(key) { return value }
        throw DecodingError.missing(key, in: decoder.codingPath)
    }

    private func integer(_ key: EnvelopeKey, in range: ClosedRange<Int>, _ members: Members) throws -> Int {
        let value = try value(key, members)
        let number = if case .integer(let integer) = value { integer } else { try value.integer(Int.self, keys(key)) }
        if range.contains(number) { return number }
        throw ArchiveError.malformed(path: path(key), explanation: "\(number) is not a \(key.stringValue).")
    }

    private func text(_ key: EnvelopeKey, _ members: Members) throws -> String {
        try value(key, members).text(keys(key))
    }

    private func date(_ key: EnvelopeKey, _ members: Members) throws -> Date? {
        guard let value = try members(key), !value.isNull else { return nil }
        let text = try value.text(keys(key))
        guard let date = ArchivedDate.date(of: text) else {
            throw ArchiveError.malformed(path: path(key), explanation: "\"\(text.prefix(40))\" is no date.")
        }
        return date
    }

    private func journal(_ members: Members) throws -> ArchivedJournal? {
        guard try members(.journal) != nil else { return nil }
        return try decoder.container(keyedBy: EnvelopeKey.self).decodeIfPresent(ArchivedJournal.self, forKey: .journal)
    }

    /// Makes the state of an archive that an older version has written.
    private func migrated(_ frame: Frame) throws -> (any WorkflowState, Int) {
        // Other decoders have a limit, because they call themselves for each level.
        var raw = frame.raw
        raw.data =
            try archive?.members(by: EnvelopeKey.self).member(.data).json
            ?? decoder.container(keyedBy: EnvelopeKey.self).decode(JSONValue.self, forKey: .data)
        let data = raw.data
        raw = try definition.migrated(raw, at: here)
        // The settings of another decoder, such as a form of dates, apply to data that the steps leave alone.
        if archive == nil, raw.data == data {
            return try state(named: raw.state) {
                try $0.value.readMember(decoder.container(keyedBy: EnvelopeKey.self))
            }
        }
        let migrated = ArchiveDecoder(raw.data, under: decoder, EnvelopeKey.data)
        return try state(named: raw.state) { try $0.value.read(migrated) }
    }

    private func state(
        named name: String,
        _ make: (Immortal<StateKind>) throws -> any WorkflowState
    ) throws -> (any WorkflowState, Int) {
        guard let index = definition.stateIndex(named: name) else {
            throw ArchiveError.unknownState(name, known: definition.states.map(\.name), path: path(.state))
        }
        do {
            return (try make(definition.states[index].kind), index)
        } catch {
            let path = ArchiveError.path(of: error, else: keys(.data))
            let name = definition.states[index].name
            throw error as? ArchiveError ?? .brokenState(name, path: path, underlyingError: error)
        }
    }

    /// Makes a state of data that this version has written, and finds the members that its class did not read.
    private func read(
        _ kind: Immortal<StateKind>,
        _ unread: inout [String: JSONValue]
    ) throws -> any WorkflowState {
        guard let data = try archive?.members(by: EnvelopeKey.self).member(.data) else {
            return try kind.value.readMember(decoder.container(keyedBy: EnvelopeKey.self))
        }
        let state = try kind.value.read(data)
        unread = data.unreadMembers
        return state
    }

    private var here: String { ArchiveError.path(decoder.codingPath) }

    private func path(_ key: EnvelopeKey) -> String { ArchiveError.path(keys(key)) }

    private func keys(_ key: EnvelopeKey) -> [any CodingKey] { decoder.codingPath + [key] }
}
