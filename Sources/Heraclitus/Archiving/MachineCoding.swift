extension StateMachine: Encodable {
    /// Encodes the machine at one moment, independently of other threads.
    ///
    /// A machine in a transition is encoded with its committed state. In a tree of machines (see ``Composite``), all
    /// committed states are of the same moment. Pending fires and closures added to the machine are left out.
    /// - Parameter encoder: The encoder.
    /// - Throws: ``ArchiveError/unwritableState(_:underlyingError:)`` with the error of the state's `encode(to:)`.
    public func encode(to encoder: any Encoder) throws {
        // Encoding a state that holds its own machine has no end.
        if TreeMoment.isTooDeep(encoder.codingPath) {
            throw TreeMoment.tooDeep(encoder.codingPath.map(\.stringValue), in: stateName)
        }
        try envelope().encode(to: encoder)
    }

    /// The archive of the machine at this moment, with all machines in its state.
    func envelope(includingDefinition includesDefinition: Bool = false) throws(ArchiveError) -> Envelope {
        let machine = core.isReadAtOnce ? self : try frozen()
        let table = includesDefinition ? core.table(knowing: nil) : nil
        return Envelope(definition: definition, snapshot: machine.core.snapshot, table: table)
    }
}

extension TreeMoment {
    /// Whether a coding path has more machines than may lie within one another.
    static func isTooDeep(_ path: [any CodingKey]) -> Bool {
        path.count(where: { $0 is EnvelopeKey }) >= depthLimit
    }

    static func tooDeep(_ path: [String], in state: String) -> ArchiveError {
        let context = EncodingError.Context(codingPath: [], debugDescription: explanation(of: path))
        return .unwritableState(state, underlyingError: EncodingError.invalidValue("a machine", context))
    }
}

extension StateMachine: Decodable {
    /// Restores a machine.
    ///
    /// Restoring runs no guard, hook or observer. The state's class is looked up by ``WorkflowState/name`` among the
    /// workflow's classes only. An archive of an older version goes through the workflow's ``Workflow/migrations``
    /// first. In a workflow with a ``Workflow/Context``, ``activate(context:userInfo:)`` gives the context to the
    /// machine.
    /// - Parameter decoder: The decoder.
    /// - Throws: ``ArchiveError``.
    public convenience init(from decoder: any Decoder) throws {
        let given = W.definition.contextDefined?.given(by: decoder)
        let definition = W.definition(given: given)
        let snapshot = try EnvelopeReader(decoder, definition).snapshot()
        self.init(MachineCore(definition, snapshot, decoder.userInfo[.scheduler] as? Scheduler, given))
    }
}

extension CodingUserInfoKey {
    /// The key of the scheduler that restored machines get.
    static let scheduler = CodingUserInfoKey(rawValue: "heraclitus.scheduler")!
}
