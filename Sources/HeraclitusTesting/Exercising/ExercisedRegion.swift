import Heraclitus

/// A machine of any workflow whose events are fired by name.
protocol ExercisedRegion: Region {
    /// The definition of the workflow, which finds the states of objects.
    var definition: Definition { get }

    /// The name of the current state.
    var stateName: String { get }

    /// The number of transitions since the machine was made.
    var revision: Int { get }

    /// The workflow's table with the machines in the state.
    var currentTable: TransitionTable { get }

    /// The state object.
    var currentState: any WorkflowState { get }

    /// The workflow of the machine.
    static var workflowType: any Workflow.Type { get }

    /// The destination that an event makes by its builder or as an empty state; `nil` if it needs an object.
    /// - Throws: The error of the builder.
    func builtDestination(of event: String) throws -> (any WorkflowState)?

    /// Fires an event by its name.
    func fire(event: String, entering state: any WorkflowState) throws(InvalidTransition)
}

extension StateMachine: ExercisedRegion {
    var currentTable: TransitionTable { table(of: snapshot) }
}
