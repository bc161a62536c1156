import Heraclitus
import HeraclitusInspecting

/// An action on an exercised machine.
enum ExerciseAction: Hashable {
    /// Fires an event with a sample's object, an empty state's object, or the result of the event's builder.
    case fire(ExercisedTransition, sample: Int?)

    /// Archives and restores the machine.
    case restart
}

/// A transition of an exercised machine or of a machine in its state, by the names of its event and states.
struct ExercisedTransition: Hashable {
    let event: String
    let states: TransitionTable.Transition

    /// The path to a machine in the state; empty for the exercised machine itself.
    var path: [RegionPlace] = []

    var from: String { states.from }
    var to: String { states.to }
}

/// A machine in a state.
struct RegionPlace: Hashable {
    /// The property that holds the machine, with the index in an array.
    ///
    /// It is the machine's number among the regions if no property or array holds the machine.
    let name: String

    /// The machine's number among the regions.
    let index: Int

    /// The machine's workflow, and the name of its definition, which a `DataWorkflow` has from its context.
    let workflow: any Workflow.Type
    let workflowName: String

    // Another state object may list the machine of a property at another place.
    static func == (left: RegionPlace, right: RegionPlace) -> Bool {
        left.workflow == right.workflow && (left.name, left.workflowName) == (right.name, right.workflowName)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(workflowName)
    }
}

extension TransitionTable {
    /// All transitions, in the order of the definition, of the machine at the end of a path.
    func transitions(of path: [RegionPlace] = []) -> [ExercisedTransition] {
        events.flatMap { event in
            event.transitions.map { ExercisedTransition(event: event.name, states: $0, path: path) }
        }
    }

    /// The transition of an edge.
    func transition(_ edge: TableGraph.Edge) -> ExercisedTransition {
        ExercisedTransition(
            event: events[edge.event].name,
            states: Transition(from: states[edge.from], to: states[edge.to], isUpdate: edge.isUpdate)
        )
    }

    /// The states with registered subclasses; their classes may be abstract.
    var superclasses: Set<String> { Set(superstates.values) }
}

extension TransitionPath {
    init(start: String, _ transitions: [ExercisedTransition]) {
        self.start = start
        steps = transitions.map { Step(event: $0.event, to: $0.to, isUpdate: $0.states.isUpdate) }
    }

    /// The steps, each with the state that it leaves.
    var transitions: [ExercisedTransition] {
        zip([start] + steps.map(\.to), steps).map { from, step in
            let states = TransitionTable.Transition(from: from, to: step.to, isUpdate: step.isUpdate)
            return ExercisedTransition(event: step.event, states: states)
        }
    }
}
