/// The parts of a machine for a diagram, as of one moment.
package struct DrawnMoment {
    /// The name of the state.
    package let state: String

    /// The journal of the machine; `nil` if it keeps none.
    package let journal: Journal?

    /// The machines in the state, in order.
    package let regions: [any Region]

    fileprivate let object: AnyObject
    package let definition: Definition

    /// The workflow's table with the machines in the state.
    package var table: TransitionTable { definition.content.value.objects.makeTable([], object) }
}

extension StateMachine {
    /// The current moment for a diagram.
    package var drawnMoment: DrawnMoment {
        let snapshot = core.snapshot
        let state = definition.states[snapshot.status.index]
        return DrawnMoment(
            state: state.name,
            journal: snapshot.journal,
            regions: state.hooks.regions(of: snapshot.state),
            object: snapshot.state,
            definition: definition
        )
    }
}
