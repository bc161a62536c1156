// The deadlines of a state object.
import HeraclitusEssentials

/// A deadline of a state object with its date.
struct DatedDeadline: Sendable {
    /// The number of the state.
    let state: Int

    /// The number of the deadline in the state.
    let number: Int
    let date: Date
}

/// The deadlines of a state object in the order of their dates.
///
/// Deadlines of the same date are in the order of declaration.
struct DatedDeadlines: Sendable {
    /// The first deadline.
    ///
    /// Most states have no other, and need no list.
    private(set) var first: DatedDeadline?
    private var later: [DatedDeadline] = []

    var all: [DatedDeadline] { (first.map { [$0] } ?? []) + later }

    mutating func add(_ new: DatedDeadline) {
        guard let first else {
            self.first = new
            return
        }
        if new.date < first.date {
            self.first = new
            later.insert(first, at: 0)
        } else {
            later.insert(new, at: later.firstIndex { new.date < $0.date } ?? later.endIndex)
        }
    }

    mutating func removeFirst() { first = later.isEmpty ? nil : later.removeFirst() }
}

extension Definition {
    /// The deadlines of a state object that was entered at a date.
    func deadlines(of state: Int, _ object: AnyObject, _ entered: Date) -> DatedDeadlines {
        var dated = DatedDeadlines()
        for number in 0..<states[state].deadlines.count {
            let date = states[state].deadlines[number].trigger.deadline?.date(object, entered)
            // An invalid date, or one beyond all dates, never comes.
            if let date, date.timeIntervalSinceReferenceDate < .infinity {
                dated.add(DatedDeadline(state: state, number: number, date: date))
            }
        }
        return dated
    }

    /// The number of a deadline's event.
    func event(of deadline: DatedDeadline) -> Int { states[deadline.state].deadlines[deadline.number].event }
}
