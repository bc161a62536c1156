public import Heraclitus
public import HeraclitusEssentials

/// A clock that stands still until a test moves it, and a scheduler that goes by it: so no test sleeps.
///
/// ```swift
/// let clock = ManualClock()
/// let machine = StateMachine<Order>(scheduler: clock.scheduler)
/// try machine.fire.place(UnpaidState(…))
/// clock.advance(by: .seconds(86_400))
/// #expect(machine.isIn(LapsedState.self))
/// ```
///
/// What is due is carried out on the thread that moves the clock, in the order of time, before the call returns. Each event sees the time at
/// which it was due as the current one. In an asynchronous test the work of states goes on at each step, too:
///
/// ```swift
/// try machine.fire.connect(ConnectingState(host: "example.org"))   // its work sleeps, fails and is retried
/// await clock.advance(by: .seconds(60))
/// #expect(machine.isIn(ConnectedState.self))
/// ```
public final class ManualClock: Clock, Sendable {
    /// A point in the clock's time.
    public struct Instant: InstantProtocol, Hashable {
        /// How long after the clock was made.
        public let offset: Duration

        /// A later instant, or an earlier one.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// How long it takes from this to another one.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether an instant comes before another one.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let number: Int
        let end: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Contents {
        var now = Instant(offset: .zero)
        var date: Date

        /// A moment in both measures, from which dates are calculated: were each step added to the date before, it would be rounded each time.
        var base: (date: Date, instant: Instant)

        /// How often somebody has set the date.
        var settings = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var lastNumber = 0

        init(date: Date) {
            self.date = date
            base = (date, now)
        }

        mutating func set(to date: Date) {
            self.date = date
            base = (date, now)
            settings += 1
        }

        /// Where an advance is to end, in both of the clock's measures.
        struct End {
            let instant: Instant
            let date: Date
            let settings: Int
        }

        func end(after duration: Duration) -> End {
            let instant = now.advanced(by: duration)
            let date = base.date.addingTimeInterval(base.instant.duration(to: instant) / .seconds(1))
            return End(instant: instant, date: date, settings: settings)
        }

        /// Moves to a deadline, to the next sleeper or to the end, whichever comes first.
        ///
        /// At a deadline it shows the very date of it, and not one that was calculated from the instant.
        /// - Returns: The sleepers that wake there.
        mutating func move(to deadline: Date?, before end: End) -> [Sleeper] {
            // A callback, or another thread, may have moved the clock further than this.
            guard now < end.instant else {
                date = max(date, end.date)
                return wake()
            }
            let sleeper = sleepers.map(\.end).min().flatMap { $0 < end.instant ? max($0, now) : nil }
            // A deadline is a date that somebody has calculated and that was rounded, too: by far less than this.
            if let deadline, deadline <= end.date.addingTimeInterval(0.000_001) {
                let instant = Instant(offset: end.instant.offset - .seconds(end.date.timeIntervalSince(deadline)))
                if sleeper.map({ instant <= $0 }) ?? true {
                    // Only when it was carried out is the end reached.
                    let last = Instant(offset: end.instant.offset - .nanoseconds(1))
                    now = max(now, min(instant, last))
                    date = max(date, deadline)
                    return wake()
                }
            }
            now = sleeper ?? end.instant
            let rest = now.duration(to: end.instant)
            date = max(date, rest == .zero ? end.date : end.date.addingTimeInterval(-(rest / .seconds(1))))
            return wake()
        }

        private mutating func wake() -> [Sleeper] {
            let now = now
            let woken = sleepers.filter { $0.end <= now }
            sleepers.removeAll { $0.end <= now }
            return woken
        }
    }

    private final class Storage: Sendable {
        let contents: Lock<Contents>

        init(start: Date) { contents = Lock(Contents(date: start)) }

        var date: Date { contents.withLock { $0.date } }
    }

    private let storage: Storage
    private let executor: SettlingExecutor

    /// Carries out what is due when the clock is moved.
    public let scheduler: Scheduler

    /// Makes a clock that stands still.
    /// - Parameter start: The date that it shows; the beginning of 2001 unless said otherwise.
    public init(at start: Date = Date(timeIntervalSinceReferenceDate: 0)) {
        let storage = Storage(start: start)
        self.storage = storage
        executor = SettlingExecutor()
        scheduler = Scheduler(drivenByHand: executor) { storage.date }
    }

    /// The instant that it shows.
    public var now: Instant { storage.contents.withLock { $0.now } }

    /// The date that it shows.
    public var date: Date { storage.date }

    /// The smallest difference between instants: none that matters.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Moves the clock, stopping at everything that is due on the way.
    ///
    /// Callbacks may move it, too, and several threads at once: each moves it as far as it says from where it was then, so the time of one is
    /// not added to that of another. In an asynchronous function, `await clock.advance(by:)` also lets work go on.
    /// - Parameter duration: By how much; not less than nothing.
    public func advance(by duration: Duration) {
        var end = end(after: duration)
        repeat { scheduler.carryOutDue() } while step(toward: &end)
        scheduler.carryOutDue()
    }

    /// Moves the clock, stopping at everything that is due on the way, and lets the work of states go on at each step.
    ///
    /// It begins, and goes on after each step, when no work of a machine with the clock's ``scheduler`` runs: all of it has ended, or waits. Work
    /// waits with `WorkCall.sleep(for:)`, ``sleep(until:tolerance:)`` or for something outside. What runs on an actor with an executor of its own,
    /// such as the main actor, is outside.
    /// - Parameter duration: By how much; not less than nothing.
    public func advance(by duration: Duration) async {
        await executor.idle()
        var end = end(after: duration)
        repeat { await carryOutDue() } while step(toward: &end)
        await carryOutDue()
    }

    /// Carries out what is due, and what becomes due while work goes on.
    private func carryOutDue() async {
        repeat {
            scheduler.carryOutDue()
            await executor.idle()
        } while scheduler.nextDeadline.map { $0 <= date } ?? false
    }

    private func end(after duration: Duration) -> Contents.End {
        precondition(duration >= .zero, "Time does not go back; a date can be set back.")
        return storage.contents.withLock { $0.end(after: duration) }
    }

    /// Moves the clock to what comes next, or to the end.
    /// - Returns: Whether the end is not reached.
    private func step(toward end: inout Contents.End) -> Bool {
        let deadline = scheduler.nextDeadline
        var goal = end
        let woken = storage.contents.withLock { contents in
            // Whoever has set the date meanwhile has moved the end with it.
            if contents.settings != goal.settings {
                goal = contents.end(after: contents.now.duration(to: goal.instant))
            }
            return contents.move(to: deadline, before: goal)
        }
        end = goal
        for sleeper in woken { sleeper.continuation.resume() }
        return !storage.contents.withLock { $0.now >= goal.instant && $0.settings == goal.settings }
    }

    /// Sets the date, as a user or a time server does; the clock itself goes on as before.
    /// - Parameter date: The date that it shows from now on. What is due by then is carried out.
    public func setDate(to date: Date) {
        storage.contents.withLock { $0.set(to: date) }
        scheduler.carryOutDue()
    }

    /// Sleeps until the clock was moved to an instant.
    /// - Parameters:
    ///   - deadline: The instant.
    ///   - tolerance: Without effect.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = storage.contents.withLock { contents in
            contents.lastNumber += 1
            return contents.lastNumber
        }
        defer { storage.contents.withLock { _ = $0.cancelled.remove(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = storage.contents.withLock { contents in
                    if contents.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    if deadline <= contents.now { return .success(()) }
                    contents.sleepers.append(Sleeper(number: number, end: deadline, continuation: continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = storage.contents.withLock { contents in
                guard let index = contents.sleepers.firstIndex(where: { $0.number == number }) else {
                    contents.cancelled.insert(number)
                    return Sleeper?.none
                }
                return contents.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
