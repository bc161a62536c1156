import Synchronization

// The envelope: what every archive says about a machine besides its state's own data.
//
//     {"activated":true,"data":{…},"format":1,"revision":3,"state":"LoadingState","version":1,"workflow":"Download"}

private enum EnvelopeKey: String, CodingKey {
    case format
    case workflow
    case version
    case revision
    case activated
    case state
    case data
}

/// The format of the envelope.
private let currentFormat = 1

extension StateMachine: Encodable {
    /// Encodes the machine as of one moment, whatever other threads do with it meanwhile.
    ///
    /// During a transition that is the state which the machine still shows. What is pending, and closures that were added
    /// to this machine, are not part of it.
    /// - Parameter encoder: The encoder.
    /// - Throws: ``ArchiveError/unwritableState(_:underlyingError:)`` with what the state's own `encode(to:)` throws.
    public func encode(to encoder: any Encoder) throws { try envelope.encode(to: encoder) }

    /// The machine as of now.
    var envelope: Envelope { Envelope(definition: definition, moment: core.moment) }
}

/// What an archive says of a machine as of a moment: the same for every workflow, and so compiled once.
struct Envelope: Encodable {
    let definition: Definition
    let moment: MachineCore.Moment

    func encode(to encoder: any Encoder) throws {
        let state = definition.state(moment.standing.index)
        var container = encoder.container(keyedBy: EnvelopeKey.self)
        try container.encode(currentFormat, forKey: .format)
        try container.encode(definition.workflow, forKey: .workflow)
        try container.encode(definition.version, forKey: .version)
        try container.encode(moment.revision, forKey: .revision)
        try container.encode(moment.standing.activation != .entry, forKey: .activated)
        try container.encode(state.pointee.name, forKey: .state)
        do {
            try container.encode(StateData(state: state.pointee.typed(moment.state)), forKey: .data)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ArchiveError.unwritableState(state.pointee.name, underlyingError: error)
        }
    }
}

/// A state's own data, in a struct: of an object Foundation's coders ask the runtime at length what else it might be.
private struct StateData: Encodable {
    let state: any WorkflowState

    func encode(to encoder: any Encoder) throws { try state.encode(to: encoder) }
}

extension StateMachine: Decodable {
    /// Restores a machine.
    ///
    /// No guard, hook or observer runs. A state's class is looked up only among the workflow's own, by its
    /// ``WorkflowState/name``.
    /// - Parameter decoder: The decoder.
    /// - Throws: ``ArchiveError``.
    public convenience init(from decoder: any Decoder) throws {
        let definition = CompiledWorkflow<W>.shared.definition
        do {
            self.init(MachineCore(definition, try Self.moment(from: decoder, in: definition)))
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ArchiveError.malformed(
                path: ArchiveError.path(of: error, else: decoder.codingPath),
                explanation: ArchiveError.explanation(of: error)
            )
        }
    }

    private static func moment(from decoder: any Decoder, in definition: Definition) throws -> MachineCore.Moment {
        let container = try decoder.container(keyedBy: EnvelopeKey.self)
        let here = ArchiveError.path(decoder.codingPath)
        func path(_ key: EnvelopeKey) -> String { ArchiveError.path(decoder.codingPath + [key]) }

        let format = try container.decode(Int.self, forKey: .format)
        guard format >= 1 else {
            throw ArchiveError.malformed(path: path(.format), explanation: "\(format) is no format.")
        }
        guard format <= currentFormat else {
            throw ArchiveError.unknownFormat(format, supported: currentFormat, path: here)
        }
        let workflow = try container.decode(String.self, forKey: .workflow)
        guard workflow == definition.workflow else {
            throw ArchiveError.wrongWorkflow(workflow, expected: definition.workflow, path: here)
        }
        let version = try container.decode(Int.self, forKey: .version)
        guard version >= 1 else {
            throw ArchiveError.malformed(path: path(.version), explanation: "\(version) is no version.")
        }
        guard version <= definition.version else {
            throw ArchiveError.newerVersion(version, supported: definition.version, path: here)
        }
        let revision = try container.decode(Int.self, forKey: .revision)
        guard (0...MachineCore.largestRevision).contains(revision) else {
            throw ArchiveError.malformed(path: path(.revision), explanation: "\(revision) is no revision.")
        }
        let isActivated = try container.decode(Bool.self, forKey: .activated)
        let name = try container.decode(String.self, forKey: .state)
        guard let index = definition.stateIndex(named: name) else {
            throw ArchiveError.unknownState(name, known: definition.states.map(\.name), path: path(.state))
        }

        let object: any WorkflowState
        do {
            object = try decode(definition.state(index).pointee.type, from: container)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw ArchiveError.brokenState(
                name,
                path: ArchiveError.path(of: error, else: decoder.codingPath + [EnvelopeKey.data]),
                underlyingError: error
            )
        }
        guard definition.suits(Unmanaged.passUnretained(object), index) else {
            throw ArchiveError.malformed(
                path: path(.state),
                explanation: "\(name) is not of the type of this workflow's states, \(W.AnyState.self)."
            )
        }
        return MachineCore.Moment(
            state: object,
            previous: nil,
            standing: Standing(index, isActivated ? .restoring : .entry),
            revision: revision
        )
    }

    private static func decode<S: WorkflowState>(
        _ type: S.Type,
        from container: KeyedDecodingContainer<EnvelopeKey>
    ) throws -> any WorkflowState {
        try container.decode(S.self, forKey: .data)
    }
}
