import HeraclitusEssentials

/// Reads the archive of a machine or of a single state, for all workflows.
struct EnvelopeReader {
    private let decoder: any Decoder
    private let definition: Definition

    /// The members, if they are at hand without `Codable`.
    private let members: [String: JSONValue]?

    init(_ decoder: any Decoder, _ definition: Definition) {
        self.decoder = decoder
        self.definition = definition
        members = (decoder as? ArchiveDecoder)?.value.objectValue
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

    private func read(isOfMachine: Bool) throws -> Snapshot {
        let container = members == nil ? try decoder.container(keyedBy: EnvelopeKey.self) : nil
        let format = try integer(.format, container)
        guard format >= 1 else {
            throw ArchiveError.malformed(path: path(.format), explanation: "\(format) is not a format.")
        }
        guard format <= currentFormat else {
            throw ArchiveError.unknownFormat(format, supported: currentFormat, path: here)
        }
        let workflow = try text(.workflow, container)
        guard definition.isNamed(workflow) else {
            throw ArchiveError.wrongWorkflow(workflow, expected: definition.workflow, path: here)
        }
        let version = try integer(.version, container)
        guard version >= 1 else {
            throw ArchiveError.malformed(path: path(.version), explanation: "\(version) is not a version.")
        }
        guard version <= definition.version else {
            throw ArchiveError.newerVersion(version, supported: definition.version, path: here)
        }
        let revision = isOfMachine ? try integer(.revision, container) : 0
        guard (0...MachineCore.largestRevision).contains(revision) else {
            throw ArchiveError.malformed(path: path(.revision), explanation: "\(revision) is not a revision.")
        }
        let isActivated = isOfMachine ? try flag(.activated, container) : true
        let name = try text(.state, container)

        let entered = try date(.entered, container)
        let left = try isOfMachine ? date(.left, container) : nil
        let journal = try isOfMachine ? ifPresent(ArchivedJournal.self, .journal, container) : nil

        var unread: [String: JSONValue] = [:]
        let (object, index): (any WorkflowState, Int)
        if version == definition.version {
            index = try self.index(of: name)
            object = try state(index) { try decode($0, container, &unread) }
        } else {
            let archive = try definition.migrated(
                RawArchive(
                    workflow: workflow,
                    version: version,
                    revision: revision,
                    isActivated: isActivated,
                    state: name,
                    data: try decode(RawData.self, .data, container).value
                ),
                at: here
            )
            index = try self.index(of: archive.state)
            let data = ArchiveDecoder(archive.data, under: decoder, EnvelopeKey.data)
            object = try state(index) { try $0.value.read(data) }
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
            journal: journal?.journal(of: definition.workflow),
            unread: unread
        )
    }

    private func date(_ key: EnvelopeKey, _ container: Container?) throws -> Date? {
        guard let text = try ifPresent(String.self, key, container) else { return nil }
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
        _ make: (Immortal<StateKind>) throws -> any WorkflowState
    ) throws -> any WorkflowState {
        let state = definition.states[index]
        do {
            return try make(state.kind)
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

    /// Makes a state of data that this version has written, and finds the members that its class did not read.
    private func decode(
        _ kind: Immortal<StateKind>,
        _ container: Container?,
        _ unread: inout [String: JSONValue]
    ) throws -> any WorkflowState {
        if let data = members?[EnvelopeKey.data.rawValue] {
            let decoder = ArchiveDecoder(data, under: decoder, EnvelopeKey.data)
            if kind.value.readsWhole { return try kind.value.read(decoder) }
            decoder.noteAskedKeys()
            let state = try kind.value.read(decoder)
            unread = decoder.unreadMembers
            return state
        }
        return try kind.value.readMember(container ?? decoder.container(keyedBy: EnvelopeKey.self))
    }

    private var here: String { ArchiveError.path(decoder.codingPath) }

    private func path(_ key: EnvelopeKey) -> String { ArchiveError.path(decoder.codingPath + [key]) }
}

// MARK: - Members

extension EnvelopeReader {
    private typealias Container = KeyedDecodingContainer<EnvelopeKey>

    private func integer(_ key: EnvelopeKey, _ container: Container?) throws -> Int {
        if case .integer(let integer)? = members?[key.rawValue] { return integer }
        return try decode(Int.self, key, container)
    }

    private func text(_ key: EnvelopeKey, _ container: Container?) throws -> String {
        if case .string(let text)? = members?[key.rawValue] { return text }
        return try decode(String.self, key, container)
    }

    private func flag(_ key: EnvelopeKey, _ container: Container?) throws -> Bool {
        if case .bool(let flag)? = members?[key.rawValue] { return flag }
        return try decode(Bool.self, key, container)
    }

    private func ifPresent<T: Decodable>(_ type: T.Type, _ key: EnvelopeKey, _ container: Container?) throws -> T? {
        if let members, members[key.rawValue] == nil { return nil }
        return try (container ?? decoder.container(keyedBy: EnvelopeKey.self)).decodeIfPresent(type, forKey: key)
    }

    private func decode<T: Decodable>(_ type: T.Type, _ key: EnvelopeKey, _ container: Container?) throws -> T {
        try (container ?? decoder.container(keyedBy: EnvelopeKey.self)).decode(type, forKey: key)
    }
}

/// The data of a state in an older version, of which whatever was written can be read.
private struct RawData: Decodable {
    let value: JSONValue

    init(from decoder: any Decoder) throws {
        // Other decoders have a limit, because they call themselves for each level.
        value = try (decoder as? ArchiveDecoder)?.value ?? JSONValue(from: decoder)
    }
}
