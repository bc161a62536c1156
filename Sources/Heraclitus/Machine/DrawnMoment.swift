/// What a diagram shows of a machine, as of one moment.
package struct DrawnMoment<W: Workflow> {
    /// The name of the state.
    package let state: String

    /// What the machine went through.
    package let journal: Journal?

    /// The machines that the state holds, in their order.
    package let regions: [any Region]

    fileprivate let object: AnyObject
    let definition: Definition

    /// The workflow, with the machines that the state shows.
    package var table: TransitionTable { definition.content.value.makeTable([], object) }
}

extension StateMachine {
    /// What a diagram shows of the machine now.
    package var drawnMoment: DrawnMoment<W> {
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
