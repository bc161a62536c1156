public import Heraclitus
public import HeraclitusEssentials

/// A clock that a test moves by hand, with a scheduler that follows it.
///
/// ```swift
/// let clock = ManualClock()
/// let machine = StateMachine<Order>(scheduler: clock.scheduler)
/// try machine.fire.place(UnpaidState(…))
/// clock.advance(by: .seconds(86_400))
/// #expect(machine.isIn(LapsedState.self))
/// ```
///
/// Moving the clock fires due events on the calling thread, in the order of time, before the call returns. Each event
/// sees its own deadline as the current time. In an asynchronous test, the work of states goes on at each step, too:
///
/// ```swift
/// try machine.fire.connect(ConnectingState(host: "example.org"))   // its work sleeps, fails and is retried
/// await clock.advance(by: .seconds(60))
/// #expect(machine.isIn(ConnectedState.self))
/// ```
///
/// Work begins at once when its state is entered or restored, on another thread, while the clock stands still. Only its
/// sleeps wait for the clock. Add your observers before `activate()` and before the first fire, because work may fire
/// before the next line of your test. To wait until the work under way has ended or waits, call
/// `await clock.advance(by: .zero)`.
public final class ManualClock: Clock, Sendable {
    /// A point in the clock's time.
    public struct Instant: InstantProtocol, Hashable {
        /// The time since the clock was made.
        public let offset: Duration

        /// An instant at a distance from this one; a negative duration gives an earlier instant.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// The time from this instant to another one.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether one instant is before another.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let end: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Contents {
        var now = Instant(offset: .zero)
        var date: Date

        /// The base of all dates.
        ///
        /// Adding each step to the date before would round each time.
        var base: (date: Date, instant: Instant)

        /// The sleepers by the numbers of their calls.
        var sleepers: [Int: Sleeper] = [:]
        var lastNumber = 0

        mutating func set(to date: Date) {
            self.date = date
            base = (date, now)
        }

        /// The date at an instant if nobody sets the date before.
        func expectedDate(at instant: Instant) -> Date {
            base.date.addingTimeInterval(base.instant.duration(to: instant) / .seconds(1))
        }

        /// Moves to the next deadline, the next sleeper or the end, whichever is first.
        ///
        /// At a deadline the clock shows exactly its date; a date computed from the instant would be rounded.
        /// - Returns: The sleepers that wake there.
        mutating func move(to deadline: Date?, before end: Instant) -> [Sleeper] {
            let endDate = expectedDate(at: end)
            // A callback or another thread may have moved the clock further.
            guard now < end else {
                date = max(date, endDate)
                return wake()
            }
            let sleeper = sleepers.values.map(\.end).min().flatMap { $0 < end ? max($0, now) : nil }
            // A deadline is a computed date, too, with a rounding error far below this tolerance.
            if let deadline, deadline <= endDate.addingTimeInterval(0.000_001) {
                let instant = Instant(offset: end.offset - .seconds(endDate.timeIntervalSince(deadline)))
                if sleeper.map({ instant <= $0 }) ?? true {
                    // The clock stays before the end until the deadline was carried out.
                    let last = Instant(offset: end.offset - .nanoseconds(1))
                    now = max(now, min(instant, last))
                    date = max(date, deadline)
                    return wake()
                }
            }
            now = sleeper ?? end
            date = max(date, expectedDate(at: now))
            return wake()
        }

        private mutating func wake() -> [Sleeper] {
            let now = now
            let woken = sleepers.filter { $0.value.end <= now }.sorted { $0.key < $1.key }
            for (number, _) in woken { sleepers[number] = nil }
            return woken.map(\.value)
        }
    }

    private let contents: Box<Lock<Contents>>
    private let executor: SettlingExecutor

    /// The scheduler that fires due events when the clock moves.
    public let scheduler: Scheduler

    /// Makes a clock that stands still.
    /// - Parameter start: The date of the clock; by default the beginning of 2001.
    public init(at start: Date = Date(timeIntervalSinceReferenceDate: 0)) {
        let contents = Box(Lock(Contents(date: start, base: (start, Instant(offset: .zero)))))
        self.contents = contents
        executor = SettlingExecutor()
        scheduler = Scheduler(drivenByHand: executor) { contents.value.withLock { $0.date } }
    }

    /// The current instant.
    public var now: Instant { contents.value.withLock { $0.now } }

    /// The current date.
    public var date: Date { contents.value.withLock { $0.date } }

    /// The resolution of the clock: one nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Moves the clock, and fires due events on the way.
    ///
    /// Callbacks and several threads may move the clock at once. Each call moves it from its instant at the beginning
    /// of the call, so the durations are not added up. In an asynchronous function, `await clock.advance(by:)` also
    /// lets work go on.
    /// - Parameter duration: The distance; zero or more.
    @available(
        *,
        noasync,
        message: "Write `await clock.advance(by:)`, in a function rather than at the top level of a program."
    )
    public func advance(by duration: Duration) {
        let end = end(after: duration)
        repeat { scheduler.carryOutDue() } while step(toward: end)
        scheduler.carryOutDue()
    }

    /// Moves the clock, fires due events on the way, and lets the work of states go on at each step.
    ///
    /// The call waits before each step until the work of all machines with the clock's ``scheduler`` has ended or
    /// waits. Work waits with `WorkCall.sleep(for:)`, with ``sleep(until:tolerance:)`` or for something outside. Work
    /// on an actor with its own executor, such as the main actor, counts as outside.
    /// - Parameter duration: The distance; zero or more.
    public func advance(by duration: Duration) async {
        await executor.idle()
        let end = end(after: duration)
        repeat { await carryOutDue() } while step(toward: end)
        await carryOutDue()
    }

    /// Fires due events, including those that become due while work goes on.
    private func carryOutDue() async {
        repeat {
            scheduler.carryOutDue()
            await executor.idle()
        } while scheduler.nextDeadline.map { $0 <= date } ?? false
    }

    private func end(after duration: Duration) -> Instant {
        precondition(duration >= .zero, "The clock moves forward only. Use setDate(to:) to set the date back.")
        return now.advanced(by: duration)
    }

    /// Moves the clock to the next deadline, the next sleeper or the end.
    /// - Returns: Whether the end is still ahead.
    private func step(toward end: Instant) -> Bool {
        let deadline = scheduler.nextDeadline
        let woken = contents.value.withLock { $0.move(to: deadline, before: end) }
        for sleeper in woken { sleeper.continuation.resume() }
        return now < end
    }

    /// Sets the date, as a user or a time server does.
    ///
    /// The clock's instant stays.
    /// - Parameter date: The new date. Events due by then fire.
    public func setDate(to date: Date) {
        contents.value.withLock { $0.set(to: date) }
        scheduler.carryOutDue()
    }

    /// Sleeps until the clock reaches an instant.
    /// - Parameters:
    ///   - deadline: The instant.
    ///   - tolerance: Ignored.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = contents.value.withLock { contents in
            contents.lastNumber += 1
            return contents.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = contents.value.withLock { contents in
                    // A task counts as cancelled before its handler is called, which then finds no sleeper.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if deadline <= contents.now { return .success(()) }
                    contents.sleepers[number] = Sleeper(end: deadline, continuation: continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = contents.value.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
