// How is a machine driven by somebody who does not know its type?

/// A machine whose events are fired by their names, whatever its workflow.
package protocol ExercisedRegion: Region {
    /// The name of the current state.
    var stateName: String { get }

    /// The workflow, with the machines that the state shows.
    var currentTable: TransitionTable { get }

    /// The state object.
    var stateObject: (any WorkflowState)? { get }

    /// The object that an event enters by itself: what its builder makes, or an empty state; `nil` if there is none.
    func builtDestination(of event: String) -> (any WorkflowState)?

    /// Fires an event by its name.
    func fire(event: String, entering state: any WorkflowState) throws(InvalidTransition)
}

extension StateMachine: ExercisedRegion {
    package var currentTable: TransitionTable { drawnMoment.table }

    package var stateObject: (any WorkflowState)? { state as? any WorkflowState }

    package func builtDestination(of event: String) -> (any WorkflowState)? {
        var built: AnyObject?
        try? core.fire(for: .rehearsal, .named(event), Call(self)) { candidate in
            let object = try core.destination(of: candidate, self, [:])
            built = object.object
            return object
        }
        return built as? any WorkflowState
    }

    package func fire(event: String, entering state: any WorkflowState) throws(InvalidTransition) {
        try fire(.named(event), userInfo: [:]) { _ in OwnedObject(state) }
    }
}
