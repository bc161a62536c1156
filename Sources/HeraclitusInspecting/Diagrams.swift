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
    /// As in UML, a dot leads to the initial state, and final states lead to a dot with a ring. Between two states is one arrow, with the
    /// names of all events. What an event does from any state, or from every state of a group, is one arrow, too. Groups are boxes around
    /// their states, and a superclass is one around its subclasses. Below the name of a state are the events that update it or are ignored in it,
    /// and the actions that it allows. The current state is filled. Behind the name of an event is why it fires by itself: `after 5 s`, `when due`,
    /// `when failed`, `when done`, `when final`, `on condition`. A state that holds machines is a box with a box for each of its `regions`.
    /// - Parameters:
    ///   - current: The name of the state to mark, such as `StateMachine.stateName`; `nil` for none.
    ///   - theme: The colours; `nil` for those of whoever draws it.
    /// - Returns: The text of the graph.
    public func dot(current: String? = nil, theme: DiagramTheme? = nil) -> String {
        DotDiagram(self, DiagramMarks(current), theme).text
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
    /// The machine's workflow as a diagram in which the current state is marked, those of the machines in it, and the path that each
    /// one's `journal` tells.
    ///
    /// It shows the machines in the current state, also if `TransitionTable.regions` does not know them. The states of the path have a
    /// coloured frame, and so have its arrows in DOT. A label says how often its event was fired: `pay ×2`.
    /// - Parameters:
    ///   - format: The form of the diagram.
    ///   - theme: The colours; `nil` for those of whoever draws it.
    /// - Returns: The text of the diagram.
    public func diagram(_ format: DiagramFormat = .mermaid, theme: DiagramTheme? = nil) -> String {
        let moment = drawnMoment
        let (table, marks) = (moment.table, moment.marks)
        return switch format {
        case .dot: DotDiagram(table, marks, theme).text
        case .mermaid: MermaidDiagram(table, marks, theme).text
        case .scxml: table.scxml()
        }
    }
}

/// What is marked in a diagram.
struct DiagramMarks {
    /// The current state.
    let state: String?

    /// The way that the machine has gone.
    let path: DiagramPath

    /// The marks of the machines that the current state holds, in their order.
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
            DiagramPath(journal, names: namesToday),
            regions.compactMap { ($0 as? any MarkedMachine)?.marks }
        )
    }
}
