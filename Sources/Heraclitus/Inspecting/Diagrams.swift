extension TransitionTable {
    /// The workflow as a graph in DOT, which Graphviz draws: `dot -Tsvg`.
    ///
    /// A circle leads to the initial state, final states have a double line, groups are boxes around their states. Below the name of a
    /// state are the actions that it allows. The current state is filled.
    /// - Parameter current: The name of the state to mark, such as ``StateMachine/stateName``; `nil` for none.
    /// - Returns: The text of the graph.
    public func dot(current: String? = nil) -> String {
        var lines = ["digraph \(quoted(workflow)) {", "    rankdir=LR;", "    node [shape=box, style=rounded];"]
        lines.append("    \"\" [shape=point];")
        let ids = quotedIDs
        let layout = DiagramBoxes(self)
        func id(_ state: String) -> String { ids[state] ?? quoted(state) }
        func node(_ state: String) -> String {
            var attributes: [String] = []
            let notes = notes(on: state, in: layout)
            if id(state) != quoted(state) || !notes.isEmpty {
                attributes.append("label=\(quoted(([state] + notes).joined(separator: "\n")))")
            }
            if finals.contains(state) { attributes.append("peripheries=2") }
            if state == current { attributes.append("style=\"rounded,filled\"") }
            return "\(id(state))\(attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]");"
        }
        func cluster(_ box: DiagramBoxes.Box) -> [String] {
            let content = box.states.map(node) + box.boxes.flatMap(cluster)
            return ["subgraph \"cluster_\(box.number)\" {", "    label=\(quoted(box.name));", "    style=dashed;"]
                + content.map { "    \($0)" } + ["}"]
        }
        lines += (layout.states.map(node) + layout.boxes.flatMap(cluster)).map { "    \($0)" }
        lines.append("    \"\" -> \(id(initial));")
        for arrow in arrows {
            lines.append(
                "    \(id(arrow.from)) -> \(id(arrow.to)) [label=\(quoted(arrow.label))"
                    + "\(arrow.isUpdate ? ", style=dashed" : "")];"
            )
        }
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    /// The workflow as a state diagram in Mermaid, which many sites draw in Markdown.
    ///
    /// Groups are boxes around their states. Below the name of a state are the actions that it allows.
    /// - Parameter current: The name of the state to mark, such as ``StateMachine/stateName``; `nil` for none.
    /// - Returns: The text of the diagram.
    public func mermaid(current: String? = nil) -> String {
        // Names may be any text, identifiers not.
        let ids = Dictionary(states.enumerated().map { ($1, "s\($0)") }) { first, _ in first }
        let layout = DiagramBoxes(self)
        func id(_ state: String) -> String { ids[state] ?? "s" }
        func node(_ state: String) -> String { "state \"\(escaped(state))\" as \(id(state))" }
        func composite(_ box: DiagramBoxes.Box) -> [String] {
            let content = box.states.map(node) + box.boxes.flatMap(composite)
            return ["state \"\(escaped(box.name))\" as g\(box.number) {"] + content.map { "    \($0)" } + ["}"]
        }
        var lines = ["stateDiagram-v2"]
        lines += (layout.states.map(node) + layout.boxes.flatMap(composite)).map { "    \($0)" }
        for state in states {
            lines += notes(on: state, in: layout).map { "    \(id(state)) : \(escaped($0))" }
        }
        lines.append("    [*] --> \(id(initial))")
        for arrow in arrows { lines.append("    \(id(arrow.from)) --> \(id(arrow.to)) : \(escaped(arrow.label))") }
        for final in finals { lines.append("    \(id(final)) --> [*]") }
        if let current, ids[current] != nil {
            lines += ["    classDef current fill:#ffd700,color:#000", "    class \(id(current)) current"]
        }
        return (lines + [""]).joined(separator: "\n")
    }

    /// What is written below the name of a state.
    private func notes(on state: String, in layout: DiagramBoxes) -> [String] {
        let others = layout.otherGroups[state] ?? []
        return (others.isEmpty ? [] : ["also in \(others.joined(separator: ", "))"])
            + actions.filter { $0.states.contains(state) }.map { "\($0.name)()" }
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

    /// The quoted names of the states; where two would be one, as of a line feed and a paragraph separator, with a number.
    private var quotedIDs: [String: String] {
        var taken: Set<String> = []
        var ids: [String: String] = [:]
        for (index, state) in states.enumerated() where ids[state] == nil {
            var id = quoted(state)
            while !taken.insert(id).inserted { id = quoted("\(id) \(index)") }
            ids[state] = id
        }
        return ids
    }

    /// By scalars, because a quote with an accent on it is another character and still a quote to Graphviz.
    private func quoted(_ text: String) -> String {
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += ["\\", scalar]
            case "\n" where previous == "\r": break
            case "\n", "\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}": quoted += ["\\", "n"]
            // Graphviz takes it for the end of the text.
            case "\0": quoted.append("\u{2400}")
            default: quoted.append(scalar)
            }
            previous = scalar
        }
        quoted.append("\"")
        return String(quoted)
    }

    /// As Mermaid wants what it might take for its own: by number.
    private func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            let isPlain = scalar.properties.isAlphabetic || "0123456789 -_.".unicodeScalars.contains(scalar)
            return isPlain ? String(scalar) : "#\(scalar.value);"
        }.joined()
    }
}
