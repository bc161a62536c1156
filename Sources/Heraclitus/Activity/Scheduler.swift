public import HeraclitusEssentials

/// Fires the deadlines of any number of machines.
///
/// A machine without deadlines never asks it. It needs one task while anything waits, which ends within ``longestNap`` after the
/// last deadline was removed. Setting and removing a deadline costs the logarithm of the number that wait.
///
/// What is due is carried out in the order of the times, one after the other, on the thread of that task. So a callback that takes
/// long delays others. A machine whose transition is under way on another thread delays nobody: its deadline comes when that transition
/// has ended, in a task of its own.
///
/// Due times are dates, because archives keep them. When somebody changes the system's date, or when the computer was suspended,
/// the ``system`` scheduler notices within ``longestNap``. If the date is set back, deadlines wait longer; none fires
/// twice.
public final class Scheduler: Sendable {
    /// The scheduler of all machines for which no other one was given: the system's date, and its clock that goes on while the
    /// computer sleeps.
    public static let system = Scheduler(ContinuousClock()) { Date() }

    /// For how long it sleeps before it looks at the date again, in seconds.
    public static let longestNap = 30.0

    private let currentDate: @Sendable () -> Date

    /// Sleeps for a number of seconds; `nil` if whoever made it says when time has passed.
    private let sleep: (@Sendable (Double) async throws -> Void)?
    private let schedule = Lock(Schedule())

    /// Runs the work of machines; `nil` for the executor of all tasks.
    let executor: (any TaskExecutor)?

    private struct Schedule: Sendable {
        var queue = DeadlineQueue<any Due>()

        /// The task that sleeps until the first deadline, as far as one does.
        var sleeper: Sleeper?
        var lastNumber = 0
    }

    private struct Sleeper: Sendable {
        let number: Int

        /// Until when it sleeps; before all times while it is awake, and looks at the queue again before it sleeps.
        var time: Double
    }

    /// The task of the last sleeper, for its successor, which cancels it.
    private let tasks = Lock<(number: Int, task: Task<Void, Never>?)>((0, nil))

    /// Makes a scheduler.
    /// - Parameters:
    ///   - clock: The clock to sleep by.
    ///   - date: The date as of now. It may be set back and forth; deadlines follow it.
    public init<C: Clock>(_ clock: C, date: @escaping @Sendable () -> Date) where C.Duration == Duration {
        currentDate = date
        executor = nil
        sleep = { try await clock.sleep(until: clock.now.advanced(by: .seconds($0)), tolerance: nil) }
    }

    /// Makes a scheduler that does nothing by itself, because its user says when time has passed.
    /// - Parameters:
    ///   - executor: Runs the work of machines.
    ///   - date: The date as of now.
    package init(drivenByHand executor: any TaskExecutor, date: @escaping @Sendable () -> Date) {
        currentDate = date
        self.executor = executor
        sleep = nil
    }

    /// The date as of now.
    public var date: Date { currentDate() }

    /// When the next deadline is; `nil` if there is none.
    public var nextDeadline: Date? {
        schedule.withLock { $0.queue.firstTime }.map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// How many deadlines wait.
    public var count: Int { schedule.withLock { $0.queue.count } }

    /// Carries out what is due by now, in the order of the times.
    package func carryOutDue() {
        while true {
            let now = currentDate()
            let due = schedule.withLock { $0.queue.takeFirst(dueBy: now.timeIntervalSinceReferenceDate) }
            guard let due else { return }
            due.comesDue(by: now)
        }
    }
}

/// Something that is due at a time.
protocol Due: AnyObject, Sendable {
    /// Called when the time has come, unless it was removed before.
    /// - Parameter date: By which date it is due.
    func comesDue(by date: Date)
}

extension Scheduler {
    /// Something that waits in a schedule, for somebody who removes it.
    struct Ticket: Sendable {
        fileprivate let place: DeadlineQueue<any Due>.Ticket
    }

    /// Lets something happen at a date.
    /// - Returns: A ticket, with which it can be removed. Call ``wake()`` afterwards, outside of locks.
    func add(_ due: any Due, at date: Date) -> Ticket {
        schedule.withLock { Ticket(place: $0.queue.add(due, at: date.timeIntervalSinceReferenceDate)) }
    }

    /// Makes sure that the sleeping task wakes at the first deadline.
    ///
    /// It starts and cancels tasks, and a clock's handler of a cancellation is user code. So no lock may be held.
    func wake() {
        guard sleep != nil else { return }
        let number: Int? = schedule.withLock { schedule in
            guard let time = schedule.queue.firstTime, time < schedule.sleeper?.time ?? .infinity else { return nil }
            schedule.lastNumber += 1
            schedule.sleeper = Sleeper(number: schedule.lastNumber, time: time)
            return schedule.lastNumber
        }
        guard let number else { return }
        // Detached, because it goes on for others than the caller that has armed the first deadline.
        let task = Task.detached { await self.sleepAndCarryOut(number) }
        let old = tasks.withLock { tasks in
            let old = tasks.number < number ? tasks.task : task
            if tasks.number < number { tasks = (number, task) }
            return old
        }
        old?.cancel()
    }

    /// Removes what waits; does nothing if it has come already.
    func remove(_ ticket: Ticket) {
        let removed = schedule.withLock { $0.queue.remove(ticket.place) }
        // Here and not in the schedule's lock: releasing it may call user code.
        withExtendedLifetime(removed) {}
    }

    private func sleepAndCarryOut(_ number: Int) async {
        while let pause = pause(number) {
            if pause > 0 {
                do {
                    try await sleep?(pause)
                } catch {
                    // Another sleeper has replaced it, or the clock has failed: then it looks at the date again soon.
                    if Task.isCancelled { return }
                    try? await Task.sleep(for: .milliseconds(100))
                }
            }
            guard wakeUp(number) else { return }
            carryOutDue()
        }
    }

    /// Notes that a sleeper is awake: then nobody else carries out what is due, and no deadline that is added cancels it.
    /// - Returns: Whether it still has its place.
    private func wakeUp(_ number: Int) -> Bool {
        schedule.withLock { schedule in
            guard schedule.sleeper?.number == number else { return false }
            schedule.sleeper?.time = -.infinity
            return true
        }
    }

    /// For how many seconds a sleeper is to sleep; `nil` if it is to end.
    private func pause(_ number: Int) -> Double? {
        let now = currentDate().timeIntervalSinceReferenceDate
        return schedule.withLock { schedule in
            guard let sleeper = schedule.sleeper, sleeper.number == number else { return nil }
            guard let time = schedule.queue.firstTime else {
                schedule.sleeper = nil
                return nil
            }
            schedule.sleeper?.time = time
            // Not less than a moment, or clocks that differ a little would keep it awake.
            return time <= now ? 0 : min(max(time - now, 0.000_5), Self.longestNap)
        }
    }
}
