/// A table as a graph in DOT.
struct DotDiagram {
    private let table: TransitionTable
    private let content: DiagramContent
    private let current: String?
    private let theme: DiagramTheme?
    private let ids: [String: String]

    // Nodes that are no states, with ids that no state has.
    private static var initial: String { "\"\"" }
    private static var final: String { "\" \"" }
    private static var anyState: String { "\"  \"" }

    /// What the path looks like.
    private static var taken: [String] { ["color=\"#2f81f7\"", "penwidth=2.5"] }

    init(_ table: TransitionTable, current: String?, _ path: DiagramPath, theme: DiagramTheme?) {
        self.table = table
        self.current = current
        self.theme = theme
        content = DiagramContent(table, path)
        ids = Self.ids(of: table.states)
    }

    var text: String {
        var lines = ["rankdir=LR;", "compound=true;"] + colours + ["node [shape=box, style=rounded];"]
        lines.append("\(Self.initial) [shape=point, width=0.15];")
        lines += content.layout.states.map(node) + content.layout.boxes.flatMap(cluster)
        if content.arrows.contains(where: { $0.from == .anyState }) {
            lines.append("\(Self.anyState) [label=\"any state\", style=\"rounded,dashed\"];")
        }
        if !table.finals.isEmpty {
            let fill = foreground.map { "\"\($0)\"" } ?? "black"
            lines.append(
                "\(Self.final) [shape=doublecircle, style=filled, fillcolor=\(fill), label=\"\", width=0.12, height=0.12];"
            )
        }
        lines.append("\(Self.initial) -> \(id(table.initial));")
        lines += content.arrows.map(arrow)
        lines += table.finals.map { "\(id($0)) -> \(Self.final);" }
        return (["digraph \(quoted(table.workflow)) {"] + lines.map { "    \($0)" } + ["}", ""]).joined(separator: "\n")
    }

    private var foreground: String? { theme.map { $0 == .dark ? "#e6e6e6" : "#1a1a1a" } }

    private var colours: [String] {
        guard let theme, let foreground else { return [] }
        let own = "color=\"\(foreground)\", fontcolor=\"\(foreground)\", fontname=\"Helvetica\""
        return [
            "bgcolor=\"\(theme == .dark ? "#1e1e1e" : "#ffffff")\";", "color=\"\(foreground)\";",
            "fontcolor=\"\(foreground)\";", "node [\(own)];", "edge [\(own)];",
        ]
    }

    private func id(_ state: String) -> String { ids[state] ?? quoted(state) }

    private func node(_ state: String) -> String {
        var attributes: [String] = []
        let notes = content.notes(on: state)
        if !notes.isEmpty {
            attributes.append("shape=Mrecord")
            attributes.append("label=\(record(state, notes))")
        } else if id(state) != quoted(state) {
            attributes.append("label=\(quoted(state))")
        }
        if content.isVisited(state) { attributes += Self.taken }
        if state == current {
            attributes += [
                "style=\"\(notes.isEmpty ? "rounded," : "")filled\"", "fillcolor=\"#ffd700\"", "fontcolor=black",
            ]
        }
        return "\(id(state))\(attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]");"
    }

    private func cluster(_ box: DiagramBoxes.Box) -> [String] {
        let content = box.states.map(node) + box.boxes.flatMap(cluster)
        return [
            "subgraph \"cluster_\(box.number)\" {", "    label=\(quoted(box.name));", "    style=\"rounded,dashed\";",
        ]
            + content.map { "    \($0)" } + ["}"]
    }

    private func arrow(_ arrow: DiagramContent.Arrow) -> String {
        let taken = arrow.isTaken ? Self.taken : []
        let label = (["label=\(quoted(arrow.labels.joined(separator: "\n")))"] + taken).joined(separator: ", ")
        switch arrow.from {
        case .anyState: return "\(Self.anyState) -> \(id(arrow.to)) [\(label)];"
        case .state(let state): return "\(id(state)) -> \(id(arrow.to)) [\(label)];"
        case .box(let box, let state): return "\(id(state)) -> \(id(arrow.to)) [\(label), ltail=\"cluster_\(box)\"];"
        }
    }

    /// The quoted names of the states; where two would be one, as of a line feed and a paragraph separator, with a number.
    private static func ids(of states: [String]) -> [String: String] {
        var taken: Set<String> = [initial, final, anyState]
        var ids: [String: String] = [:]
        for (index, state) in states.enumerated() where ids[state] == nil {
            var id = quoted(state)
            while !taken.insert(id).inserted { id = quoted("\(id) \(index)") }
            ids[state] = id
        }
        return ids
    }
}

/// A name above a line, and lines of notes below it, as the label of a record.
private func record(_ name: String, _ notes: [String]) -> String {
    let fields = [name] + notes
    let texts = fields.map { field in
        // The outer quotes are those of the whole label. Between them, what has a meaning in records is escaped once more.
        let text = quoted(field).unicodeScalars.dropFirst().dropLast()
        return text.map { "{}|<>".unicodeScalars.contains($0) ? "\\\($0)" : String($0) }.joined()
    }
    return "\"\(texts[0])|\(texts.dropFirst().map { "\($0)\\l" }.joined())\""
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
