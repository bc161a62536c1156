extension Workflow {
    /// The workflow's events, bound to their names.
    ///
    /// The first use of a workflow reads its definition and stops the program if that is wrong.
    public static var events: Self { CompiledWorkflow<Self>.shared.events.value }

    /// The names of the states whose work may fail without an event that follows.
    package static var statesWithUnheardFailures: [String] {
        CompiledWorkflow<Self>.shared.definition.states.filter { $0.hooks.working != nil && $0.failure == nil }.map(
            \.name
        )
    }

    /// The workflow as plain data.
    public static var table: TransitionTable { table(within: []) }

    /// The workflow as plain data; without regions, if it is within itself.
    /// - Parameters:
    ///   - path: The workflows around it.
    ///   - object: An object of a state, which shows the machines that it holds.
    /// - Returns: The table.
    static func table(within path: [ObjectIdentifier], knowing object: AnyObject? = nil) -> TransitionTable {
        let definition = CompiledWorkflow<Self>.shared.definition
        let isInitialKnown = definition.initial.map { !definition.states[$0].hooks.isComposite } ?? true
        let objects = [object, isInitialKnown ? nil : initialObject as? any WorkflowState].compactMap { $0 }
        let own = ObjectIdentifier(Self.self)
        return definition.table(knowing: objects, within: path.contains(own) ? nil : path + [own])
    }

    /// Everything that is wrong with this definition; empty for a right one.
    ///
    /// Unlike any other use of a workflow this never stops the program. It looks further than the first use does: it makes an object of
    /// each ``EmptyState``, and finds as well what does not stop the program. `findings` lists what is odd about a right definition.
    public static var diagnostics: [WorkflowProblem] { CompiledWorkflow<Self>.diagnose() }
}
