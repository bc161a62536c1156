/// The parts of a machine for a diagram, as of one moment.
package struct DrawnMoment {
    /// The name of the state.
    package let state: String

    /// The journal of the machine; `nil` if it keeps none.
    package let journal: Journal?

    /// The machines in the state, in order.
    package let regions: [any Region]

    package let definition: Definition
    fileprivate let makeTable: () -> TransitionTable

    /// The workflow's table with the machines in the state.
    package var table: TransitionTable { makeTable() }
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
            definition: definition,
            makeTable: { [self] in core.table(knowing: snapshot.state) }
        )
    }
}
