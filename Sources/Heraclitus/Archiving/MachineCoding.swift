extension StateMachine: Encodable {
    /// Encodes the machine as of one moment, whatever other threads do with it meanwhile.
    ///
    /// During a transition that is the state which the machine still shows. What is pending, and closures that were added
    /// to this machine, are not part of it.
    /// - Parameter encoder: The encoder.
    /// - Throws: ``ArchiveError/unwritableState(_:underlyingError:)`` with what the state's own `encode(to:)` throws.
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
    /// ``WorkflowState/name``. What an older version of the workflow has written goes through its
    /// ``Workflow/migrations`` first.
    /// - Parameter decoder: The decoder.
    /// - Throws: ``ArchiveError``.
    public convenience init(from decoder: any Decoder) throws {
        let definition = CompiledWorkflow<W>.shared.definition
        self.init(MachineCore(definition, try EnvelopeReader(decoder, definition).snapshot()))
    }
}
