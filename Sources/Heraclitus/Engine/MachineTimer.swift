// Which deadline of a machine comes next, and until when does it count?

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Lets the deadlines of a state object come, from when it is entered, restored or updated until it is left or updated.
///
/// A machine has one timer, which is set anew for each state object. Only the first deadline waits in the scheduler. So they come in
/// order, also when the machine was busy while several have passed.
final class MachineTimer: Due {
    private weak let machine: (any AutomaticMachine)?
    private let contents = Lock(Contents())

    private struct Contents: Sendable {
        var period = TimerPeriod()

        /// The state object whose deadlines are set; nothing when the period is over.
        var state: (any WorkflowState)?
        var waiting = DatedDeadlines()

        /// Where the first of them waits.
        var scheduler: Scheduler?
        var ticket: Scheduler.Ticket?

        /// Whether a deadline of this period is being fired.
        var isFiring = false
    }

    init(of machine: any AutomaticMachine) { self.machine = machine }

    /// Sets the deadlines of a state object, instead of those of the object before, which do not come any more.
    func set(
        _ deadlines: DatedDeadlines,
        of state: any WorkflowState,
        _ scheduler: Scheduler
    ) -> TimerPeriod {
        replace(state, deadlines, scheduler)
    }

    /// Lets none come any more.
    func end() { _ = replace(nil, DatedDeadlines(), nil) }

    private func replace(
        _ newState: (any WorkflowState)?,
        _ newWaiting: DatedDeadlines,
        _ newScheduler: Scheduler?
    ) -> TimerPeriod {
        // What was there is released when the lock is free, because that may call user code.
        var (state, waiting, scheduler) = (newState, newWaiting, newScheduler)
        let (period, ticket) = contents.withLock { contents in
            contents.period.number += 1
            contents.isFiring = false
            swap(&contents.state, &state)
            swap(&contents.waiting, &waiting)
            swap(&contents.scheduler, &scheduler)
            return (contents.period, contents.ticket.take())
        }
        if let ticket { scheduler?.remove(ticket) }
        return period
    }

    /// Whether the deadlines still count that were set.
    func counts(_ period: TimerPeriod) -> Bool { contents.withLock { $0.state != nil && $0.period == period } }

    /// Takes the first deadline if it has passed, for somebody who fires it.
    func takeFirst(of period: TimerPeriod, dueBy date: Date) -> DatedDeadline? {
        contents.withLock { contents in
            guard contents.period == period, let first = contents.waiting.first, first.date <= date
            else { return nil }
            contents.isFiring = true
            contents.waiting.removeFirst()
            return first
        }
    }

    /// Fires a deadline that was taken.
    /// - Returns: Whether it has become a transition, or is going to.
    func fire(
        _ next: DatedDeadline,
        of state: any WorkflowState,
        in period: TimerPeriod,
        _ machine: any AutomaticMachine
    )
        -> Bool
    {
        defer { contents.withLock { if $0.period == period { $0.isFiring = false } } }
        return machine.fire(next, of: state, in: period)
    }

    /// Whether one has passed and was not fired yet.
    func isDue(by date: Date) -> Bool {
        contents.withLock { contents in
            contents.isFiring || contents.waiting.first.map { $0.date <= date } ?? false
        }
    }

    /// Lets the first deadline wait in the scheduler.
    func arm(_ period: TimerPeriod) {
        let first = contents.withLock { contents -> (Date, Scheduler)? in
            guard contents.period == period, let first = contents.waiting.first, let scheduler = contents.scheduler
            else { return nil }
            return (first.date, scheduler)
        }
        if let (date, scheduler) = first { wait(in: scheduler, until: date, period) }
    }

    /// Waits in a scheduler until the date of the first deadline.
    func wait(in scheduler: Scheduler, until date: Date, _ period: TimerPeriod) {
        let ticket = scheduler.add(self, at: date)
        // One that waits already, because two threads have armed it; or the new one, because the period is over.
        let surplus = contents.withLock { contents in
            guard contents.period == period else { return Optional(ticket) }
            let old = contents.ticket
            contents.ticket = ticket
            return old
        }
        if let surplus { scheduler.remove(surplus) }
    }

    func comesDue() {
        let now = contents.withLock { ($0.state, $0.scheduler, $0.period) }
        guard let machine, case (let state?, let scheduler?, let period) = now else { return }
        // The scheduler's thread does not wait for the callbacks of one machine while others are due.
        if machine.isOwnedElsewhere { return comeWhenFree() }
        if let next = takeFirst(of: period, dueBy: scheduler.date) { _ = fire(next, of: state, in: period, machine) }
        arm(period)
    }

    private func comeWhenFree() {
        Task.detached { [weak self] in
            while self?.machine?.isOwnedElsewhere == true { try? await Task.sleep(for: .milliseconds(5)) }
            self?.comesDue()
        }
    }
}

/// The time for which the deadlines of one state object are set; it never comes again, although the object may.
@usableFromInline
struct TimerPeriod: Hashable, Sendable {
    fileprivate var number: UInt64 = 0
}

/// A machine whose events fire by themselves.
protocol AutomaticMachine: AnyObject, Sendable {
    /// Whether a transition is under way on another thread.
    var isOwnedElsewhere: Bool { get }

    /// Fires an event for which the time has come, if the state is still the current one.
    /// - Parameters:
    ///   - deadline: When which event was due.
    ///   - state: The state object that it belongs to.
    ///   - period: The time for which the deadlines of that object are set; `nil` in a machine without a timer.
    /// - Returns: Whether it has become a transition, or is going to.
    func fire(_ deadline: DatedDeadline, of state: any WorkflowState, in period: TimerPeriod?) -> Bool

    /// Fires what is to follow from an error of a state's work, or tells observers of it.
    func workHasFailed(_ work: StateWork, _ error: any Error)
}
