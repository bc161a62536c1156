extension StateMachine: Encodable {
    /// Encodes the machine as it is at one moment, whatever other threads do with it meanwhile.
    ///
    /// During a transition it encodes the committed state. Pending fires, and closures that were added to this machine, are
    /// not encoded.
    /// - Parameter encoder: The encoder.
    /// - Throws: ``ArchiveError/unwritableState(_:underlyingError:)`` with the error of the state's `encode(to:)`.
    public func encode(to encoder: any Encoder) throws { try envelope().encode(to: encoder) }

    /// The machine as of now.
    func envelope(including extras: ArchiveExtras = []) -> Envelope {
        Envelope(definition: definition, snapshot: core.snapshot, extras: extras)
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
