extension Workflow {
    /// The workflow's events, bound to their names.
    ///
    /// The first use of a workflow reads its definition, and stops the program for an invalid one.
    public static var events: Self { CompiledWorkflow<Self>.shared.events.value }

    static var definition: Definition { CompiledWorkflow<Self>.shared.definition }

    /// The names of the states whose work may fail without a following event.
    package static var statesWithUnheardFailures: [String] {
        definition.states.filter { $0.hooks.working != nil && $0.followUp(.failure) == nil }.map(\.name)
    }

    /// The workflow as plain data.
    public static var table: TransitionTable { table(within: []) }

    /// The workflow as plain data; without regions if it is within itself.
    /// - Parameters:
    ///   - path: The workflows around it.
    ///   - object: A state object, which shows its machines.
    /// - Returns: The table.
    static func table(within path: [ObjectIdentifier], knowing object: AnyObject? = nil) -> TransitionTable {
        let isInitialKnown = definition.initial.map { !definition.states[$0].hooks.isComposite } ?? true
        let objects = [object, isInitialKnown ? nil : initialObject as? any WorkflowState].compactMap { $0 }
        let own = ObjectIdentifier(Self.self)
        return definition.table(knowing: objects, within: path.contains(own) ? nil : path + [own])
    }

    /// All problems of this definition; empty for a valid one.
    ///
    /// Unlike any other use of a workflow, this never stops the program. It checks more than the first use: it makes an
    /// object of each ``EmptyState``, and finds problems that do not stop the program. `findings` lists warnings about
    /// a valid definition.
    public static var diagnostics: [WorkflowProblem] { CompiledWorkflow<Self>.diagnose() }
}
