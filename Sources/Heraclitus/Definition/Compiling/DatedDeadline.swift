// The deadlines of a state object.
import HeraclitusEssentials

/// A deadline of a state object with its date.
struct DatedDeadline: Sendable {
    /// The number of the state.
    let state: Int

    /// The number of the deadline in the state.
    let number: Int
    let date: Date

    /// The date for callbacks and journals, which have no dates before all dates.
    var recordedDate: Date { max(date, .distantPast) }
}

extension Definition {
    /// The deadlines of a state object that was entered at a date, in the order of their dates.
    ///
    /// Deadlines of the same date are in the order of declaration.
    func deadlines(of state: Int, _ object: AnyObject, _ entered: Date) -> [DatedDeadline] {
        (0..<states[state].deadlines.count).compactMap { number in
            let date = states[state].deadlines[number].trigger.deadline?.date(object, entered)
            // An invalid date, or one beyond all dates, never comes.
            guard let date, date.timeIntervalSinceReferenceDate < .infinity else { return nil }
            return DatedDeadline(state: state, number: number, date: date)
        }.sorted { ($0.date, $0.number) < ($1.date, $1.number) }
    }

    /// The number of a deadline's event.
    func event(of deadline: DatedDeadline) -> Int { states[deadline.state].deadlines[deadline.number].event }
}
