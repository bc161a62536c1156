package import HeraclitusEssentials

/// What a machine went through: transitions, rejected and ignored fires, actions and announcements, each with its date.
///
/// It is off by default. A workflow asks for it with ``Workflow/journal``, or a single machine with ``StateMachine/init(journal:scheduler:)``.
///
/// ```swift
/// struct Order: Workflow {
///     static var journal: JournalLimit? { .last(100) }
/// }
///
/// print(machine.journal)       // a table, a line for each occurrence
/// ```
///
/// It is a collection of ``Occurrence``s without their objects. A number of lines is kept, the last ones; each has the number that it got
/// when it was written, from 1 on.
public struct Journal: Sendable {
    /// The number of lines that were dropped before the first that is left.
    public private(set) var droppedCount = 0

    /// The maximum number of lines; `nil` for a journal that no machine keeps.
    private(set) var limit: Int?

    /// The date of line 1, also when that was dropped.
    package private(set) var began: Date?

    /// A random number that the journal of a machine got with its line 1, and no other one has; `nil` for a journal of an earlier release.
    package private(set) var series: Int?

    // From `first` on, and then from the beginning: dropping a line moves none.
    private var lines: [Occurrence] = []
    private var first = 0

    /// Makes a journal of occurrences, such as those that were read from a log.
    /// - Parameter occurrences: The occurrences, in their order.
    public init(_ occurrences: some Sequence<Occurrence>) {
        lines = occurrences.map { $0.recorded() }
        began = lines.first?.date
    }

    /// The number of the first line.
    public var firstLine: Int { droppedCount + 1 }

    /// The same after so many lines that were dropped.
    func following(_ dropped: Int, since began: Date?, in series: Int?) -> Journal {
        var journal = self
        journal.droppedCount = dropped
        journal.began = began ?? journal.began
        journal.series = series
        return journal
    }

    /// The same with a limit.
    func limited(to limit: JournalLimit) -> Journal {
        let surplus = Swift.max(0, count - limit.count)
        var journal = Journal(dropFirst(surplus))
        // No archive that could be read has a larger one.
        journal.limit = Swift.min(limit.count, MachineCore.largestRevision)
        journal.droppedCount = Swift.min(droppedCount + surplus, MachineCore.largestRevision)
        (journal.began, journal.series) = (began, series)
        return journal
    }

    /// Writes a line, if there is room only in place of the first.
    /// - Returns: The line that was dropped, to be released outside of locks: user infos hold users' objects.
    mutating func add(_ occurrence: Occurrence) -> Occurrence? {
        if began == nil {
            // Every JSON reader keeps it exactly.
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

    /// Writes another thing into the place of a line, unless that was dropped.
    mutating func replace(_ line: Int, by change: (Occurrence) -> Occurrence) {
        let index = line - firstLine
        guard indices.contains(index) else { return }
        let place = (first + index) % lines.count
        lines[place] = change(lines[place])
    }
}

extension Journal: RandomAccessCollection {
    /// The index of the first line that is left.
    public var startIndex: Int { 0 }

    /// The number of lines that are left.
    public var endIndex: Int { lines.count }

    /// What has happened.
    /// - Parameter index: The index, from 0 on for the first line that is left.
    public subscript(index: Int) -> Occurrence {
        precondition(indices.contains(index), "A journal with \(count) lines has no line at index \(index).")
        return lines[(first + index) % lines.count]
    }
}
