public import Heraclitus

/// A form in which a workflow is drawn.
@nonexhaustive
public enum DiagramFormat: String, Hashable, Sendable, CaseIterable {
    /// DOT, which Graphviz draws: `dot -Tsvg`.
    case dot

    /// A state diagram in Mermaid, which many sites draw in Markdown.
    case mermaid

    /// SCXML, the interchange format of the W3C for state machines, which has no colours and no current state.
    ///
    /// States and final states have their names as ids. An event that leads to one state has its own name; where it leads to several, each has a
    /// transition for the event's name, a dot and the name of the state. An event that updates a state has a transition without a target, which exits
    /// and enters nothing. An ignored event has none, because SCXML drops events without a transition. The letters of ASCII, digits, `-` and `_` of a
    /// name stay. Other characters become numbers, such as `_x0020_` for a space; so does `_` alone, and an empty name is `_x_`. The event names
    /// `done` and `error` become `_x0064_one` and `_x0065_rror`, because the platform's events begin with them. Left out are guards, the reasons
    /// of automatic events, actions, groups, superclasses, the version, and the lists `Workflow.states` and `Workflow.finals`.
    ///
    /// A state that holds machines is a state with a child for each of its `regions`, parallel if there are several. The ids of the states
    /// of such a machine and their events have the path before them: `PlacedState.payment.OpenState`, `payment.settle`. Readers of SCXML
    /// take `payment` for the beginning of `payment.settle`. An event with the machine's name therefore makes it `_x_payment.settle`. The second
    /// of several machines without names, such as those in a list, is `Bell.2`.
    case scxml
}

extension TransitionTable {
    /// The workflow as a diagram.
    ///
    /// As in UML, a dot leads to the initial state, and final states lead to a dot with a ring. One arrow from a state to another has the names of
    /// all events. An event from any state, or from each state of a group, is one arrow, too. Groups are boxes around their states, and a
    /// superclass is a box around its subclasses. Notes below the name of a state are its updates, its ignored events and its actions. The current
    /// state is filled. Behind the name of an automatic event stands its reason: `after 5 s`, `when due`, `when failed`, `when done`, `when final`,
    /// `on condition`. A state that holds machines is a box with a box for each of its `regions`.
    ///
    /// `[guarded]` marks an event with guards in the definition. Guards of states and of one machine are left out, as are
    /// builders, hooks and the work of states.
    ///
    /// In DOT the label of an arrow is a node of the graph, between two edges: Graphviz keeps nodes apart from one another and from the borders of
    /// boxes.
    ///
    /// Marks have colours of their own, for light and dark grounds. In DOT the dot of final states is black.
    /// Everything else has the colours of the program that draws the diagram.
    /// - Parameters:
    ///   - format: The form of the diagram.
    ///   - current: The name of the state to mark, such as `StateMachine.stateName`; `nil` for none.
    /// - Returns: The text of the diagram.
    public func diagram(_ format: DiagramFormat = .mermaid, current: String? = nil) -> String {
        diagram(format, DiagramMarks(current))
    }

    fileprivate func diagram(_ format: DiagramFormat, _ marks: DiagramMarks) -> String {
        switch format {
        case .dot: DotDiagram(content: DiagramContent(self, marks)).text
        case .mermaid: MermaidLevel(DiagramContent(self, marks)).diagram
        case .scxml: scxml()
        }
    }
}

extension StateMachine {
    /// The machine's workflow as a diagram, with the current state and the path of the `journal` marked, also in the machines of the current state.
    ///
    /// The diagram shows the machines in the current state, also machines that the table omits. Visited states have a
    /// coloured frame, and DOT colours the arrows of the path. A label counts the transitions of its event: `pay ×2`.
    /// - Parameter format: The form of the diagram.
    /// - Returns: The text of the diagram.
    public func diagram(_ format: DiagramFormat = .mermaid) -> String {
        let snapshot = snapshot
        return table(of: snapshot).diagram(format, marks(of: snapshot))
    }
}

/// A machine whose state is marked.
private protocol MarkedMachine {
    var marks: DiagramMarks { get }
}

extension StateMachine: MarkedMachine {
    fileprivate var marks: DiagramMarks { marks(of: snapshot) }

    fileprivate func marks(of snapshot: Snapshot) -> DiagramMarks {
        DiagramMarks(
            definition.name(of: snapshot.state),
            path: snapshot.journal,
            names: definition.namesToday,
            regions: regions(of: snapshot).compactMap { ($0 as? any MarkedMachine)?.marks }
        )
    }
}
