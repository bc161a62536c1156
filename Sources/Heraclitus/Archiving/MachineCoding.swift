extension StateMachine: Encodable {
    /// Encodes the machine as it is at one moment, whatever other threads do with it meanwhile.
    ///
    /// During a transition it encodes the committed state; of a tree of machines, as ``Composite`` says, the committed states of all of them
    /// as of one moment. Pending fires, and closures that were added to this machine, are
    /// not encoded.
    /// - Parameter encoder: The encoder.
    /// - Throws: ``ArchiveError/unwritableState(_:underlyingError:)`` with the error of the state's `encode(to:)`.
    public func encode(to encoder: any Encoder) throws { try withEnvelope { try $0.encode(to: encoder) } }

    /// Calls a body that encodes the machine as of now, with all machines in its state.
    func withEnvelope<Result, Failure: Error>(
        including extras: ArchiveExtras = [],
        _ body: (Envelope) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try core.atOneMoment(self) { snapshot throws(Failure) in
            try body(Envelope(definition: definition, snapshot: snapshot, extras: extras))
        }
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
        let definition = CompiledWorkflow<W>.shared.definition
        self.init(MachineCore(definition, try EnvelopeReader(decoder, definition).snapshot()))
    }
}
