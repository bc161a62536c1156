extension Workflow {
    /// The workflow's events, bound to their names.
    ///
    /// The first use of a workflow reads its definition and stops the program if that is wrong.
    public static var events: Self { CompiledWorkflow<Self>.shared.events.value }

    /// The workflow as plain data.
    public static var table: TransitionTable { CompiledWorkflow<Self>.shared.definition.table }

    /// Everything that is wrong with this definition; empty for a right one.
    ///
    /// Unlike any other use of a workflow this never stops the program. It looks further than the first use does: it makes an object of
    /// each ``EmptyState``, and finds as well what does not stop the program. ``findings`` lists what is odd about a right definition.
    public static var diagnostics: [WorkflowProblem] { CompiledWorkflow<Self>.diagnose() }
}
