// Which deadline of a machine comes next, and until when does it count?
import HeraclitusEssentials

/// Lets the deadlines of a state object come, from when it is entered, restored or updated until it is left or updated.
///
/// A machine whose workflow has deadlines has one timer from the beginning, which is set anew for each state object. Only the first
/// deadline waits in the scheduler. So they come in order, also when the machine was busy while several have passed.
final class MachineTimer: Due {
    private let contents = Lock(Contents())

    private struct Contents: Sendable {
        /// The machine, from when deadlines are first set.
        weak var machine: (any AutomaticMachine)?
        var period = TimerPeriod()
        var setting = Setting()

        /// Whether a deadline of this period is being fired.
        var isFiring = false
    }

    /// What the timer is set for; nothing when the period is over.
    struct Setting: Sendable {
        /// The state object whose deadlines are set.
        fileprivate var state: (any WorkflowState)?
        fileprivate var waiting = DatedDeadlines()

        /// Where the first of them waits.
        fileprivate var scheduler: Scheduler?
        fileprivate var ticket: Scheduler.Ticket?

        /// Lets nothing wait any more; outside of locks, because users' objects may be released when the setting is.
        func end() {
            if let ticket { scheduler?.remove(ticket) }
        }
    }

    /// Lets none come any more.
    /// - Returns: What it was set for, for somebody who ends it.
    func take() -> Setting {
        var setting = Setting()
        _ = exchange(&setting)
        return setting
    }

    /// Sets the deadlines of a state object, instead of those of the object before, which do not come any more.
    /// - Parameters:
    ///   - deadlines: The deadlines.
    ///   - state: The object.
    ///   - machine: The machine that is in the state, always the same; asked only the first time.
    ///   - scheduler: Where they wait.
    ///   - isArmed: Whether the first waits from now on; otherwise from when `arm` is called.
    /// - Returns: For how long they count.
    func set(
        _ deadlines: consuming DatedDeadlines,
        of state: any WorkflowState,
        in machine: @autoclosure () -> any AutomaticMachine,
        _ scheduler: Scheduler,
        isArmed: Bool
    ) -> TimerPeriod {
        if contents.note == 0 { bind(to: machine()) }
        var setting = Setting(state: state, waiting: deadlines, scheduler: scheduler)
        let period = exchange(&setting, isArmed: isArmed)
        setting.end()
        if isArmed { scheduler.wake() }
        return period
    }

    /// Stores the machine once, and notes that: finding it and storing a weak reference each time would cost more.
    private func bind(to machine: any AutomaticMachine) {
        contents.withLock {
            $0.machine = machine
            contents.changeNote(1)
        }
    }

    /// Begins a period with a setting, and leaves the one before in its place.
    private func exchange(_ setting: inout Setting, isArmed: Bool = false) -> TimerPeriod {
        contents.withLock { contents in
            contents.period.number += 1
            contents.isFiring = false
            swap(&contents.setting, &setting)
            if isArmed { arm(&contents) }
            return contents.period
        }
    }

    /// Whether the deadlines still count that were set.
    func counts(_ period: TimerPeriod) -> Bool { contents.withLock { $0.period == period } }

    /// Fires the first deadline of a period if it has passed; none while another one is being fired, so that they come in order.
    /// - Returns: Whether it has become a transition, or is going to; `nil` if none has passed, or one is being fired.
    func fireFirst(of period: TimerPeriod, dueBy date: Date, _ machine: any AutomaticMachine) -> Bool? {
        guard let next = takeFirst(of: period, dueBy: date) else { return nil }
        defer { contents.withLock { if $0.period == period { $0.isFiring = false } } }
        return machine.fire(next.deadline, of: next.state, in: period)
    }

    /// Takes the first deadline if it has passed, and notes that it is being fired.
    private func takeFirst(
        of period: TimerPeriod,
        dueBy date: Date
    ) -> (deadline: DatedDeadline, state: any WorkflowState)? {
        contents.withLock { contents in
            guard contents.period == period, !contents.isFiring, let first = contents.setting.waiting.first,
                first.date <= date, let state = contents.setting.state
            else { return nil }
            contents.isFiring = true
            contents.setting.waiting.removeFirst()
            return (first, state)
        }
    }

    /// Whether one has passed and was not fired yet.
    var isDue: Bool {
        let (first, scheduler, isFiring) = contents.withLock { contents in
            (contents.setting.waiting.first, contents.setting.scheduler, contents.isFiring)
        }
        if isFiring { return true }
        guard let first, let scheduler else { return false }
        return first.date <= scheduler.date
    }

    /// Lets the first deadline wait in the scheduler; not while one is being fired, after which this is called again.
    func arm(_ period: TimerPeriod) {
        let scheduler = contents.withLock { contents in
            if contents.period == period, !contents.isFiring { arm(&contents) }
            return contents.setting.scheduler
        }
        scheduler?.wake()
    }

    /// Lets the first deadline wait in the scheduler.
    ///
    /// The schedule's lock is taken within this one, and never the other way round. The schedule releases this timer at most, which the
    /// caller keeps: so nothing is released in the lock.
    private func arm(_ contents: inout Contents) {
        guard let first = contents.setting.waiting.first, let scheduler = contents.setting.scheduler else { return }
        if let ticket = contents.setting.ticket { scheduler.remove(ticket) }
        contents.setting.ticket = scheduler.add(self, at: first.date)
    }

    func comesDue(by date: Date) {
        let (machine, period) = contents.withLock { ($0.machine, $0.period) }
        guard let machine else { return }
        // The scheduler's thread does not wait for the callbacks of one machine while others are due.
        if machine.isOwnedElsewhere, comesLater(to: machine) { return }
        _ = fireFirst(of: period, dueBy: date, machine)
        arm(period)
    }

    /// Comes due as of now, by the clock for which it is set.
    func comesDueNow() {
        guard let scheduler = contents.withLock({ $0.setting.scheduler }) else { return }
        comesDue(by: scheduler.date)
    }

    /// Comes again when another thread has ended its turn, by the date of then: it may have been set back.
    /// - Returns: Whether another thread still has a turn.
    private func comesLater(to machine: any AutomaticMachine) -> Bool {
        machine.whenReleased { [weak self] in Task.detached { self?.comesDueNow() } }
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

    /// Calls a body when that transition has ended, on the thread that has made it.
    /// - Returns: Whether a transition is under way on another thread. If not, the body is not called.
    func whenReleased(_ body: @escaping @Sendable () -> Void) -> Bool

    /// Fires an event for which the time has come, if the state is still the current one.
    /// - Parameters:
    ///   - deadline: When which event was due.
    ///   - state: The state object that it belongs to.
    ///   - period: The time for which the deadlines of that object are set; `nil` in a passive machine, whose timer is not set.
    /// - Returns: Whether it has become a transition, or is going to.
    func fire(_ deadline: DatedDeadline, of state: any WorkflowState, in period: TimerPeriod?) -> Bool

    /// Fires what is to follow from an error of a state's work, or tells observers of it.
    func workHasFailed(_ work: StateWork, _ failed: FailedWork)

    /// Fires what is to follow when a state's work has returned.
    func workIsDone(_ work: StateWork)
}
