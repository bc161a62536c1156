/// A state of any class of a workflow as a `Codable` value, alone or in your own types.
///
/// ```swift
/// let json = try JSONEncoder().encode(StateArchive<Download>(machine.state))
/// let state = try JSONDecoder().decode(StateArchive<Download>.self, from: json).state     // `any DownloadState`
///
/// struct Entry: Codable {
///     let date: Date
///     let state: StateArchive<Download>
/// }
/// ```
///
/// It has the state's name, its data and the workflow's version, in the form of machines' archives. The machines in a
/// ``Composite`` state are archived as of one moment, independently of other threads.
///
/// The class is looked up by ``WorkflowState/name`` among the workflow's classes only. An archive of an older version
/// goes through the workflow's ``Workflow/migrations`` first. No hook is called. The archive of a machine is read, too.
///
/// The encoder chooses the form of dates. `JSONEncoder.DateEncodingStrategy.archived` is the form in machines'
/// archives, and `JSONDecoder.DateDecodingStrategy.archived` reads it.
///
/// Read JSON of others with a limit of its size, and dates of both forms, by
/// `JSONValue(json: json).decoded(as: StateArchive<Download>.self)`.
public struct StateArchive<W: Workflow>: Sendable {
    /// The state.
    public let state: W.AnyState

    private let unread: UnreadParts

    /// Makes a codable value of a state.
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
        unread: UnreadParts
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
