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

    init(_ archive: ArchiveDecoder, _ definition: Definition) {
        decoder = archive
        self.archive = archive
        self.definition = definition
    }

    /// Reads the archive of a machine, and throws only ``ArchiveError``.
    func snapshot() throws -> Snapshot { try snapshot(ofMachine: true) }

    /// Reads only the state of an archive, and throws only ``ArchiveError``.
    func state() throws -> AnyObject { try snapshot(ofMachine: false).state }

    private func snapshot(ofMachine isOfMachine: Bool) throws -> Snapshot {
        do {
            return try read(isOfMachine: isOfMachine)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ArchiveError.malformed(
                path: ArchiveError.path(of: error, else: decoder.codingPath),
                explanation: ArchiveError.explanation(of: error)
            )
        }
    }

    /// Machines lie within the data of a state, so what lies around that keeps its frames on the stack small.
    private func read(isOfMachine: Bool) throws -> Snapshot {
        let frame = try frame(ofMachine: isOfMachine)
        var unread: [String: JSONValue] = [:]
        let (object, index) =
            frame.version == definition.version
            ? try state(named: frame.state) { try read($0, &unread) } : try migrated(frame)
        guard definition.layout(of: object, of: index) != nil else {
            throw ArchiveError.malformed(
                path: path(.state),
                explanation: "\(definition.states[index].name) does not have the type of this workflow's states."
            )
        }
        return Snapshot(
            state: object,
            previous: nil,
            status: PackedStatus(index, frame.isActivated ? .restoring : .entry),
            revision: frame.revision,
            entered: frame.entered,
            putAside: frame.left,
            journal: frame.journal?.journal(of: definition.workflow),
            unread: unread
        )
    }

    /// What an archive says besides the data of the state.
    private struct Frame {
        let workflow: String
        let version: Int
        let revision: Int
        let isActivated: Bool
        let state: String
        let entered: Date?
        let left: Date?
        let journal: ArchivedJournal?
    }

    private func frame(ofMachine isOfMachine: Bool) throws -> Frame {
        // Any decoder's container calls that of its decoder.
        if let archive { return try frame(in: archive.members(by: EnvelopeKey.self), isOfMachine) }
        return try frame(in: decoder.container(keyedBy: EnvelopeKey.self), isOfMachine)
    }

    private func frame<Container: KeyedDecodingContainerProtocol>(
        in container: Container,
        _ isOfMachine: Bool
    ) throws -> Frame where Container.Key == EnvelopeKey {
        let format = try container.decode(Int.self, forKey: .format)
        guard format >= 1 else {
            throw ArchiveError.malformed(path: path(.format), explanation: "\(format) is not a format.")
        }
        guard format <= currentFormat else {
            throw ArchiveError.unknownFormat(format, supported: currentFormat, path: here)
        }
        let workflow = try container.decode(String.self, forKey: .workflow)
        guard definition.isNamed(workflow) else {
            throw ArchiveError.wrongWorkflow(workflow, expected: definition.workflow, path: here)
        }
        let version = try container.decode(Int.self, forKey: .version)
        guard version >= 1 else {
            throw ArchiveError.malformed(path: path(.version), explanation: "\(version) is not a version.")
        }
        guard version <= definition.version else {
            throw ArchiveError.newerVersion(version, supported: definition.version, path: here)
        }
        let revision = isOfMachine ? try container.decode(Int.self, forKey: .revision) : 0
        guard (0...MachineCore.largestRevision).contains(revision) else {
            throw ArchiveError.malformed(path: path(.revision), explanation: "\(revision) is not a revision.")
        }
        return Frame(
            workflow: workflow,
            version: version,
            revision: revision,
            isActivated: isOfMachine ? try container.decode(Bool.self, forKey: .activated) : true,
            state: try container.decode(String.self, forKey: .state),
            entered: try date(.entered, container.decodeIfPresent(String.self, forKey: .entered)),
            left: isOfMachine ? try date(.left, container.decodeIfPresent(String.self, forKey: .left)) : nil,
            journal: isOfMachine ? try container.decodeIfPresent(ArchivedJournal.self, forKey: .journal) : nil
        )
    }

    private func date(_ key: EnvelopeKey, _ text: String?) throws -> Date? {
        guard let text else { return nil }
        guard let date = ArchivedDate.date(of: text) else {
            throw ArchiveError.malformed(path: path(key), explanation: "\"\(text.prefix(40))\" is no date.")
        }
        return date
    }

    /// Makes the state of an archive that an older version has written.
    private func migrated(_ frame: Frame) throws -> (any WorkflowState, Int) {
        // Other decoders have a limit, because they call themselves for each level.
        let data =
            try archive?.members(by: EnvelopeKey.self).member(.data).json
            ?? decoder.container(keyedBy: EnvelopeKey.self).decode(JSONValue.self, forKey: .data)
        let archive = try definition.migrated(
            RawArchive(
                workflow: frame.workflow,
                version: frame.version,
                revision: frame.revision,
                state: frame.state,
                data: data
            ),
            at: here
        )
        let migrated = ArchiveDecoder(archive.data, under: decoder, EnvelopeKey.data)
        return try state(named: archive.state) { try $0.value.read(migrated) }
    }

    private func index(of name: String) throws -> Int {
        if let index = definition.stateIndex(named: name) { return index }
        throw ArchiveError.unknownState(name, known: definition.states.map(\.name), path: path(.state))
    }

    private func state(
        named name: String,
        _ make: (Immortal<StateKind>) throws -> any WorkflowState
    ) throws -> (any WorkflowState, Int) {
        let index = try index(of: name)
        do {
            return (try make(definition.states[index].kind), index)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ArchiveError.brokenState(
                definition.states[index].name,
                path: ArchiveError.path(of: error, else: decoder.codingPath + [EnvelopeKey.data]),
                underlyingError: error
            )
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
        if !kind.value.readsWhole { unread = data.unreadMembers }
        return state
    }

    private var here: String { ArchiveError.path(decoder.codingPath) }

    private func path(_ key: EnvelopeKey) -> String { ArchiveError.path(decoder.codingPath + [key]) }
}
