import HeraclitusEssentials

/// Reads what an archive says of a machine, or of a state alone; the same for every workflow.
struct EnvelopeReader {
    private let decoder: any Decoder
    private let definition: Definition

    init(_ decoder: any Decoder, _ definition: Definition) {
        self.decoder = decoder
        self.definition = definition
    }

    /// Throws nothing but ``ArchiveError``.
    func snapshot() throws -> Snapshot { try snapshot(ofMachine: true) }

    /// Throws nothing but ``ArchiveError``; what a machine's archive says besides its state is not looked at.
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

    private func read(isOfMachine: Bool) throws -> Snapshot {
        let container = try decoder.container(keyedBy: EnvelopeKey.self)
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
        let isActivated = isOfMachine ? try container.decode(Bool.self, forKey: .activated) : true
        let name = try container.decode(String.self, forKey: .state)

        let entered = try date(.entered, in: container)
        let left = try isOfMachine ? date(.left, in: container) : nil
        let journal = try isOfMachine ? container.decodeIfPresent(ArchivedJournal.self, forKey: .journal) : nil

        let (object, index): (any WorkflowState, Int)
        if version == definition.version {
            index = try self.index(of: name)
            object = try state(index) { try decode($0, from: container) }
        } else {
            let archive = try definition.migrated(
                RawArchive(
                    workflow: workflow,
                    version: version,
                    revision: revision,
                    isActivated: isActivated,
                    state: name,
                    data: try container.decode(RawData.self, forKey: .data).value
                ),
                at: here
            )
            index = try self.index(of: archive.state)
            object = try state(index) { try decode($0, of: archive.data) }
        }
        guard definition.layout(of: object, of: index) != nil else {
            throw ArchiveError.malformed(
                path: path(.state),
                explanation: "\(definition.states[index].name) does not have the type of this workflow's states."
            )
        }
        return Snapshot(
            state: object,
            previous: nil,
            status: PackedStatus(index, isActivated ? .restoring : .entry),
            revision: revision,
            entered: entered,
            putAside: left,
            journal: journal?.journal(of: definition.workflow)
        )
    }

    private func date(
        _ key: EnvelopeKey,
        in container: KeyedDecodingContainer<EnvelopeKey>
    ) throws -> Date? {
        guard let text = try container.decodeIfPresent(String.self, forKey: key) else { return nil }
        guard let date = ArchivedDate.date(of: text) else {
            throw ArchiveError.malformed(path: path(key), explanation: "\"\(text.prefix(40))\" is no date.")
        }
        return date
    }

    private func index(of name: String) throws -> Int {
        if let index = definition.stateIndex(named: name) { return index }
        throw ArchiveError.unknownState(name, known: definition.states.map(\.name), path: path(.state))
    }

    private func state(
        _ index: Int,
        _ make: (any WorkflowState.Type) throws -> any WorkflowState
    ) throws -> any WorkflowState {
        let state = definition.states[index]
        do {
            return try make(state.type)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ArchiveError.brokenState(
                state.name,
                path: ArchiveError.path(of: error, else: decoder.codingPath + [EnvelopeKey.data]),
                underlyingError: error
            )
        }
    }

    private func decode<S: WorkflowState>(
        _ type: S.Type,
        from container: KeyedDecodingContainer<EnvelopeKey>
    ) throws -> any WorkflowState {
        try container.decode(S.self, forKey: .data)
    }

    /// Makes a state of migrated data.
    private func decode<S: WorkflowState>(_ type: S.Type, of data: JSONValue) throws -> any WorkflowState {
        try S(
            from: ArchiveDecoder(
                JSONNode(data),
                at: decoder.codingPath + [EnvelopeKey.data],
                userInfo: decoder.userInfo
            )
        )
    }

    private var here: String { ArchiveError.path(decoder.codingPath) }

    private func path(_ key: EnvelopeKey) -> String { ArchiveError.path(decoder.codingPath + [key]) }
}

/// The data of a state in an older version, of which whatever was written can be read.
private struct RawData: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws {
        // A value of this reader is read without a call for each level. Other decoders call themselves, so they have a limit.
        value = try (decoder as? ArchiveDecoder)?.node.value(levels: .max) ?? JSONValue(from: decoder)
    }
}
