import Heraclitus

/// A table as a state diagram in Mermaid.
struct MermaidDiagram {
    private let level: MermaidLevel
    private let theme: DiagramTheme?

    init(_ table: TransitionTable, _ marks: DiagramMarks, _ theme: DiagramTheme?) {
        level = MermaidLevel(table, marks, prefix: "")
        self.theme = theme
    }

    var text: String {
        var lines = theme.map { ["%%{init: {\"theme\": \"\($0 == .dark ? "dark" : "default")\"}}%%"] } ?? []
        lines.append("stateDiagram-v2")
        lines += level.lines.map { "    \($0)" }
        let (any, notes, current) = (level.anyStates, level.allNotes, level.allCurrent)
        if !any.isEmpty { lines += ["    classDef any stroke-dasharray:4"] + any.map { "    class \($0) any" } }
        if !notes.isEmpty { lines += ["    classDef notes stroke:none"] + notes.map { "    class \($0) notes" } }
        let visited = level.allVisited
        if !visited.isEmpty {
            lines.append("    classDef visited stroke:#2f81f7,stroke-width:3px")
            lines.append("    class \(visited.joined(separator: ",")) visited")
        }
        if !current.isEmpty {
            lines += ["    classDef current fill:#ffd700,color:#000"] + current.map { "    class \($0) current" }
        }
        return (lines + [""]).joined(separator: "\n")
    }
}

/// A workflow as a part of a diagram: the outermost, or one within a state.
private struct MermaidLevel {
    private let table: TransitionTable
    private let content: DiagramContent
    private let marks: DiagramMarks
    private let prefix: String

    /// An identifier for each state, because names may be any text.
    private let ids: [String: String]

    /// The machines in each state.
    private let regions: [String: [(label: String, level: MermaidLevel)]]

    init(_ table: TransitionTable, _ marks: DiagramMarks, prefix: String) {
        self.table = table
        self.marks = marks
        self.prefix = prefix
        let content = DiagramContent(table, marks.path)
        self.content = content
        let ids = Dictionary(table.states.enumerated().map { ($1, "\(prefix)s\($0)") }) { first, _ in first }
        self.ids = ids
        regions = Dictionary(
            uniqueKeysWithValues: ids.keys.map { state in
                let parts = content.regions(in: state).enumerated().map { place, region -> (String, MermaidLevel) in
                    let isCurrent = state == marks.state && marks.regions.indices.contains(place)
                    let inner = isCurrent ? marks.regions[place] : DiagramMarks(nil)
                    return (region.label, MermaidLevel(region.table, inner, prefix: "\(ids[state] ?? "")r\(place)"))
                }
                return (state, parts)
            }
        )
    }

    var lines: [String] {
        var lines = content.layout.states.flatMap(node) + content.layout.boxes.flatMap(group)
        if isAnyState { lines.append("state \"any state\" as \(anyState)") }
        for state in table.states where !isComposite(state) {
            lines += content.notes(on: state).map { "\(id(state)) : \(mermaidText($0))" }
        }
        lines.append("[*] --> \(id(table.initial))")
        for arrow in content.arrows {
            let labels = arrow.labels.map(mermaidText).joined(separator: ", ")
            lines.append("\(origin(arrow.from)) --> \(id(arrow.to)) : \(labels)")
        }
        return lines + table.finals.map { "\(id($0)) --> [*]" }
    }

    /// The ids of the nodes for any state, here and within.
    var anyStates: [String] { (isAnyState ? [anyState] : []) + levels.flatMap(\.anyStates) }

    /// The ids of the nodes with the notes of states that hold machines.
    var allNotes: [String] {
        table.states.filter { isComposite($0) && !content.notes(on: $0).isEmpty }.map { "\(id($0))n" }
            + levels.flatMap(\.allNotes)
    }

    /// The ids of the current states.
    var allCurrent: [String] {
        guard let state = marks.state, let id = ids[state] else { return [] }
        return [id] + (regions[state] ?? []).flatMap(\.level.allCurrent)
    }

    /// The ids of visited states.
    var allVisited: [String] {
        table.states.filter(content.isVisited).map(id) + levels.flatMap(\.allVisited)
    }

    private var levels: [MermaidLevel] { table.states.flatMap { regions[$0] ?? [] }.map(\.level) }

    private var isAnyState: Bool { content.arrows.contains { $0.from == .anyState } }

    private var anyState: String { "\(prefix)any0" }

    private func isComposite(_ state: String) -> Bool { regions[state]?.isEmpty == false }

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
        guard let parts = regions[state], !parts.isEmpty else { return [name] }
        var inner: [[String]] = parts.enumerated().map { place, part in
            let lines = part.level.lines.map { "    \($0)" }
            return ["state \"\(mermaidText(part.label))\" as \(id(state))r\(place) {"] + lines + ["}"]
        }
        let notes = content.notes(on: state).map(mermaidText)
        if let first = notes.first {
            let more = notes.dropFirst().map { "\(id(state))n : \($0)" }
            inner[0] = ["state \"\(first)\" as \(id(state))n"] + more + inner[0]
        }
        // A line between parallel regions.
        return ["\(name) {"] + inner.joined(separator: ["--"]).map { "    \($0)" } + ["}"]
    }

    private func group(_ box: DiagramBoxes.Box) -> [String] {
        let content = box.states.flatMap(node) + box.boxes.flatMap(group)
        let lines = content.map { "    \($0)" }
        return ["state \"\(mermaidText(box.name))\" as \(prefix)g\(box.number) {"] + lines + ["}"]
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
