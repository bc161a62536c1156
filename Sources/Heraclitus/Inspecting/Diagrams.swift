extension TransitionTable {
    /// The workflow as a graph in DOT, which Graphviz draws: `dot -Tsvg`.
    ///
    /// A circle leads to the initial state, final states have a double line. A state that is named is filled.
    /// - Parameter current: The name of the state to mark, such as ``StateMachine/stateName``; `nil` for none.
    /// - Returns: The text of the graph.
    public func dot(current: String? = nil) -> String {
        var lines = ["digraph \(quoted(workflow)) {", "    rankdir=LR;", "    node [shape=box, style=rounded];"]
        lines.append("    \"\" [shape=point];")
        for state in states {
            var attributes: [String] = []
            if finals.contains(state) { attributes.append("peripheries=2") }
            if state == current { attributes.append("style=\"rounded,filled\"") }
            lines.append("    \(quoted(state))\(attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]");")
        }
        lines.append("    \"\" -> \(quoted(initial));")
        for arrow in arrows {
            lines.append(
                "    \(quoted(arrow.from)) -> \(quoted(arrow.to)) [label=\(quoted(arrow.label))"
                    + "\(arrow.isUpdate ? ", style=dashed" : "")];"
            )
        }
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    /// The workflow as a state diagram in Mermaid, which many sites draw in Markdown.
    /// - Parameter current: The name of the state to mark, such as ``StateMachine/stateName``; `nil` for none.
    /// - Returns: The text of the diagram.
    public func mermaid(current: String? = nil) -> String {
        // Names may be any text, identifiers not.
        let ids = Dictionary(states.enumerated().map { ($1, "s\($0)") }) { first, _ in first }
        func id(_ state: String) -> String { ids[state] ?? "s" }
        var lines = ["stateDiagram-v2"]
        for state in states { lines.append("    state \"\(escaped(state))\" as \(id(state))") }
        lines.append("    [*] --> \(id(initial))")
        for arrow in arrows { lines.append("    \(id(arrow.from)) --> \(id(arrow.to)) : \(escaped(arrow.label))") }
        for final in finals { lines.append("    \(id(final)) --> [*]") }
        if let current, ids[current] != nil {
            lines += ["    classDef current fill:#ffd700,color:#000", "    class \(id(current)) current"]
        }
        return (lines + [""]).joined(separator: "\n")
    }

    private struct Arrow {
        let from: String
        let to: String
        let label: String
        let isUpdate: Bool
    }

    /// The transitions of all events, in the order of the definition.
    private var arrows: [Arrow] {
        events.flatMap { event in
            event.transitions.map { Arrow(from: $0.from, to: $0.to, label: event.name, isUpdate: $0.isUpdate) }
        }
    }

    private func quoted(_ text: String) -> String {
        let escaped = text.flatMap { character -> String in
            switch character {
            case "\"": "\\\""
            case "\\": "\\\\"
            case _ where character.isNewline: "\\n"
            default: String(character)
            }
        }
        return "\"\(String(escaped))\""
    }

    /// As Mermaid wants what it might take for its own: by number.
    private func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            let isPlain = scalar.properties.isAlphabetic || "0123456789 -_.".unicodeScalars.contains(scalar)
            return isPlain ? String(scalar) : "#\(scalar.value);"
        }.joined()
    }
}
