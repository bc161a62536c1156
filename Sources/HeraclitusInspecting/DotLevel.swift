import Heraclitus

/// A workflow as a part of a graph in DOT: the outermost, or one within a state.
struct DotLevel {
    private let table: TransitionTable
    private let content: DiagramContent
    private let marks: DiagramMarks

    /// The colour of the dots of final states.
    private let fill: String
    private let ids: [String: String]
    private let numbers: [String: Int]

    // Nodes that are no states, with ids that no state has.
    private let initial: String
    private let final: String
    private let anyState: String

    /// What the names of the level's boxes begin with.
    private let boxes: String

    /// What is drawn in each state that holds machines.
    private var regions: [String: [(label: String, level: DotLevel)]] = [:]

    /// What the path looks like.
    private static var taken: [String] { ["color=\"#2f81f7\"", "penwidth=2.5"] }

    /// - Parameters:
    ///   - table: The workflow.
    ///   - marks: The current states.
    ///   - fill: The colour of the dots of final states.
    ///   - ids: The ids of the graph so far.
    ///   - path: What the ids of the level begin with.
    ///   - boxes: What the names of its boxes begin with.
    init(
        _ table: TransitionTable,
        _ marks: DiagramMarks,
        fill: String,
        _ ids: inout DotIDs,
        path: String = "",
        boxes: String = "cluster_"
    ) {
        self.table = table
        self.marks = marks
        self.fill = fill
        self.boxes = boxes
        content = DiagramContent(table, marks.path)
        initial = ids.id(of: path)
        final = ids.id(of: path + " ")
        anyState = ids.id(of: path + "  ")
        let states = table.states.enumerated()
        self.ids = Dictionary(table.states.map { ($0, ids.id(of: path + $0)) }) { first, _ in first }
        numbers = Dictionary(states.map { ($1, $0) }) { first, _ in first }
        for (number, state) in states {
            for (place, region) in content.regions(in: state).enumerated() {
                let isCurrent = state == marks.state && marks.regions.indices.contains(place)
                let level = DotLevel(
                    region.table,
                    isCurrent ? marks.regions[place] : DiagramMarks(nil),
                    fill: fill,
                    &ids,
                    path: "\(path)\(state)/\(region.name)/",
                    boxes: "\(boxes)s\(number)_\(place)_"
                )
                regions[state, default: []].append((region.label, level))
            }
        }
    }

    var lines: [String] {
        var lines = ["\(initial) [shape=point, width=0.15];"]
        lines += content.layout.states.flatMap(node) + content.layout.boxes.flatMap(cluster)
        if content.arrows.contains(where: { $0.from == .anyState }) {
            lines.append("\(anyState) [label=\"any state\", style=\"rounded,dashed\"];")
        }
        if !table.finals.isEmpty {
            lines.append(
                "\(final) [shape=doublecircle, style=filled, fillcolor=\(fill), label=\"\", width=0.12, height=0.12];"
            )
        }
        lines.append(edge(initial, id(table.initial), head: box(table.initial)))
        lines += content.arrows.map(arrow)
        return lines + table.finals.map { edge(id($0), final, tail: box($0)) }
    }

    private func id(_ state: String) -> String { ids[state] ?? dotQuoted(state) }

    /// The name of the box of a state that holds machines.
    private func box(_ state: String) -> String? {
        regions[state] == nil ? nil : "\(boxes)s\(numbers[state] ?? 0)"
    }

    private func node(_ state: String) -> [String] {
        if let regions = regions[state] { return composite(state, regions) }
        var attributes: [String] = []
        let notes = content.notes(on: state)
        if !notes.isEmpty {
            attributes.append("shape=Mrecord")
            attributes.append("label=\(record(state, notes))")
        } else if id(state) != dotLabel(state) || state.unicodeScalars.first == "%" {
            // Graphviz takes an id that begins with a per cent sign for one that nobody has named, and shows a number.
            attributes.append("label=\(dotLabel(state))")
        }
        if content.isVisited(state) { attributes += Self.taken }
        if state == marks.state {
            attributes += [
                "style=\"\(notes.isEmpty ? "rounded," : "")filled\"", "fillcolor=\"#ffd700\"", "fontcolor=black",
            ]
        }
        return ["\(id(state))\(attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]");"]
    }

    /// A state as a box of its machines, with a node at which its arrows begin and end.
    private func composite(_ state: String, _ regions: [(label: String, level: DotLevel)]) -> [String] {
        let name = ([state] + content.notes(on: state)).joined(separator: "\n")
        let taken = content.isVisited(state) ? " \(Self.taken.joined(separator: "; "));" : ""
        let mark = state == marks.state ? " color=\"#ffd700\"; penwidth=3;" : taken
        let parts = regions.enumerated().flatMap { place, region in
            [
                "subgraph \"\(box(state) ?? "")_\(place)\" {", "    label=\(dotLabel(region.label));",
                "    style=dashed; penwidth=1;",
            ]
                + region.level.lines.map { "    \($0)" } + ["}"]
        }
        return [
            "subgraph \"\(box(state) ?? "")\" {", "    label=\(dotLabel(name));", "    style=rounded;\(mark)",
            "    \(id(state)) [shape=point, style=invis, width=0.01];",
        ]
            + parts.map { "    \($0)" } + ["}"]
    }

    private func cluster(_ box: DiagramBoxes.Box) -> [String] {
        let content = box.states.flatMap(node) + box.boxes.flatMap(cluster)
        return [
            "subgraph \"\(boxes)\(box.number)\" {", "    label=\(dotLabel(box.name));",
            "    style=\"rounded,dashed\";",
        ]
            + content.map { "    \($0)" } + ["}"]
    }

    private func arrow(_ arrow: DiagramContent.Arrow) -> String {
        let label = (["label=\(dotLabel(arrow.labels.joined(separator: "\n")))"] + (arrow.isTaken ? Self.taken : []))
            .joined(separator: ", ")
        switch arrow.from {
        case .anyState: return edge(anyState, id(arrow.to), label, head: box(arrow.to))
        case .state(let state):
            // An arrow from a box to itself cannot be drawn: it is one at the node within.
            let isLoop = state == arrow.to
            return edge(
                id(state),
                id(arrow.to),
                label,
                tail: isLoop ? nil : box(state),
                head: isLoop ? nil : box(arrow.to)
            )
        case .box(let number, let state):
            return edge(id(state), id(arrow.to), label, tail: "\(boxes)\(number)", head: box(arrow.to))
        }
    }

    /// An arrow between two nodes, or the boxes around them.
    private func edge(_ from: String, _ to: String, _ label: String? = nil, tail: String? = nil, head: String? = nil)
        -> String
    {
        let ends = [tail.map { "ltail=\"\($0)\"" }, head.map { "lhead=\"\($0)\"" }]
        let attributes = ([label] + ends).compactMap { $0 }
        return "\(from) -> \(to)\(attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]");"
    }
}

/// A name above a line, and lines of notes below it, as the label of a record.
private func record(_ name: String, _ notes: [String]) -> String {
    let fields = [name] + notes
    let texts = fields.map { field in
        // The outer quotes are those of the whole label. Between them, what has a meaning in records is escaped once more.
        let text = dotLabel(field).unicodeScalars.dropFirst().dropLast()
        // Of several spaces Graphviz keeps one, and of those at the ends none.
        var isAfterSpace = true
        var written = text.map { scalar in
            defer { isAfterSpace = scalar == " " }
            let isEscaped = "{}|<>".unicodeScalars.contains(scalar) || scalar == " " && isAfterSpace
            return isEscaped ? "\\\(scalar)" : String(scalar)
        }
        if written.last == " " { written[written.count - 1] = "\\ " }
        return written.joined()
    }
    return "\"\(texts[0])|\(texts.dropFirst().map { "\($0)\\l" }.joined())\""
}
