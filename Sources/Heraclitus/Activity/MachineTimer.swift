// Fires the deadlines of a machine in order.
import HeraclitusEssentials

/// Fires the deadlines of one state object at a time, from its entry, restore or update until it is left or updated.
///
/// Each machine of a workflow with deadlines has one timer, which is set for each state object. Only the first deadline
/// waits in the scheduler. Deadlines therefore fire in order, even if several have passed while the machine was busy.
final class MachineTimer: Due {
    private let contents = Lock(Contents())

    private struct Contents: Sendable {
        /// The period of one state object's deadlines, unique even if the object becomes the state again.
        var period = 0
        var setting = Setting()

        /// Whether a deadline of this period is being fired.
        var isFiring = false
    }

    /// The deadlines of a period; empty after its end.
    struct Setting: Sendable {
        /// The machine, which keeps this timer.
        fileprivate weak var machine: (any TreeMachine)?

        /// The state object of the deadlines.
        fileprivate var state: (any WorkflowState)?
        fileprivate var waiting: [DatedDeadline] = []

        /// The scheduler of the first deadline.
        fileprivate var scheduler: Scheduler?
        fileprivate var ticket: Scheduler.Ticket?

        /// Removes the deadline from the scheduler.
        ///
        /// Call it outside locks, because it may release users' objects.
        func end() {
            if let ticket { scheduler?.remove(ticket) }
        }
    }

    /// Ends the period.
    /// - Returns: The setting, for the caller to end.
    func take() -> Setting {
        var setting = Setting()
        _ = exchange(&setting)
        return setting
    }

    /// Sets the deadlines of a state object, replacing those of the previous object.
    /// - Parameters:
    ///   - deadlines: The deadlines.
    ///   - state: The object.
    ///   - machine: The machine in the state.
    ///   - scheduler: The scheduler of the deadlines.
    ///   - isArmed: Whether the first deadline waits at once; otherwise `arm` starts it.
    /// - Returns: The period of the deadlines.
    func set(
        _ deadlines: [DatedDeadline],
        of state: any WorkflowState,
        in machine: any TreeMachine,
        _ scheduler: Scheduler,
        isArmed: Bool
    ) -> Int {
        var setting = Setting(machine: machine, state: state, waiting: deadlines, scheduler: scheduler)
        let period = exchange(&setting, isArmed: isArmed)
        setting.end()
        if isArmed { scheduler.wake() }
        return period
    }

    /// Begins a period with a setting, and returns the previous setting in its place.
    private func exchange(_ setting: inout Setting, isArmed: Bool = false) -> Int {
        contents.withLock { contents in
            contents.period += 1
            contents.isFiring = false
            swap(&contents.setting, &setting)
            if isArmed { arm(&contents) }
            return contents.period
        }
    }

    /// Whether a period is the current one.
    func isCurrent(_ period: Int) -> Bool { contents.withLock { $0.period == period } }

    /// Fires the first deadline of a period if it has passed and no other one is being fired.
    ///
    /// Deadlines therefore fire in order.
    /// - Returns: Whether the event has become a transition or is queued; `nil` if nothing was fired.
    func fireFirst(of period: Int, dueBy date: Date, _ machine: any TreeMachine) -> Bool? {
        let next = contents.withLock { contents -> (deadline: DatedDeadline, state: any WorkflowState)? in
            guard contents.period == period, !contents.isFiring, let first = contents.setting.waiting.first,
                first.date <= date, let state = contents.setting.state
            else { return nil }
            contents.isFiring = true
            contents.setting.waiting.removeFirst()
            return (first, state)
        }
        guard let next else { return nil }
        defer { contents.withLock { if $0.period == period { $0.isFiring = false } } }
        return machine.fireDeadline(next.deadline, of: next.state, in: period)
    }

    /// Whether a deadline has passed unfired.
    var isDue: Bool {
        let (first, scheduler, isFiring) = contents.withLock { contents in
            (contents.setting.waiting.first, contents.setting.scheduler, contents.isFiring)
        }
        if isFiring { return true }
        guard let first, let scheduler else { return false }
        return first.date <= scheduler.date
    }

    /// Arms the first deadline.
    ///
    /// While a deadline is being fired, this does nothing and is called again afterwards.
    func arm(_ period: Int) {
        let scheduler = contents.withLock { contents in
            if contents.period == period, !contents.isFiring { arm(&contents) }
            return contents.setting.scheduler
        }
        scheduler?.wake()
    }

    /// Arms the first deadline in the scheduler.
    ///
    /// Lock order: this lock first, then the schedule's lock. The schedule releases at most this timer, which the
    /// caller retains, so the lock covers no release.
    private func arm(_ contents: inout Contents) {
        guard let first = contents.setting.waiting.first, let scheduler = contents.setting.scheduler else { return }
        if let ticket = contents.setting.ticket { scheduler.remove(ticket) }
        contents.setting.ticket = scheduler.add(self, at: first.date)
    }

    func comesDue(by date: Date) {
        let (machine, period) = contents.withLock { ($0.setting.machine, $0.period) }
        guard let machine else { return }
        // The scheduler's thread skips a busy machine, so that other machines are on time. The retry after the other
        // thread's turn is by the date of that moment, since the date may be set back.
        if machine.isOwnedElsewhere,
            machine.whenReleased({ [weak self] in Task.detached { self?.comesDueNow() } })
        {
            return
        }
        _ = fireFirst(of: period, dueBy: date, machine)
        arm(period)
    }

    /// Fires passed deadlines by the scheduler's current date.
    func comesDueNow() {
        guard let scheduler = contents.withLock({ $0.setting.scheduler }) else { return }
        comesDue(by: scheduler.date)
    }
}

/// A deadline of a state object with its date.
struct DatedDeadline: Sendable {
    /// The number of the event.
    let event: Int

    /// The number of the deadline in the state.
    let number: Int
    let date: Date

    /// The date for callbacks and journals, which have no dates before all dates.
    var recordedDate: Date { max(date, .distantPast) }
}
