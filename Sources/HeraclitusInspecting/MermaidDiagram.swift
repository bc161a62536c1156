import Heraclitus

/// A workflow as a state diagram in Mermaid, or as a part of one: a workflow within a state.
struct MermaidLevel {
    private let content: DiagramContent
    private let prefix: String

    /// An identifier for each state, because names may be any text.
    private let ids: [String: String]

    init(_ content: DiagramContent, prefix: String = "") {
        self.content = content
        self.prefix = prefix
        let states = content.table.states.enumerated()
        ids = Dictionary(states.map { ($1, "\(prefix)s\($0)") }) { first, _ in first }
    }

    /// The machines in a state.
    private func regions(in state: String) -> [(label: String, level: MermaidLevel)] {
        content.regions(in: state).enumerated().map { place, part in
            (label: part.region.label, level: MermaidLevel(part.content, prefix: "\(id(state))r\(place)"))
        }
    }

    var diagram: String {
        var lines = ["stateDiagram-v2"] + self.lines.map { "    \($0)" }
        let levels = allLevels
        let visited = levels.flatMap(\.visited).joined(separator: ",")
        let classes: [(name: String, style: String, nodes: [String])] = [
            ("any", "stroke-dasharray:4", levels.filter(\.isAnyState).map(\.anyState)),
            ("notes", "stroke:none", levels.flatMap(\.notes)),
            ("visited", "stroke:#2f81f7,stroke-width:3px", visited.isEmpty ? [] : [visited]),
            ("current", "fill:#ffd700,color:#000", levels.compactMap(\.current)),
        ]
        for (name, style, nodes) in classes where !nodes.isEmpty {
            lines += ["    classDef \(name) \(style)"] + nodes.map { "    class \($0) \(name)" }
        }
        return (lines + [""]).joined(separator: "\n")
    }

    /// The level and all levels within, each before those within it.
    private var allLevels: [MermaidLevel] {
        [self] + content.table.states.flatMap(regions).flatMap(\.level.allLevels)
    }

    private var lines: [String] {
        var lines = content.layout.states.flatMap(node) + content.layout.boxes.flatMap(group)
        if isAnyState { lines.append("state \"any state\" as \(anyState)") }
        for state in content.table.states where !isComposite(state) {
            lines += content.notes(on: state).map { "\(id(state)) : \(mermaidText($0))" }
        }
        lines.append("[*] --> \(id(content.table.initial))")
        for arrow in content.arrows {
            let labels = arrow.labels.map(mermaidText).joined(separator: ", ")
            lines.append("\(origin(arrow.from)) --> \(id(arrow.to)) : \(labels)")
        }
        return lines + content.table.finals.map { "\(id($0)) --> [*]" }
    }

    /// The ids of the nodes with the notes of states that hold machines.
    private var notes: [String] {
        content.table.states.filter { isComposite($0) && !content.notes(on: $0).isEmpty }.map { "\(id($0))n" }
    }

    /// The ids of visited states.
    private var visited: [String] { content.table.states.filter(content.isVisited).map(id) }

    /// The id of the current state.
    private var current: String? { content.marks.state.flatMap { ids[$0] } }

    private var isAnyState: Bool { content.arrows.contains { $0.from == .anyState } }

    private var anyState: String { "\(prefix)any0" }

    private func isComposite(_ state: String) -> Bool { !content.regions(in: state).isEmpty }

    private func id(_ state: String) -> String { ids[state] ?? "s" }

    private func origin(_ origin: DiagramContent.Origin) -> String {
        switch origin {
        case .anyState: anyState
        case .state(let state): id(state)
        case .box(let box, _): "\(prefix)g\(box)"
        }
    }

    private func node(_ state: String) -> [String] {
        let name = "state \"\(mermaidText(state))\" as \(id(state))"
        guard isComposite(state) else { return [name] }
        var inner = regions(in: state).map { label, level in
            block("state \"\(mermaidText(label))\" as \(level.prefix) {", level.lines)
        }
        let notes = content.notes(on: state).map(mermaidText)
        if let first = notes.first {
            let more = notes.dropFirst().map { "\(id(state))n : \($0)" }
            inner[0] = ["state \"\(first)\" as \(id(state))n"] + more + inner[0]
        }
        // A line between parallel regions.
        return block("\(name) {", Array(inner.joined(separator: ["--"])))
    }

    private func group(_ box: DiagramBoxes.Box) -> [String] {
        let content = box.states.flatMap(node) + box.boxes.flatMap(group)
        return block("state \"\(mermaidText(box.name))\" as \(prefix)g\(box.number) {", content)
    }
}

/// A text in which characters with a meaning in Mermaid are numbers.
///
/// Mermaid refuses an empty text, so a space stands for it.
func mermaidText(_ text: String) -> String {
    if text.isEmpty { return mermaidText(" ") }
    let scalars = text.unicodeScalars
    var written = ""
    for index in scalars.indices {
        let scalar = scalars[index]
        let isPlain = scalar.properties.isAlphabetic || "0123456789 -_.".unicodeScalars.contains(scalar)
        // Mermaid cuts off spaces at the ends, and takes "direction LR" for its own everywhere.
        let isLost =
            scalar == " "
            && (written.isEmpty || scalars.index(after: index) == scalars.endIndex
                || written.suffix(9).lowercased() == "direction")
        written += isPlain && !isLost ? String(scalar) : "#\(scalar.value);"
    }
    return written
}
