import Heraclitus

/// A table as a graph in DOT.
struct DotDiagram {
    let content: DiagramContent

    var text: String {
        var ids = DotIDs()
        let lines =
            ["rankdir=LR;", "compound=true;", "labeljust=l;", "node [shape=box, style=rounded];"]
            + DotLevel(content, &ids).lines
        return (["digraph \(dotQuoted(content.table.workflow)) {"] + lines.map { "    \($0)" } + ["}", ""])
            .joined(separator: "\n")
    }
}

/// The ids of a graph, each unique.
struct DotIDs {
    private var taken: Set<String> = []

    /// The last number of each repeated name, by the name's own id.
    private var numbers: [String: Int] = [:]

    /// The quoted name, with a number if the id is taken.
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

/// A label, in which Graphviz looks for entities of HTML.
func dotLabel(_ text: String) -> String { dotQuoted(text, ampersand: "&amp;") }

/// A text in quotes, by scalars: a quote with an accent is another character, and still a quote to Graphviz.
func dotQuoted(_ text: String, ampersand: String = "&") -> String {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
        line.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "&": ampersand
            default: String(xmlScalar(scalar))
            }
        }.joined()
    }
    return "\"\(lines.joined(separator: "\\n"))\""
}

/// The character, or one in place of those that XML lacks, because Graphviz writes names into an SVG.
private func xmlScalar(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "\t": scalar
    // Unicode has pictures of control characters.
    case "\0"..."\u{1F}": Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    case "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
    default: scalar
    }
}

/// A text in a label in HTML.
func dotHTML(_ text: String) -> String {
    var written = ""
    var previous: Unicode.Scalar?
    let scalars = text.unicodeScalars
    for (index, scalar) in zip(scalars.indices, scalars) {
        switch scalar {
        case "&": written += "&amp;"
        case "<": written += "&lt;"
        case ">": written += "&gt;"
        // Graphviz replaces `\N` and the like in HTML, too.
        case "\\": written += "\\\\"
        case "\n" where previous == "\r": break
        case "\n", "\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}": written += "<br/>"
        // Graphviz keeps one space of several, and none at the ends.
        case " " where previous == nil || previous == " " || index == scalars.indices.last: written += "&#160;"
        case "\t": written += "&#160;"
        default: written.unicodeScalars.append(xmlScalar(scalar))
        }
        previous = scalar
    }
    return written
}
