package import HeraclitusEssentials

/// The last occurrences of a machine without their objects, up to a limit.
///
/// Each occurrence is a line with a number, counted from 1.
package struct Journal: Sendable {
    /// The maximum number of lines.
    let limit: Int

    /// The number of dropped lines before the first remaining one.
    private(set) var droppedCount: Int

    /// The date of line 1, even after that line was dropped.
    package private(set) var began: Date?

    /// A unique random number of the journal, drawn with its line 1; `nil` in journals of earlier releases.
    package private(set) var series: Int?

    // A ring buffer that starts at `first`: dropping a line moves no other line. Each line has its number.
    private var ring: [Occurrence]
    private var first = 0

    /// Makes a journal of the last of some recorded lines.
    /// - Parameters:
    ///   - limit: The maximum number of lines; less than 1 counts as 1.
    ///   - lines: The lines.
    ///   - droppedCount: The number of dropped lines before them.
    ///   - began: The date of line 1.
    ///   - series: The random number of the journal.
    init(limit: Int, lines: [Occurrence] = [], droppedCount: Int = 0, began: Date? = nil, series: Int? = nil) {
        // Larger numbers would make the archive unreadable.
        self.limit = min(max(1, limit), MachineCore.largestRevision)
        let surplus = max(0, lines.count - self.limit)
        let dropped = min(droppedCount + surplus, MachineCore.largestRevision)
        ring = lines.dropFirst(surplus).enumerated().map { index, line in line.numbered(dropped &+ index &+ 1) }
        (self.droppedCount, self.began, self.series) = (dropped, began, series)
    }

    /// The lines in their order, copied once the journal has dropped some.
    package var lines: [Occurrence] { first == 0 ? ring : Array(ring[first...] + ring[..<first]) }

    /// The lines from the last one to the first one, without a copy.
    var newestFirst: some Sequence<Occurrence> {
        ring.indices.reversed().lazy.map { index in ring[(first + index) % ring.count] }
    }

    /// The journal with another limit.
    func limited(to limit: Int) -> Journal {
        Journal(limit: limit, lines: lines, droppedCount: droppedCount, began: began, series: series)
    }

    /// Appends a line.
    ///
    /// A full journal drops its first line.
    /// - Returns: The number of the line, and the dropped line, to be released outside locks, because user infos hold
    ///   users' objects.
    mutating func add(_ occurrence: Occurrence) -> (line: Int, dropped: Occurrence?) {
        if began == nil {
            // Every JSON reader keeps the number exactly.
            (began, series) = (occurrence.date, Int.random(in: 0..<MachineCore.largestRevision))
        }
        let isFull = ring.count >= limit
        if isFull, droppedCount < MachineCore.largestRevision { droppedCount += 1 }
        let line = droppedCount &+ ring.count &+ (isFull ? 0 : 1)
        guard isFull else {
            ring.append(occurrence.numbered(line))
            return (line, nil)
        }
        let dropped = ring[first]
        ring[first] = occurrence.numbered(line)
        first = (first + 1) % limit
        return (line, dropped)
    }

    /// Notes the duration of a transition in its line, unless that was dropped.
    mutating func note(_ duration: Duration, at line: Int) {
        let index = line &- droppedCount &- 1
        guard ring.indices.contains(index) else { return }
        let place = (first + index) % ring.count
        ring[place] = ring[place].recorded { $0.duration = duration }.numbered(line)
    }
}

extension Occurrence {
    /// The occurrence as a line of a journal.
    fileprivate func numbered(_ line: Int) -> Occurrence {
        var occurrence = self
        occurrence.line = line
        return occurrence
    }
}
