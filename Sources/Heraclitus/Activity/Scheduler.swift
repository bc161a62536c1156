public import HeraclitusEssentials

/// Fires the deadlines of any number of machines.
///
/// Machines without deadlines never use it. The scheduler runs one task while deadlines wait; the task ends within
/// 30 seconds after the last deadline was removed. Setting or removing one takes logarithmic time on average.
///
/// Due events fire in order, one after the other, on the thread of that task. A slow callback therefore delays other
/// events. A machine with a transition under way on another thread delays none: its deadline fires after that
/// transition, in a task of its own.
///
/// Deadlines are dates, because archives keep them. The ``system`` scheduler notices a change of the system's date, or
/// a suspension of the computer, within 30 seconds. After the date is set back, deadlines wait longer; each fires
/// once.
public final class Scheduler: Sendable {
    /// The default scheduler.
    ///
    /// It uses the system's date, and a clock that runs on while the computer sleeps.
    public static let system = Scheduler(ContinuousClock()) { Date() }

    /// The longest sleep between two looks at the date, in seconds.
    package static let longestNap = 30.0

    private let currentDate: @Sendable () -> Date

    /// Sleeps for a number of seconds; `nil` if the scheduler is driven by hand.
    private let sleep: (@Sendable (Double) async throws -> Void)?
    private let schedule = Lock(Schedule())

    /// The executor of machines' work; `nil` for the default one.
    let executor: (any TaskExecutor)?

    private struct Schedule: Sendable {
        var queue = DeadlineQueue<any Due>()

        /// The number of the last task that sleeps until the first deadline.
        var sleeper = 0

        /// The end of its sleep; `nil` if no task sleeps.
        ///
        /// It is in the infinite past while the task is awake and about to look at the queue again.
        var end: Double?
    }

    /// The task of the last sleeper, which its successor cancels.
    private let tasks = Lock<(number: Int, task: Task<Void, Never>?)>((0, nil))

    /// Makes a scheduler.
    /// - Parameters:
    ///   - clock: The clock to sleep by.
    ///   - date: Returns the current date. Deadlines follow when it is set back or forward.
    public init<C: Clock>(_ clock: C, date: @escaping @Sendable () -> Date) where C.Duration == Duration {
        currentDate = date
        executor = nil
        sleep = { try await clock.sleep(until: clock.now.advanced(by: .seconds($0)), tolerance: nil) }
    }

    /// Makes a scheduler driven by hand: its user calls `carryOutDue()`.
    /// - Parameters:
    ///   - executor: The executor of machines' work.
    ///   - date: Returns the current date.
    package init(drivenByHand executor: any TaskExecutor, date: @escaping @Sendable () -> Date) {
        currentDate = date
        self.executor = executor
        sleep = nil
    }

    /// The current date.
    package var date: Date { currentDate() }

    /// The date of the next deadline; `nil` if there is none.
    package var nextDeadline: Date? {
        schedule.withLock { $0.queue.firstTime }.map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// The number of waiting deadlines.
    package var count: Int { schedule.withLock { $0.queue.count } }

    /// Fires all events due by now, in order.
    package func carryOutDue() {
        while true {
            let now = currentDate()
            let due = schedule.withLock { $0.queue.takeFirst(dueBy: now.timeIntervalSinceReferenceDate) }
            guard let due else { return }
            due.comesDue(by: now)
        }
    }
}

/// An element with a due date.
protocol Due: AnyObject, Sendable {
    /// Called when the date has come, unless the element was removed before.
    /// - Parameter date: The date by which it is due.
    func comesDue(by date: Date)
}

extension AsyncSignal: Due {
    func comesDue(by date: Date) { send() }
}

extension Scheduler {
    /// A handle for removing an element from the schedule.
    typealias Ticket = DeadlineQueue<any Due>.Ticket

    /// Adds an element at a date.
    /// - Returns: A ticket for removing the element. Call ``wake()`` afterwards, outside locks.
    func add(_ due: any Due, at date: Date) -> Ticket {
        schedule.withLock { $0.queue.add(due, at: date.timeIntervalSinceReferenceDate) }
    }

    /// Makes sure that the sleeping task wakes at the first deadline.
    ///
    /// Call it outside locks: it starts and cancels tasks, and a clock's cancellation handler is user code.
    func wake() {
        guard sleep != nil else { return }
        let number: Int? = schedule.withLock { schedule in
            guard let time = schedule.queue.firstTime, time < schedule.end ?? .infinity else { return nil }
            schedule.sleeper += 1
            schedule.end = time
            return schedule.sleeper
        }
        guard let number else { return }
        // Detached, because the task serves other callers, too.
        let task = Task.detached { await self.sleepAndCarryOut(number) }
        let old = tasks.withLock { tasks in
            let old = tasks.number < number ? tasks.task : task
            if tasks.number < number { tasks = (number, task) }
            return old
        }
        old?.cancel()
    }

    /// Removes a waiting element; does nothing if it has already fired.
    func remove(_ ticket: Ticket) {
        let removed = schedule.withLock { $0.queue.remove(ticket) }
        // The element is released outside the lock, because that may call user code.
        withExtendedLifetime(removed) {}
    }

    private func sleepAndCarryOut(_ number: Int) async {
        while let pause = pause(number) {
            if pause > 0 {
                do {
                    try await sleep?(pause)
                } catch {
                    // Another sleeper has replaced this one, or the clock has failed and is retried soon.
                    if Task.isCancelled { return }
                    try? await Task.sleep(for: .milliseconds(100))
                }
            }
            guard wakeUp(number) else { return }
            carryOutDue()
        }
    }

    /// Marks a sleeper as awake: it alone fires due events, and new deadlines let it run.
    /// - Returns: Whether the sleeper is still the current one.
    private func wakeUp(_ number: Int) -> Bool {
        schedule.withLock { schedule in
            guard schedule.sleeper == number else { return false }
            schedule.end = -.infinity
            return true
        }
    }

    /// The next sleep of a sleeper in seconds; `nil` if the sleeper is to end.
    private func pause(_ number: Int) -> Double? {
        let now = currentDate().timeIntervalSinceReferenceDate
        return schedule.withLock { schedule in
            guard schedule.sleeper == number else { return nil }
            schedule.end = schedule.queue.firstTime
            guard let time = schedule.end else { return nil }
            // The minimum keeps clocks with a small difference from a busy loop.
            return time <= now ? 0 : min(max(time - now, 0.000_5), Self.longestNap)
        }
    }

    /// Sleeps until a date or the cancellation of the task.
    package func sleep(until date: Date) async throws { try await sleeping(until: date)() }

    /// Prepares a sleep until a date.
    ///
    /// The deadline is in the schedule from this call on, before the returned function runs.
    /// - Returns: A function that sleeps; throws `CancellationError` when its task is cancelled.
    func sleeping(until date: Date) -> @Sendable () async throws -> Void {
        let signal = AsyncSignal()
        let ticket = add(signal, at: date)
        wake()
        return { [self] in
            await signal.wait()
            remove(ticket)
            try Task.checkCancellation()
        }
    }
}
