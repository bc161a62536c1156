import HeraclitusEssentials

extension Journal: CustomStringConvertible {
    /// A table for people: a line for each occurrence, with its number, date, revision, event, states, and the duration
    /// of callbacks.
    ///
    /// An event of a machine within a state is followed by the machine's path. The last column has the cause of an
    /// automatic event, the user info and the facts of a transition, or the text of another occurrence. Dates are in
    /// UTC, with milliseconds.
    public var description: String {
        guard !isEmpty else { return "An empty journal." }
        let head = ["line", "date", "revision", "event", "from", "to", "took", "note"]
        let rows = [head] + indices.map { row($0) }
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return Self.numbers.contains(column) ? space + cell.0 : cell.0 + space
            }
            let line = cells.joined(separator: "  ")
            return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
        }.joined(separator: "\n")
    }

    /// The right-aligned columns.
    private static let numbers: Set = [0, 2, 6]

    private func row(_ index: Int) -> [String] {
        let occurrence = self[index]
        let cells = [
            "\(firstLine + index)",
            occurrence.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            "\(occurrence.revision)",
            occurrence.what + (occurrence.path.map { " (\($0))" } ?? ""),
            occurrence.source,
            occurrence.outcomeInBrief,
            occurrence.duration.map(\.inBrief) ?? "",
            occurrence.kind == .transitioned ? occurrence.note : occurrence.message,
        ]
        return cells.map(\.inOneLine)
    }
}

extension Occurrence {
    /// The event, the action, or the announcement.
    package var what: String { event ?? action.map { "\($0)()" } ?? announcement.map { "\"\($0)\"" } ?? "" }

    /// The details of a transition besides its names.
    fileprivate var note: String {
        let values = [userInfo, facts].filter { !$0.isEmpty }.map { "\($0)" }
        return ([cause.map { "\($0)" }].compactMap(\.self) + values).joined(separator: " ")
    }

    /// The destination, or the reason for staying.
    fileprivate var outcomeInBrief: String {
        switch kind {
        case .transitioned: isUpdate ? "(update)" : destination ?? ""
        case .rejected, .refused: reason.map { "✗ \($0)" } ?? "✗"
        case .failed: "✗ failed"
        case .ignored, .performed, .announced: "(\(kind.rawValue))"
        }
    }
}

extension Duration {
    /// The duration in the unit that leaves at most four digits.
    fileprivate var inBrief: String {
        let (seconds, attoseconds) = components
        let microseconds = Double(seconds) * 1e6 + Double(attoseconds) / 1e12
        func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
        return switch microseconds {
        case ..<1_000: "\(Int(microseconds)) µs"
        case ..<1_000_000: "\(tenths(microseconds / 1_000)) ms"
        default: "\(tenths(microseconds / 1_000_000)) s"
        }
    }
}
