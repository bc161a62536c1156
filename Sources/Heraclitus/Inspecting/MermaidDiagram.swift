/// A table as a state diagram in Mermaid.
struct MermaidDiagram {
    private let table: TransitionTable
    private let content: DiagramContent
    private let current: String?
    private let theme: DiagramTheme?

    /// Names may be any text, identifiers not.
    private let ids: [String: String]

    init(_ table: TransitionTable, current: String?, _ path: DiagramPath, theme: DiagramTheme?) {
        self.table = table
        self.current = current
        self.theme = theme
        content = DiagramContent(table, path)
        ids = Dictionary(table.states.enumerated().map { ($1, "s\($0)") }) { first, _ in first }
    }

    var text: String {
        var lines = theme.map { ["%%{init: {\"theme\": \"\($0 == .dark ? "dark" : "default")\"}}%%"] } ?? []
        lines.append("stateDiagram-v2")
        lines += (content.layout.states.map(node) + content.layout.boxes.flatMap(composite)).map { "    \($0)" }
        let isAnyState = content.arrows.contains { $0.from == .anyState }
        if isAnyState { lines.append("    state \"any state\" as any0") }
        for state in table.states {
            lines += content.notes(on: state).map { "    \(id(state)) : \(mermaidText($0))" }
        }
        lines.append("    [*] --> \(id(table.initial))")
        for arrow in content.arrows {
            let labels = arrow.labels.map(mermaidText).joined(separator: ", ")
            lines.append("    \(origin(arrow.from)) --> \(id(arrow.to)) : \(labels)")
        }
        for final in table.finals { lines.append("    \(id(final)) --> [*]") }
        if isAnyState { lines += ["    classDef any stroke-dasharray:4", "    class any0 any"] }
        let visited = table.states.filter(content.isVisited)
        if !visited.isEmpty {
            lines.append("    classDef visited stroke:#2f81f7,stroke-width:3px")
            lines.append("    class \(visited.map(id).joined(separator: ",")) visited")
        }
        if let current, ids[current] != nil {
            lines += ["    classDef current fill:#ffd700,color:#000", "    class \(id(current)) current"]
        }
        return (lines + [""]).joined(separator: "\n")
    }

    private func id(_ state: String) -> String { ids[state] ?? "s" }

    private func origin(_ origin: DiagramContent.Origin) -> String {
        switch origin {
        case .anyState: "any0"
        case .state(let state): id(state)
        case .box(let box, _): "g\(box)"
        }
    }

    private func node(_ state: String) -> String { "state \"\(mermaidText(state))\" as \(id(state))" }

    private func composite(_ box: DiagramBoxes.Box) -> [String] {
        let content = box.states.map(node) + box.boxes.flatMap(composite)
        return ["state \"\(mermaidText(box.name))\" as g\(box.number) {"] + content.map { "    \($0)" } + ["}"]
    }
}

/// A text as Mermaid wants what it might take for its own: by number.
func mermaidText(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
        let isPlain = scalar.properties.isAlphabetic || "0123456789 -_.".unicodeScalars.contains(scalar)
        return isPlain ? String(scalar) : "#\(scalar.value);"
    }.joined()
}
