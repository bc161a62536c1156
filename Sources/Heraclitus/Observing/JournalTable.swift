import HeraclitusEssentials

extension Collection<Occurrence> {
    /// The occurrences as a table for people: a line for each, with its number, date, revision, event, states, and the
    /// duration of callbacks.
    ///
    /// ```swift
    /// print(machine.journal.table)
    /// ```
    ///
    /// An event of a machine within a state is followed by the machine's path. The last column has the cause of an
    /// automatic event, the user info and the facts of a transition, or the text of another occurrence. Dates are in
    /// UTC, with milliseconds.
    ///
    /// Lines of a machine's journal have their numbers in it, even if the journal has dropped earlier lines, or if you
    /// choose some of its lines. Other occurrences are counted from 1.
    public var table: String {
        guard !isEmpty else { return "An empty journal." }
        let head = ["line", "date", "revision", "event", "from", "to", "took", "note"]
        let rows = [head] + zip(lineNumbers, self).map { number, occurrence in occurrence.row(number) }
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).enumerated().map { column, cell in
                // A note may be long, and the last column needs no space after it.
                if column == head.count - 1 { return cell.0 }
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return columnsOfNumbers.contains(column) ? space + cell.0 : cell.0 + space
            }
            let line = cells.joined(separator: "  ")
            return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
        }.joined(separator: "\n")
    }

    /// The numbers of the lines: those in a machine's journal, or else the places from 1.
    ///
    /// They increase, also for lines of several journals, because diagrams identify lines by their numbers.
    package var lineNumbers: [Int] {
        let numbers = map(\.line)
        let areOfOneJournal = numbers.first != 0 && zip(numbers, numbers.dropFirst()).allSatisfy(<)
        return areOfOneJournal ? numbers : numbers.indices.map { $0 + 1 }
    }
}

/// The right-aligned columns.
private let columnsOfNumbers: Set = [0, 2, 6]

extension Occurrence {
    fileprivate func row(_ number: Int) -> [String] {
        let cells = [
            "\(number)",
            date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            "\(revision)",
            what + (path.map { " (\($0))" } ?? ""),
            source,
            outcomeInBrief,
            duration.map(\.inBrief) ?? "",
            kind == .transitioned ? note : message,
        ]
        return cells.map(\.inOneLine)
    }

    /// The event, the action, or the announcement.
    package var what: String { event ?? action.map { "\($0)()" } ?? announcement.map { "\"\($0)\"" } ?? "" }

    /// The details of a transition besides its names.
    fileprivate var note: String {
        let values = [userInfo, facts].filter { !$0.isEmpty }.map { "\($0)" }
        return ([cause.map(\.text)].compactMap(\.self) + values).joined(separator: " ")
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
