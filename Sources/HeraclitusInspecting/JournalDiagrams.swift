public import Heraclitus
import HeraclitusEssentials

extension Collection<Occurrence> {
    /// The journal as a sequence diagram in Mermaid: a lifeline for each state, an arrow for each fire, and a note for anything else.
    ///
    /// An arrow from a state to itself with a cross is a rejected fire, with its reason. Lines of machines within the states are left out.
    /// - Returns: The text of the diagram.
    public func mermaidSequence() -> String {
        let states = statesInOrder
        let ids = Dictionary(states.enumerated().map { ($1, "s\($0)") }) { first, _ in first }
        var lines = ["sequenceDiagram"]
        lines += states.enumerated().map { "    participant s\($0) as \(mermaidText($1))" }
        for (number, occurrence) in ownLines {
            let source = ids[occurrence.source] ?? "s0"
            let text = mermaidText("\(number). \(occurrence.what)")
            func arrow(_ form: String, to state: String?, _ note: String? = nil) -> String {
                let note = note.map { " " + mermaidText("(\($0))") } ?? ""
                return "    \(source)\(form)\(state.flatMap { ids[$0] } ?? source): \(text)\(note)"
            }
            switch occurrence.kind {
            case .transitioned:
                lines.append(arrow("->>", to: occurrence.destination, occurrence.isUpdate ? "update" : nil))
            case .rejected: lines.append(arrow("-x", to: occurrence.source, occurrence.reason))
            case .ignored: lines.append(arrow("-->>", to: occurrence.source, "ignored"))
            case .performed, .refused, .announced, .failed:
                lines.append("    Note over \(source): \(text) \(mermaidText(occurrence.kind.rawValue))")
            }
        }
        return (lines + [""]).joined(separator: "\n")
    }

    /// The journal as a Gantt chart in Mermaid: a section for each state, and a bar for each stay, with the event that has led there.
    ///
    /// A rejected fire is a milestone. Lines of machines within the states are left out, and so is the stay that the first line ends, because the
    /// journal omits its beginning. The last stay ends with the last line. Where revisions show a gap, or a machine was made anew, a stay ends with
    /// its last line.
    /// - Returns: The text of the chart.
    public func mermaidGantt() -> String {
        var sections: [String: [String]] = [:]
        var stay: Stay?
        func end(at date: Int64, isLast: Bool = false) {
            guard let stay else { return }
            let (state, from) = (stay.entry.destination ?? stay.entry.source, stay.entry.milliseconds)
            // Mermaid omits a bar without a length.
            let tags = (isLast ? "active, " : "") + "l\(stay.line), \(from), \(Swift.max(date, from + 1))"
            sections[state, default: []].append("    \(stay.line). \(mermaidText(stay.entry.what)) :\(tags)")
        }
        for (number, occurrence) in ownLines {
            let date = occurrence.milliseconds
            switch occurrence.kind {
            case .transitioned:
                let follows = stay.map { occurrence.revision == $0.revision &+ 1 } ?? false
                if follows && occurrence.isUpdate {
                    stay?.revision = occurrence.revision
                } else {
                    end(at: follows ? date : stay?.lastSeen ?? date)
                    let next = Stay(entry: occurrence, line: number, revision: occurrence.revision, lastSeen: date)
                    // An update omits the beginning of the stay.
                    stay = occurrence.isUpdate ? nil : next
                }
            case .rejected, .refused, .failed:
                let text = mermaidText("\(occurrence.what) (\(occurrence.reason ?? occurrence.kind.rawValue))")
                sections[occurrence.source, default: []]
                    .append("    \(number). \(text) :crit, milestone, l\(number), \(date), \(date)")
            case .ignored, .performed, .announced: break
            }
            if occurrence.revision == stay?.revision { stay?.lastSeen = date }
        }
        if let stay {
            let isLast = ownLines.last?.occurrence.revision == stay.revision
            end(at: isLast ? suffix(1).first?.milliseconds ?? stay.lastSeen : stay.lastSeen, isLast: isLast)
        }
        // Mermaid refuses an empty title.
        let workflow = ownLines.first?.occurrence.workflow ?? ""
        var lines = ["gantt"] + [workflow].filter { !$0.isEmpty }.map { "    title \(mermaidText($0))" }
        lines += ["    dateFormat x", "    axisFormat %Y-%m-%d %H:%M:%S"]
        for state in statesInOrder {
            guard let bars = sections[state] else { continue }
            lines += ["    section \(mermaidText(state))"] + bars
        }
        return (lines + [""]).joined(separator: "\n")
    }

    /// The names of the states, in the order in which the journal names them.
    private var statesInOrder: [String] {
        ownLines.map(\.occurrence)
            .flatMap { [$0.source] + ($0.kind == .transitioned ? [$0.destination ?? $0.source] : []) }.once
    }

    /// The lines of the machine itself, with their numbers.
    private var ownLines: [(number: Int, occurrence: Occurrence)] {
        zip(lineNumbers, self).lazy.filter { $1.path == nil }.map { ($0, $1) }
    }
}

/// A stay in a state, as a bar of a chart.
private struct Stay {
    /// The line that entered the state, and its number.
    let entry: Occurrence
    let line: Int

    /// The revision of the machine, which each update changes.
    var revision: Int

    /// The date of the last line in which the machine was still there.
    var lastSeen: Int64
}

extension Occurrence {
    /// The date in milliseconds, within the range of Mermaid's dates.
    fileprivate var milliseconds: Int64 {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        return Int64(Swift.min(Swift.max(milliseconds.isNaN ? 0 : milliseconds, -8.64e15), 8.64e15))
    }
}
