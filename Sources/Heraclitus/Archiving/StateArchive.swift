public import HeraclitusEssentials

// One state on its own, without a machine, of whatever class it is.

extension Workflow {
    /// Archives a state to JSON: its name and its data, and the workflow's version, but no machine's revision.
    ///
    /// ```swift
    /// let json = try Download.archive(of: LoadingState(request: request))
    /// let state = try Download.state(from: json)          // `any DownloadState`, a LoadingState
    /// ```
    ///
    /// The machines in a state that is ``Composite`` are archived as of one moment, whatever other threads do.
    /// - Parameters:
    ///   - state: The state, of a class that is registered with the workflow.
    ///   - isPrettyPrinted: Whether to write it on several lines for people to read.
    ///   - limit: The maximum size in bytes.
    /// - Returns: UTF-8 JSON, as machines are archived to.
    /// - Throws: ``ArchiveError/unknownState(_:known:path:)`` for a class that is not registered;
    ///   ``ArchiveError/unwritableState(_:underlyingError:)``; ``ArchiveError/tooLarge(_:limit:)``.
    public static func archive(
        of state: AnyState,
        prettyPrinted isPrettyPrinted: Bool = false,
        limit: Int = StateMachine<Self>.archiveLimit
    ) throws(ArchiveError) -> Data {
        let definition = CompiledWorkflow<Self>.shared.definition
        let envelope = try Envelope(ofState: state as AnyObject, definition)
        let archive = try envelope.encoded(isPrettyPrinted: isPrettyPrinted)
        guard archive.count <= limit else { throw .tooLarge(archive.count, limit: limit) }
        return archive
    }

    /// Restores a state from its archive, or from that of a machine.
    ///
    /// The class is looked up only among the workflow's own, by its ``WorkflowState/name``. An archive of an older version of
    /// the workflow goes through its ``migrations`` first. No hook is called.
    /// - Parameters:
    ///   - archive: UTF-8 JSON, as ``archive(of:prettyPrinted:limit:)`` and ``StateMachine/archive(including:prettyPrinted:limit:)`` write.
    ///   - limit: The maximum size in bytes.
    /// - Returns: The state.
    /// - Throws: ``ArchiveError``, whatever the bytes are.
    public static func state(
        from archive: Data,
        limit: Int = StateMachine<Self>.archiveLimit
    ) throws(ArchiveError) -> AnyState {
        guard archive.count <= limit else { throw .tooLarge(archive.count, limit: limit) }
        let definition = CompiledWorkflow<Self>.shared.definition
        return definition.handedOut(try EnvelopeReader.read(archive, definition) { try $0.state() }, as: AnyState.self)
    }
}

/// A state of a workflow, of whatever class, as a property of a `Codable` type.
///
/// ```swift
/// struct Entry: Codable {
///     let date: Date
///     let state: StateArchive<Download>
/// }
///
/// let entry = Entry(date: .now, state: StateArchive<Download>(machine.state))
/// entry.state.state                                       // `any DownloadState`
/// ```
///
/// It is coded as ``Workflow/archive(of:prettyPrinted:limit:)`` writes it.
public struct StateArchive<W: Workflow>: Sendable {
    /// The state.
    public let state: W.AnyState

    /// Makes a property of a state.
    /// - Parameter state: The state.
    public init(_ state: W.AnyState) { self.state = state }
}

extension StateArchive: Codable {
    /// Encodes the state with its name and the workflow's version.
    /// - Parameter encoder: The encoder.
    /// - Throws: ``ArchiveError`` for a class that is not registered with the workflow; or with the error of the state's `encode(to:)`.
    public func encode(to encoder: any Encoder) throws {
        let envelope = try Envelope(ofState: state as AnyObject, CompiledWorkflow<W>.shared.definition)
        try envelope.encode(to: encoder)
    }

    /// Decodes a state, whatever its class is.
    /// - Parameter decoder: The decoder.
    /// - Throws: ``ArchiveError``.
    public init(from decoder: any Decoder) throws {
        let definition = CompiledWorkflow<W>.shared.definition
        state = definition.handedOut(try EnvelopeReader(decoder, definition).state(), as: W.AnyState.self)
    }
}

extension Envelope {
    fileprivate init(ofState state: AnyObject, _ definition: Definition) throws(ArchiveError) {
        guard let index = definition.stateIndex(of: state), definition.layout(of: state, of: index) != nil
        else {
            throw .unknownState(
                CompiledState.name(of: state),
                known: definition.states.map(\.name),
                path: ""
            )
        }
        let snapshot = Snapshot(
            state: try definition.frozen(state, in: index),
            previous: nil,
            status: PackedStatus(index, .restoring),
            revision: 0
        )
        self.init(definition: definition, snapshot: snapshot, extras: [], isOfMachine: false)
    }
}

extension Definition {
    /// A state to be archived: of one with machines in it a copy as of now, which nobody else has.
    fileprivate func frozen(_ state: AnyObject, in index: Int) throws(ArchiveError) -> AnyObject {
        guard states[index].hooks.isComposite, let copying = state as? any Copying else { return state }
        let (copy, path) = TreeMoment.show(regions(of: state, in: index)) { moment -> (AnyObject?, [String]) in
            if let path = moment.pathBeyondLimit { return (nil, path) }
            return (copying.copied(), [])
        }
        guard let copy else { throw TreeMoment.tooDeep(path, in: states[index].name) }
        for machine in TreeMoment(of: regions(of: copy, in: index)).machines {
            machine.withCore { $0.madePlace.noteFrozen() }
        }
        return copy
    }
}

extension Definition {
    /// An object as the workflow's `AnyState`, as which it was found to suit.
    fileprivate func handedOut<State>(_ object: AnyObject, as type: State.Type) -> State {
        guard let state = object as? State else {
            preconditionFailure("A state was read that is not of the type of the workflow's states.")
        }
        return state
    }
}
