public import HeraclitusEssentials

// Archives of single states without a machine.

extension Workflow {
    /// Archives a state to JSON: its name, its data and the workflow's version.
    ///
    /// ```swift
    /// let json = try Download.archive(of: LoadingState(request: request))
    /// let state = try Download.state(from: json)          // `any DownloadState`, a LoadingState
    /// ```
    ///
    /// The machines in a ``Composite`` state are archived as of one moment, independently of other threads.
    /// - Parameters:
    ///   - state: The state, of a class that is registered with the workflow.
    ///   - isPrettyPrinted: Whether to write it on several lines for people to read.
    ///   - limit: The maximum size in bytes.
    /// - Returns: UTF-8 JSON, in the form of machines' archives.
    /// - Throws: ``ArchiveError/unknownState(_:known:path:)`` for a class that is not registered;
    ///   ``ArchiveError/unwritableState(_:underlyingError:)``; ``ArchiveError/tooLarge(_:limit:)``.
    public static func archive(
        of state: AnyState,
        prettyPrinted isPrettyPrinted: Bool = false,
        limit: Int = 64 << 20
    ) throws(ArchiveError) -> Data {
        try Envelope(ofState: state as AnyObject, definition).encoded(isPrettyPrinted: isPrettyPrinted, limit: limit)
    }

    /// Restores a state from its archive, or from the archive of a machine.
    ///
    /// The class is looked up by ``WorkflowState/name`` among the workflow's classes only. An archive of an older
    /// version goes through the workflow's ``migrations`` first. No hook is called.
    /// - Parameters:
    ///   - archive: UTF-8 JSON of ``archive(of:prettyPrinted:limit:)`` or
    ///     ``StateMachine/archive(includingDefinition:prettyPrinted:limit:)``.
    ///   - limit: The maximum size in bytes.
    /// - Returns: The state.
    /// - Throws: ``ArchiveError``.
    public static func state(
        from archive: Data,
        limit: Int = 64 << 20
    ) throws(ArchiveError) -> AnyState {
        let found = try EnvelopeReader.snapshot(from: archive, limit: limit, definition, ofMachine: false)
        return ExistentialLayout.unknown.handedOut(found.state, as: AnyState.self)
    }
}

/// A state of any class of a workflow, as a property of a `Codable` type.
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
/// It is coded like ``Workflow/archive(of:prettyPrinted:limit:)``.
public struct StateArchive<W: Workflow>: Sendable {
    /// The state.
    public let state: W.AnyState

    private let unread: UnreadParts

    /// Makes a property of a state.
    /// - Parameter state: The state.
    public init(_ state: W.AnyState) { (self.state, unread) = (state, UnreadParts()) }
}

extension StateArchive: Codable {
    /// Encodes the state with its name and the workflow's version.
    /// - Parameter encoder: The encoder.
    /// - Throws: ``ArchiveError`` for an unregistered class, or with the error of the state's `encode(to:)`.
    public func encode(to encoder: any Encoder) throws {
        try Envelope(ofState: state as AnyObject, W.definition, unread: unread).encode(to: encoder)
    }

    /// Decodes a state of any class of the workflow.
    /// - Parameter decoder: The decoder.
    /// - Throws: ``ArchiveError``.
    public init(from decoder: any Decoder) throws {
        let found = try EnvelopeReader(decoder, W.definition).snapshot(ofMachine: false)
        state = ExistentialLayout.unknown.handedOut(found.state, as: W.AnyState.self)
        unread = found.unread
    }
}

extension Envelope {
    fileprivate init(
        ofState state: AnyObject,
        _ definition: Definition,
        unread: UnreadParts = UnreadParts()
    ) throws(ArchiveError) {
        guard let index = definition.stateIndex(of: state), definition.layout(of: state, of: index) != nil
        else {
            throw .unknownState(
                definition.name(of: state),
                known: definition.states.map(\.name),
                path: ""
            )
        }
        let snapshot = Snapshot(
            state: try definition.frozen(state, in: index),
            status: PackedStatus(index, pending: .restoring),
            revision: 0,
            unread: unread
        )
        self.init(definition: definition, snapshot: snapshot, isOfMachine: false)
    }
}

extension Definition {
    /// The state to archive; a state with machines is copied at this moment.
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
