public import Heraclitus

/// A form in which a workflow is drawn.
@nonexhaustive
public enum DiagramFormat: String, Hashable, Sendable, CaseIterable {
    /// DOT, which Graphviz draws: `dot -Tsvg`.
    case dot

    /// A state diagram in Mermaid, which many sites draw in Markdown.
    case mermaid

    /// SCXML, the interchange format of the W3C, which has no colours and no current state.
    case scxml
}

/// The colours of a diagram.
@nonexhaustive
public enum DiagramTheme: String, Hashable, Sendable, CaseIterable {
    /// Dark lines on a light ground.
    case light

    /// Light lines on a dark ground.
    case dark
}

extension TransitionTable {
    /// The workflow as a graph in DOT, which Graphviz draws: `dot -Tsvg`.
    ///
    /// As in UML, a dot leads to the initial state, and final states lead to a dot with a ring. One arrow from a state to another has the names of
    /// all events. An event from any state, or from each state of a group, is one arrow, too. Groups are boxes around their states, and a
    /// superclass is a box around its subclasses. Notes below the name of a state are its updates, its ignored events and its actions. The current
    /// state is filled. Behind the name of an automatic event stands its reason: `after 5 s`, `when due`, `when failed`, `when done`, `when final`,
    /// `on condition`. A state that holds machines is a box with a box for each of its `regions`.
    ///
    /// The label of an arrow is a node of the graph, between two edges: Graphviz keeps nodes apart from one another and from the borders of boxes.
    /// - Parameters:
    ///   - current: The name of the state to mark, such as `StateMachine.stateName`; `nil` for none.
    ///   - theme: The colours; `nil` for those of Graphviz.
    /// - Returns: The text of the graph.
    public func dot(current: String? = nil, theme: DiagramTheme? = nil) -> String {
        DotDiagram(table: self, marks: DiagramMarks(current), theme: theme).text
    }

    /// The workflow as a state diagram in Mermaid, which many sites draw in Markdown.
    ///
    /// It shows what ``dot(current:theme:)`` shows.
    /// - Parameters:
    ///   - current: The name of the state to mark, such as `StateMachine.stateName`; `nil` for none.
    ///   - theme: The colours; `nil` for those of the site.
    /// - Returns: The text of the diagram.
    public func mermaid(current: String? = nil, theme: DiagramTheme? = nil) -> String {
        MermaidDiagram(self, DiagramMarks(current), theme).text
    }
}

extension StateMachine {
    /// The machine's workflow as a diagram, with the current state and the path of the `journal` marked, also in the machines of the current state.
    ///
    /// The diagram shows the machines in the current state, also machines that `TransitionTable.regions` omits. Visited states have a coloured
    /// frame, and DOT colours the arrows of the path. A label counts the transitions of its event: `pay ×2`.
    /// - Parameters:
    ///   - format: The form of the diagram.
    ///   - theme: The colours; `nil` for those of the program that draws it.
    /// - Returns: The text of the diagram.
    public func diagram(_ format: DiagramFormat = .mermaid, theme: DiagramTheme? = nil) -> String {
        let moment = drawnMoment
        let (table, marks) = (moment.table, moment.marks)
        return switch format {
        case .dot: DotDiagram(table: table, marks: marks, theme: theme).text
        case .mermaid: MermaidDiagram(table, marks, theme).text
        case .scxml: table.scxml()
        }
    }
}

/// The marks of a diagram.
struct DiagramMarks {
    /// The current state.
    let state: String?

    /// The path of the machine.
    let path: DiagramPath

    /// The marks of the machines in the current state, in their order.
    let regions: [DiagramMarks]

    init(_ state: String?, _ path: DiagramPath = DiagramPath(nil), _ regions: [DiagramMarks] = []) {
        self.state = state
        self.path = path
        self.regions = regions
    }
}

/// A machine whose state is marked.
private protocol MarkedMachine {
    var marks: DiagramMarks { get }
}

extension StateMachine: MarkedMachine {
    fileprivate var marks: DiagramMarks { drawnMoment.marks }
}

extension DrawnMoment {
    fileprivate var marks: DiagramMarks {
        DiagramMarks(
            state,
            DiagramPath(journal, names: definition.namesToday),
            regions.compactMap { ($0 as? any MarkedMachine)?.marks }
        )
    }
}
