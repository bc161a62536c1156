// When is what due in a state object?
import HeraclitusEssentials

/// An event that is due in a state object at a date.
struct DatedDeadline: Sendable {
    /// The number of the state.
    let state: Int

    /// Which of the state's deadlines it is.
    let number: Int
    let date: Date
}

/// The deadlines of a state object in the order of their dates; of two that are due at once, the one that was declared first.
struct DatedDeadlines: Sendable {
    /// The first: most states have no other, and so need no list.
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
    /// The deadlines of an object of a state that was entered at a date.
    func deadlines(of state: Int, _ object: AnyObject, _ entered: Date) -> DatedDeadlines {
        var dated = DatedDeadlines()
        for number in 0..<states[state].deadlines.count {
            let date = states[state].deadlines[number].rule.date(object, entered)
            // A date that is no number, or beyond all dates, never comes.
            if let date, date.timeIntervalSinceReferenceDate < .infinity {
                dated.add(DatedDeadline(state: state, number: number, date: date))
            }
        }
        return dated
    }

    /// The event that is due, and what it enters.
    func rule(of deadline: DatedDeadline) -> CompiledDeadline { states[deadline.state].deadlines[deadline.number] }
}
