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
    /// and the actions that it allows. The current state is filled.
    /// - Parameters:
    ///   - current: The name of the state to mark, such as ``StateMachine/stateName``; `nil` for none.
    ///   - theme: The colours; `nil` for those of whoever draws it.
    /// - Returns: The text of the graph.
    public func dot(current: String? = nil, theme: DiagramTheme? = nil) -> String {
        DotDiagram(self, current: current, DiagramPath(nil), theme: theme).text
    }

    /// The workflow as a state diagram in Mermaid, which many sites draw in Markdown.
    ///
    /// It shows what ``dot(current:theme:)`` shows.
    /// - Parameters:
    ///   - current: The name of the state to mark, such as ``StateMachine/stateName``; `nil` for none.
    ///   - theme: The colours; `nil` for those of the site.
    /// - Returns: The text of the diagram.
    public func mermaid(current: String? = nil, theme: DiagramTheme? = nil) -> String {
        MermaidDiagram(self, current: current, DiagramPath(nil), theme: theme).text
    }
}

extension StateMachine {
    /// The machine's workflow as a diagram in which the current state is marked, and the path that its ``journal`` tells.
    ///
    /// The states of the path have a coloured frame, and so have its arrows in DOT. A label says how often its event was fired: `pay ×2`.
    /// - Parameters:
    ///   - format: The form of the diagram.
    ///   - theme: The colours; `nil` for those of whoever draws it.
    /// - Returns: The text of the diagram.
    public func diagram(_ format: DiagramFormat = .mermaid, theme: DiagramTheme? = nil) -> String {
        let path = DiagramPath(journal, names: definition.namesToday)
        return switch format {
        case .dot: DotDiagram(W.table, current: stateName, path, theme: theme).text
        case .mermaid: MermaidDiagram(W.table, current: stateName, path, theme: theme).text
        case .scxml: W.table.scxml()
        }
    }
}
