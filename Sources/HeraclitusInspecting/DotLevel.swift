import Heraclitus

/// A workflow as a part of a graph in DOT: the outermost, or one within a state.
struct DotLevel {
    private let content: DiagramContent
    private let ids: [String: String]
    private let numbers: [String: Int]

    // Nodes of dots and of any state, with ids apart from those of states.
    private let initial: String
    private let final: String
    private let anyState: String

    /// The ids of the arrows' labels, and the labels in each box, which is the innermost around both ends of the arrow.
    ///
    /// A label is a node, because Graphviz keeps nodes apart. It draws labels of edges across boxes and other labels.
    private let labels: [String]
    private let labelNodes: [Int?: [String]]

    /// The prefix of the names of the level's boxes.
    private let boxes: String

    /// The machines in each state.
    private var regions: [String: [(label: String, level: DotLevel)]] = [:]

    /// The style of the path.
    private static var taken: [String] { ["color=\"#2f81f7\"", "penwidth=2.5"] }

    /// - Parameters:
    ///   - content: The content of the level.
    ///   - ids: The ids of the graph so far.
    ///   - path: The prefix of the level's ids.
    ///   - boxes: The prefix of its boxes' names.
    init(_ content: DiagramContent, _ ids: inout DotIDs, path: String = "", boxes: String = "cluster_") {
        self.content = content
        self.boxes = boxes
        initial = ids.id(of: path)
        final = ids.id(of: path + " ")
        anyState = ids.id(of: path + "  ")
        let states = content.table.states.enumerated()
        self.ids = Dictionary(content.table.states.map { ($0, ids.id(of: path + $0)) }) { first, _ in first }
        numbers = Dictionary(states.map { ($1, $0) }) { first, _ in first }
        labels = content.arrows.indices.map { ids.id(of: "\(path)arrow \($0 + 1)") }
        labelNodes = Dictionary(grouping: zip(labels, content.arrows), by: \.1.box).mapValues { labels in
            labels.map { id, arrow in
                "\(id) [shape=plain, style=solid, label=\(dotLabel(arrow.labels.joined(separator: "\n")))];"
            }
        }
        for (number, state) in states {
            for (place, (region, content)) in content.regions(in: state).enumerated() {
                let level = DotLevel(
                    content,
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
        if !content.table.finals.isEmpty {
            lines.append(
                "\(final) [shape=doublecircle, style=filled, fillcolor=black, label=\"\", width=0.12, height=0.12];"
            )
        }
        lines += labelNodes[nil] ?? []
        lines.append(edge(initial, id(content.table.initial), head: box(content.table.initial)))
        lines += content.arrows.enumerated().flatMap { arrow($1, through: labels[$0]) }
        return lines + content.table.finals.map { edge(id($0), final, tail: box($0)) }
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
            // The line between the rows reaches the frame, because the node is as large as the table.
            attributes += ["margin=0", "width=0", "height=0", "label=\(rows(state, notes))"]
        } else if id(state) != dotLabel(state) || state.unicodeScalars.first == "%" {
            // Graphviz takes an id that begins with a per cent sign for an anonymous node, and shows a number.
            attributes.append("label=\(dotLabel(state))")
        }
        if content.isVisited(state) { attributes += Self.taken }
        if state == content.marks.state {
            attributes += ["style=\"rounded,filled\"", "fillcolor=\"#ffd700\"", "fontcolor=black"]
        }
        return ["\(id(state))\(attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]");"]
    }

    /// A state as a box of its machines, with a node for the ends of its arrows.
    private func composite(_ state: String, _ regions: [(label: String, level: DotLevel)]) -> [String] {
        // Each line begins at the left, as the names of other boxes.
        let lines = ([state] + content.notes(on: state)).map { "\(dotLabel($0).dropFirst().dropLast())\\l" }
        let taken = content.isVisited(state) ? " \(Self.taken.joined(separator: "; "));" : ""
        let mark = state == content.marks.state ? " color=\"#ffd700\"; penwidth=3;" : taken
        let name = box(state) ?? ""
        var inner = ["label=\"\(lines.joined())\";", "style=rounded;\(mark)"]
        inner += ["\(id(state)) [shape=point, style=invis, width=0.01];"]
        for (place, region) in regions.enumerated() {
            let head = ["label=\(dotLabel(region.label));", "style=dashed; penwidth=1;"]
            inner += block("subgraph \"\(name)_\(place)\" {", head + region.level.lines)
        }
        return block("subgraph \"\(name)\" {", inner)
    }

    private func cluster(_ box: DiagramBoxes.Box) -> [String] {
        let content = box.states.flatMap(node) + box.boxes.flatMap(cluster) + (labelNodes[box.number] ?? [])
        let head = ["label=\(dotLabel(box.name));", "style=\"rounded,dashed\";"]
        return block("subgraph \"\(boxes)\(box.number)\" {", head + content)
    }

    /// Two edges, with the label between them.
    ///
    /// Graphviz draws edges from left to right. An edge that leads back is written the other way round, so that its label stays between its ends.
    private func arrow(_ arrow: DiagramContent.Arrow, through label: String) -> [String] {
        let source: String
        let tail: String?
        switch arrow.from {
        case .anyState: (source, tail) = (anyState, nil)
        case .state(let state): (source, tail) = (id(state), box(state))
        case .box(let number, let state): (source, tail) = (id(state), "\(boxes)\(number)")
        }
        let style = arrow.isTaken ? Self.taken : []
        let (destination, head) = (id(arrow.to), box(arrow.to))
        if arrow.isBackward {
            return [
                edge(destination, label, ["dir=back"] + style, tail: head),
                edge(label, source, ["dir=none"] + style, head: tail),
            ]
        }
        return [
            edge(source, label, ["dir=none"] + style, tail: tail), edge(label, destination, style, head: head),
        ]
    }

    /// An arrow between two nodes, or the boxes around them.
    private func edge(
        _ from: String,
        _ to: String,
        _ attributes: [String] = [],
        tail: String? = nil,
        head: String? = nil
    ) -> String {
        let ends = [tail.map { "ltail=\"\($0)\"" }, head.map { "lhead=\"\($0)\"" }]
        let attributes = attributes + ends.compactMap { $0 }
        return "\(from) -> \(to)\(attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]");"
    }
}

/// A name above a line, and notes below it, as a table in HTML.
private func rows(_ name: String, _ notes: [String]) -> String {
    let rows = notes.map { "<tr><td align=\"left\">\(dotHTML($0))</td></tr>" }.joined()
    let table = "<table border=\"0\" cellspacing=\"0\" cellpadding=\"5\">"
    return "<\(table)<tr><td>\(dotHTML(name))</td></tr><hr/>\(rows)</table>>"
}
