package import HeraclitusEssentials

/// The recorded history of a machine: transitions, rejected and ignored fires, actions and announcements, each with its
/// date.
///
/// It is off by default. A workflow asks for it with ``Workflow/journal``, or a single machine with ``StateMachine/init(journal:scheduler:)``.
///
/// ```swift
/// struct Order: Workflow {
///     static var journal: Int? { 100 }
/// }
///
/// print(machine.journal)       // a table, a line for each occurrence
/// ```
///
/// A journal is a collection of ``Occurrence``s without their objects. It keeps the last lines up to a limit. Each line
/// keeps its number, counted from 1.
public struct Journal: Sendable {
    /// The number of dropped lines before the first remaining one.
    public internal(set) var droppedCount = 0

    /// The maximum number of lines; `nil` for a journal outside a machine.
    private(set) var limit: Int?

    /// The date of line 1, even after that line was dropped.
    package internal(set) var began: Date?

    /// A unique random number of the journal, drawn with its line 1; `nil` in journals of earlier releases.
    package internal(set) var series: Int?

    // A ring buffer that starts at `first`: dropping a line moves no other line.
    private var lines: [Occurrence] = []
    private var first = 0

    /// Makes a journal of occurrences, for example from a log.
    /// - Parameter occurrences: The occurrences, in their order.
    public init(_ occurrences: some Sequence<Occurrence>) {
        lines = occurrences.map { $0.recorded() }
        began = lines.first?.date
    }

    /// The number of the first line.
    package var firstLine: Int { droppedCount + 1 }

    /// The journal with a limit, which is at least 1.
    func limited(to limit: Int) -> Journal {
        // Larger numbers would make the archive unreadable.
        let limit = Swift.min(Swift.max(1, limit), MachineCore.largestRevision)
        let surplus = Swift.max(0, count - limit)
        var journal = Journal(dropFirst(surplus))
        journal.limit = limit
        journal.droppedCount = Swift.min(droppedCount + surplus, MachineCore.largestRevision)
        (journal.began, journal.series) = (began, series)
        return journal
    }

    /// Appends a line.
    ///
    /// A full journal drops its first line.
    /// - Returns: The dropped line, to be released outside locks, because user infos hold users' objects.
    mutating func add(_ occurrence: Occurrence) -> Occurrence? {
        if began == nil {
            // Every JSON reader keeps the number exactly.
            (began, series) = (occurrence.date, Int.random(in: 0..<MachineCore.largestRevision))
        }
        guard let limit, lines.count >= limit else {
            lines.append(occurrence)
            return nil
        }
        let old = lines[first]
        lines[first] = occurrence
        first = (first + 1) % limit
        if droppedCount < MachineCore.largestRevision { droppedCount += 1 }
        return old
    }

    /// Notes the duration of a transition in its line, unless that was dropped.
    mutating func note(_ duration: Duration, at line: Int) {
        let index = line - firstLine
        guard indices.contains(index) else { return }
        let place = (first + index) % lines.count
        lines[place] = lines[place].recorded { $0.duration = duration }
    }
}

extension Journal: RandomAccessCollection {
    /// The index of the first remaining line.
    public var startIndex: Int { 0 }

    /// The number of remaining lines.
    public var endIndex: Int { lines.count }

    /// An occurrence.
    /// - Parameter index: The index, from 0 for the first remaining line.
    public subscript(index: Int) -> Occurrence {
        precondition(indices.contains(index), "A journal with \(count) lines has no line at index \(index).")
        return lines[(first + index) % lines.count]
    }
}
