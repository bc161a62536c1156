extension StateMachine: Encodable {
    /// Encodes the machine as it is at one moment, whatever other threads do with it meanwhile.
    ///
    /// During a transition it encodes the committed state; of a tree of machines, as ``Composite`` says, the committed states of all of them
    /// as of one moment. Pending fires, and closures that were added to this machine, are
    /// not encoded.
    /// - Parameter encoder: The encoder.
    /// - Throws: ``ArchiveError/unwritableState(_:underlyingError:)`` with the error of the state's `encode(to:)`.
    public func encode(to encoder: any Encoder) throws {
        // A state whose data holds its own machine would be encoded without an end.
        let depth = (encoder as? ArchiveEncoder)?.depth ?? encoder.codingPath.count
        guard depth <= TreeMoment.codingDepthLimit else {
            throw TreeMoment.tooDeep(encoder.codingPath.map(\.stringValue), in: stateName)
        }
        try envelope().encode(to: encoder)
    }

    /// What an archive says of the machine as of now, with all machines in its state.
    func envelope(including extras: ArchiveExtras = []) throws(ArchiveError) -> Envelope {
        let machine = core.isReadAtOnce ? self : try frozen()
        return Envelope(definition: definition, snapshot: machine.core.snapshot, extras: extras)
    }
}

extension TreeMoment {
    /// The number of keys and indices on the way to a machine that is encoded.
    ///
    /// A machine in a list has three on each level. A machine whose state holds itself has two, and so ends at 48 levels.
    static var codingDepthLimit: Int { 3 * depthLimit }

    static func tooDeep(_ path: [String], in state: String) -> ArchiveError {
        .unwritableState(
            state,
            underlyingError: EncodingError.invalidValue(
                "a machine",
                .init(codingPath: [], debugDescription: explanation(of: path))
            )
        )
    }
}

extension StateMachine: Decodable {
    /// Restores a machine.
    ///
    /// No guard, hook or observer runs. A state's class is looked up only among the workflow's own, by its
    /// ``WorkflowState/name``. An archive of an older version of the workflow goes through its
    /// ``Workflow/migrations`` first. A machine of a workflow with a ``Workflow/Context`` gets that from
    /// ``activate(context:userInfo:)``.
    /// - Parameter decoder: The decoder.
    /// - Throws: ``ArchiveError``.
    public convenience init(from decoder: any Decoder) throws {
        let given = CompiledWorkflow<W>.given(by: decoder)
        let definition = CompiledWorkflow<W>.definition(given: given)
        let snapshot = try EnvelopeReader(decoder, definition).snapshot()
        self.init(MachineCore(definition, snapshot, nil, given))
    }
}
