import Heraclitus

/// A table as a graph in DOT.
struct DotDiagram {
    private let table: TransitionTable
    private let marks: DiagramMarks
    private let theme: DiagramTheme?

    init(_ table: TransitionTable, _ marks: DiagramMarks, _ theme: DiagramTheme?) {
        self.table = table
        self.marks = marks
        self.theme = theme
    }

    var text: String {
        var ids = DotIDs()
        let lines =
            ["rankdir=LR;", "compound=true;"] + colours + ["node [shape=box, style=rounded];"]
            + DotLevel(table, marks, fill: foreground.map { dotQuoted($0) } ?? "black", &ids).lines
        return (["digraph \(dotQuoted(table.workflow)) {"] + lines.map { "    \($0)" } + ["}", ""])
            .joined(separator: "\n")
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
}

/// The ids of a graph, each of which is there once.
struct DotIDs {
    private var taken: Set<String> = []

    /// The number that the last id of a repeated name got, by that name's own id.
    private var numbers: [String: Int] = [:]

    /// The quoted name, with a number if another name has that id already.
    ///
    /// A line feed and a paragraph separator, for example, have the same id. Regions of one name do, too.
    mutating func id(of name: String) -> String {
        let plain = dotQuoted(name)
        var id = plain
        while !taken.insert(id).inserted {
            let number = (numbers[plain] ?? 1) + 1
            numbers[plain] = number
            id = dotQuoted("\(name) \(number)")
        }
        return id
    }
}

/// A text that is drawn, in which Graphviz looks for entities of HTML.
func dotLabel(_ text: String) -> String { dotQuoted(text, ampersand: "&amp;") }

/// By scalars, because a quote with an accent on it is another character and still a quote to Graphviz.
func dotQuoted(_ text: String, ampersand: String = "&") -> String {
    var quoted = String.UnicodeScalarView("\"".unicodeScalars)
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": quoted += ["\\", scalar]
        case "\n" where previous == "\r": break
        case "\n", "\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}": quoted += ["\\", "n"]
        case "&": quoted += ampersand.unicodeScalars
        // Graphviz takes it for the end of the text.
        case "\0": quoted.append("\u{2400}")
        default: quoted.append(scalar)
        }
        previous = scalar
    }
    quoted.append("\"")
    return String(quoted)
}
